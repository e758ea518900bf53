package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// ONNX is an encoder as a model of ONNX. Its output is "embedding", [1, embed_dim], normalised.
type ONNX struct {
	Name  string // of its file
	Input string // its name
	Takes string // type and shape of the input: one image or caption, since GoMLX reshapes no axes of unknown length
	Model []byte
}

// Encoders are a model's encoders of images and of captions for ONNX Runtime, which is the engine. An error names an operation that ONNX
// lacks. The image encoder takes prepared pixels [1, side, side, 3], the text encoder ids [1, tokens].
func Encoders(on compute.Backend, k run.Kept, m *train.Model) ([]ONNX, error) {
	f, embeds := k.Run.Train.Framework.Framework.(framework.Embeds)
	switch {
	case !embeds:
		return nil, fmt.Errorf("export: run %s: %s embeds no images and captions, so that it has no encoders for ONNX; leave -onnx out", k.ID,
			k.Run.Train.Framework.Name())
	case k.Run.Locked != nil || regional(k.Run):
		return nil, fmt.Errorf("export: run %s: its model reads what another image encoder made, which is not in it; leave -onnx out", k.ID)
	}
	values, err := m.Weights()
	if err != nil {
		return nil, err
	}
	store := model.NewStore()
	if err := weights.Values(values).Put(store, dtypes.Float32); err != nil {
		return nil, err
	}
	use := k.Run.Train.Use()
	use.Batch = 1
	inputs := f.Inputs(use)
	var all []ONNX
	for _, of := range []struct {
		file  string
		field field.Name
		build func(*model.Scope, *Node) framework.Embedded
	}{{ImageONNXName, field.Image, f.EmbedImage}, {TextONNXName, field.Captions, f.EmbedText}} {
		at := slices.IndexFunc(inputs, func(x field.Field) bool { return x.Name == of.field })
		one, err := encoderONNX(on, store, of.build, inputs[at].Shape, string(of.field))
		if err != nil {
			return nil, fmt.Errorf("export: run %s: %s: %w", k.ID, of.file, err)
		}
		one.Name = of.file
		all = append(all, one)
	}
	return all, nil
}

// encoderONNX is an encoder with an input of a shape.
func encoderONNX(on compute.Backend, store *model.Store, build func(*model.Scope, *Node) framework.Embedded, input shapes.Shape,
	name string) (ONNX, error) {
	exec, err := model.NewExec(on, store, func(s *model.Scope, in []*Node) []*Node {
		defer framework.Orderly()
		s.Store().SetTraining(in[0].Graph(), false)
		return []*Node{build(s.Store().Scope(framework.Model), in[0]).Feature}
	})
	if err != nil {
		return ONNX{}, err
	}
	defer exec.Finalize()
	takes := strings.ToLower(input.DType.String()) + " " + strings.ReplaceAll(fmt.Sprint(input.Dimensions), " ", ", ")
	written, err := engine.ModelONNX(on, exec, input, name, "embedding")
	return ONNX{Input: name, Takes: takes, Model: written}, err
}
