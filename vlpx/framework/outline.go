package framework

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"vlpx.internal/vlpx/field"
)

// Outline is a graph of a model, to be looked at or compiled. The variables that it reads need shapes alone, so that a model of any size
// has one.
type Outline struct {
	What  string // such as "image encoder"
	Graph *Graph
	// Results are what the graph gives: the variables that it changes, then what it reports.
	Results []*Node
}

// NewOutline builds a graph on inputs of the given names and shapes. The scope that build gets is the store's root.
func NewOutline(what string, backend compute.Backend, store *model.Store, names []string, of []shapes.Shape,
	build func(s *model.Scope, in []*Node) []*Node) (*Outline, error) {
	o := &Outline{What: what, Graph: NewGraph(backend, what)}
	err := exceptions.TryCatch[error](func() {
		defer Orderly()
		var in []*Node
		for k, name := range names {
			in = append(in, Parameter(o.Graph, name, of[k]))
		}
		forward := build(store.RootScope(), in)
		for v := range store.IterVariables() {
			if v.ChangedInGraph(o.Graph) {
				o.Results = append(o.Results, v.NodeValue(o.Graph))
			}
		}
		o.Results = append(o.Results, forward...)
	})
	if err != nil {
		o.Close()
		return nil, fmt.Errorf("framework: building the %s: %w", what, err)
	}
	return o, nil
}

// Compile gives the graph to its backend.
func (o *Outline) Compile() error { return o.Graph.Compile(o.Results...) }

// Close frees the graph.
func (o *Outline) Close() { o.Graph.Finalize() }

// outlineRoom is the number of tokens that an outline of generation leaves room for.
const outlineRoom = 8

// EvaluationOutlines are the graphs of all that [Inference] can be asked, for so many rows, of a model that [Declare] has put into the
// store. The caller closes them.
func EvaluationOutlines(f Framework, u Use, backend compute.Backend, store *model.Store, rows int) (all []*Outline, err error) {
	defer func() {
		if err != nil {
			for _, o := range all {
				o.Close()
			}
			all = nil
		}
	}()
	g := graphsOf(f)
	ids, images := shapes.Make(dtypes.Int32, rows, u.Tokens), shapes.Shape{}
	for _, x := range f.Inputs(u) {
		if x.Name == field.Image {
			images = shapes.Make(x.Shape.DType, append([]int{rows}, x.Shape.Dimensions[1:]...)...)
		}
	}
	// outline adds a graph, if there is one, and returns the shapes of its results.
	outline := func(what string, build building, of ...shapes.Shape) (results []shapes.Shape) {
		if build == nil || err != nil {
			return nil
		}
		var names []string
		for k := range of {
			names = append(names, fmt.Sprintf("input %d", k))
		}
		var o *Outline
		o, err = NewOutline(what+" of "+f.Name(), backend, store, names, of, func(s *model.Scope, in []*Node) []*Node {
			s.Store().SetTraining(in[0].Graph(), false)
			return build(s.Store().Scope(Model), in)
		})
		if err != nil {
			return nil
		}
		all = append(all, o)
		for _, x := range o.Results {
			results = append(results, x.Shape())
		}
		return results
	}
	image, text := outline("image encoder", g.images, images), outline("text encoder", g.texts, ids)
	outline("representation", g.below, images)
	if len(image) == 2 && len(text) == 2 {
		outline("matching head", g.pair, text[1], ids, image[1])
	}
	outline("scores of pairs", g.scored, ids, images)
	outline("masked words", g.filled, ids, ids, images)
	outline("words of sentences", g.corrected, ids, images)
	outline("judgement", g.judged, ids, images, images)
	outline("text assignment", g.assigned, ids, images, images)
	outline("language model", g.next, ids)
	if states := outline("questions", g.questions, ids, images); len(states) > 0 {
		outline("answers", g.answers, states[0], ids, shapes.Make(dtypes.Int32, rows, answersAtOnce, f.(Answers).AnswerTokens()))
	}
	if g.begun != nil {
		of := []shapes.Shape{ids}
		if images.Ok() {
			of = append(of, images)
		}
		if begun := outline("beginning of texts", g.begun(outlineRoom), of...); len(begun) > 0 {
			row, step := shapes.Make(dtypes.Int32, rows), shapes.Make(dtypes.Int32)
			outline("continuation of texts", g.continued, append([]shapes.Shape{row, row, step}, begun[1:]...)...)
		}
	}
	return all, err
}
