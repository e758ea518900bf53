package framework

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// building builds a graph on its inputs; the scope is that of the model's variables.
type building = func(s *model.Scope, in []*Node) []*Node

// graphs are those that a trained model is asked, nil where the framework is not able to.
type graphs struct {
	images, below, texts building // encoders: images, the representation below their embedding, captions
	pair, scored         building // scores of pairs: of states, and without
	filled, corrected    building // words of captions with their images
	judged, assigned     building // texts with two images
	next                 building // log-likelihoods of tokens
	questions, answers   building // questions with their images, and answers to them
	begun                func(room int) building
	continued            building // texts with one more token, on the rows that go on
}

// graphsOf are those of a framework.
func graphsOf(f Framework) (g graphs) {
	if e, ok := f.(EmbedsImages); ok {
		g.images = func(s *model.Scope, in []*Node) []*Node { return e.EmbedImage(s, in[0]).nodes() }
	}
	if r, ok := f.(Represents); ok {
		g.below = func(s *model.Scope, in []*Node) []*Node { return []*Node{r.Represent(s, in[0])} }
	}
	if e, ok := f.(Embeds); ok {
		g.texts = func(s *model.Scope, in []*Node) []*Node { return e.EmbedText(s, in[0]).nodes() }
	}
	if m, ok := f.(Matches); ok {
		g.pair = func(s *model.Scope, in []*Node) []*Node { return []*Node{m.Match(s, in[0], in[1], in[2])} }
	}
	if scored := scoring(f); scored != nil {
		g.scored = func(s *model.Scope, in []*Node) []*Node { return []*Node{scored(s, in[0], in[1])} }
	}
	if w, ok := f.(Fills); ok {
		g.filled = func(s *model.Scope, in []*Node) []*Node { return []*Node{w.Fill(s, in[0], in[1], in[2])} }
	}
	if c, ok := f.(Corrects); ok {
		g.corrected = func(s *model.Scope, in []*Node) []*Node {
			replaced, words := c.Correct(s, in[0], in[1])
			return []*Node{replaced, words}
		}
	}
	if j, ok := f.(Judges); ok {
		g.judged = func(s *model.Scope, in []*Node) []*Node { return []*Node{j.Judge(s, in[0], in[1], in[2])} }
	}
	if a, ok := f.(Assigns); ok {
		g.assigned = func(s *model.Scope, in []*Node) []*Node { return []*Node{a.Assign(s, in[0], in[1], in[2])} }
	}
	if p, ok := f.(Predicts); ok {
		g.next = func(s *model.Scope, in []*Node) []*Node { return []*Node{p.LogLikelihood(s, in[0])} }
	}
	if a, ok := f.(Answers); ok {
		g.questions = func(s *model.Scope, in []*Node) []*Node {
			states, first := a.Question(s, in[0], in[1])
			return []*Node{states, first}
		}
		g.answers = func(s *model.Scope, in []*Node) []*Node { return []*Node{a.Answer(s, in[0], in[1], in[2])} }
	}
	if w, ok := f.(Generates); ok {
		g.begun = func(room int) building {
			return func(s *model.Scope, in []*Node) []*Node {
				var images *Node
				if len(in) > 1 {
					images = in[1]
				}
				logits, memory := w.Begin(s, images, in[0], room)
				return append([]*Node{logits}, memory...)
			}
		}
		g.continued = func(s *model.Scope, in []*Node) []*Node {
			var memory []*Node
			for _, x := range in[3:] {
				memory = append(memory, Gather(x, InsertAxes(in[0], -1)))
			}
			logits, memory := w.Continue(s, in[1], in[2], memory)
			return append([]*Node{logits}, memory...)
		}
	}
	return g
}

// scoring is how a framework scores pairs of a caption by its ids and an image; nil where it scores none.
func scoring(f Framework) func(s *model.Scope, ids, images *Node) *Node {
	if sc, ok := f.(Scores); ok {
		return sc.Score
	}
	m, ok := f.(Matches)
	if !ok {
		return nil
	}
	return func(s *model.Scope, ids, images *Node) *Node {
		logits := m.Match(s, m.EmbedText(s, ids).States, ids, m.EmbedImage(s, images).States)
		of := func(k int) *Node { return Squeeze(Slice(logits, AxisRange(), AxisRange(k, k+1)), -1) }
		return Sub(of(1), of(0))
	}
}

// nodes are what there is of an encoded batch.
func (e Embedded) nodes() []*Node {
	if e.States == nil {
		return []*Node{e.Feature}
	}
	return []*Node{e.Feature, e.States}
}
