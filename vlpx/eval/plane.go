package eval

import (
	"context"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/random"
)

// Plane lays the images of a split out in the plane by t-SNE of their representations, for a picture of how classes lie; it measures
// nothing, and nothing after an epoch.
type Plane struct {
	Classes    int     // whose images are shown, the first ones; 0 for ten
	Perplexity float64 `json:",omitempty"` // 0 for 30, or what so few images allow
}

func init() { Register("", Plane{}) }

// Layout is kept by [Plane].
var Layout = NewKind[*PlaneLayout]("Laid")

// PlaneLayout is a layout of images in the plane.
type PlaneLayout struct {
	Class   []int     `json:"class"` // of each image
	Names   []string  `json:"names"` // of the classes
	X       []float32 `json:"x"`
	Y       []float32 `json:"y"`
	Missing int       `json:"missing,omitempty"` // images of the shown classes that are not there, since they are too many for t-SNE
}

// What a plane shows at most, and t-SNE's iterations.
const (
	planeClasses    = 10
	planePerplexity = 30
	planeMost       = 1500 // images
	planeLeast      = 4    // images, of fewer there is no picture
	planeIterations = 600
	planeSeed       = 1 // the same draws for all methods
)

// Metrics implements Task.
func (Plane) Metrics() []Info { return nil }

// Check implements Task.
func (Plane) Check(f framework.Framework, set datasets.Set) error {
	return probes("t-SNE by classes", f, set)
}

// Measure implements Task.
func (p Plane) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := p.Check(on.Model.Framework(), on.Set); err != nil || on.Brief {
		return Measured{}, err
	}
	images, err := on.see(ctx)
	if err != nil {
		return Measured{}, err
	}
	classes := p.Classes
	if classes == 0 {
		classes = planeClasses
	}
	names := on.Set.(datasets.Labelled).Classes()
	layout := &PlaneLayout{Names: names[:min(classes, len(names))]}
	var features []float32
	for i, class := range images.class {
		switch {
		case class >= len(layout.Names):
		case len(layout.Class) == planeMost:
			layout.Missing++
		default:
			direction := make([]float32, images.width)
			unit(direction, images.row(i))
			layout.Class, features = append(layout.Class, class), append(features, direction...)
		}
	}
	if len(layout.Class) < planeLeast {
		return Measured{}, nil
	}
	perplexity := p.Perplexity
	if perplexity == 0 {
		perplexity = min(planePerplexity, float64(len(layout.Class)-1)/3)
	}
	t := evidence.TSNE{Perplexity: perplexity, Iterations: planeIterations}
	places, err := t.Layout(random.Stream(planeSeed, "plane"), features, images.width)
	if err != nil {
		return Measured{}, err
	}
	for k := range layout.Class {
		layout.X, layout.Y = append(layout.X, float32(places[2*k])), append(layout.Y, float32(places[2*k+1]))
	}
	return Layout.With(Measured{}, layout), nil
}
