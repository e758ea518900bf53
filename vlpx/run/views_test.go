package run

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	variables "github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// views is a framework that reads no captions: two views of an image are to be alike, and its class is read off the embedding.
type views struct{ Image, Embed, Classes int }

func (views) Name() string                { return "Views" }
func (views) Losses() []negative.Loss     { return []negative.Loss{"views", "class"} }
func (v views) Dim() int                  { return v.Embed }
func (v views) Check(framework.Use) error { return nil }

func (v views) Inputs(u framework.Use) []field.Field {
	pixels := []int{v.Image, v.Image, 3}
	return append(u.Fields(field.Class), u.Images(field.Image, pixels...), u.Images(field.View, pixels...))
}

func (v views) EmbedImage(s *variables.Scope, images *Node) framework.Embedded {
	pixels := Reshape(images, -1, v.Image*v.Image*3)
	return framework.Embedded{Feature: framework.Normalise(encoder.Linear(s.In("image"), pixels, v.Embed, false))}
}

func (v views) Step(s *variables.Scope, u framework.Use, in field.Nodes) framework.Forward {
	model := func() *variables.Scope { return s.Store().Scope(framework.Model) } // anew for each of two calls that share weights
	one, other := v.EmbedImage(model(), in.Of(field.Image)).Feature, v.EmbedImage(model(), in.Of(field.View)).Feature
	alike := objective.Similarities(one, other, Const(one.Graph(), float32(0.1)))
	classes := encoder.Linear(model().In("class"), one, v.Classes, false)
	return framework.Forward{Outputs: field.Nodes{field.ImageEmbedding: one}, Losses: map[negative.Loss]*Node{
		"views": objective.CrossEntropy(alike, objective.OneHotTargets(alike)),
		"class": objective.CrossEntropy(classes, OneHot(in.Of(field.Class), v.Classes, classes.DType())),
	}}
}

// neighbours is a task of one's own: images whose nearest other image is of their class.
type neighbours struct{}

func (neighbours) Metrics() []eval.Info {
	return []eval.Info{{Metric: "neighbours", Group: "Classes", Column: "nearest", Unit: "%", What: "images whose nearest other image is " +
		"of their class"}}
}

func (neighbours) Check(f framework.Framework, set datasets.Set) error {
	if _, ok := f.(framework.EmbedsImages); !ok {
		return fmt.Errorf("neighbours: %s embeds no images", f.Name())
	}
	if _, ok := set.(datasets.Labelled); !ok {
		return fmt.Errorf("neighbours: %s has no classes", set.Name())
	}
	return nil
}

func (neighbours) Measure(ctx context.Context, on eval.Subject) (eval.Measured, error) {
	images, err := on.Images(ctx)
	if err != nil {
		return eval.Measured{}, err
	}
	set, right := on.Set.(datasets.Labelled), 0
	cosines := eval.Cosines(images.Features, images.Features, len(images.Features)/set.Len())
	for i := range set.Len() {
		nearest := (i + 1) % set.Len()
		for k, cosine := range cosines.Row(i) {
			if k != i && cosine > cosines.Row(i)[nearest] {
				nearest = k
			}
		}
		if set.Class(nearest) == set.Class(i) {
			right++
		}
	}
	return eval.Measured{Metrics: eval.Result{"neighbours": 100 * float64(right) / float64(set.Len())}}, nil
}
