package blip2

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/objective"
)

// spoken builds a graph of a language model whose variables are drawn, and returns how to run it.
func spoken(t *testing.T, build func(s *model.Scope, in []*Node) []*Node) func(in ...any) [][]float32 {
	t.Helper()
	backend, store := enginetest.PureGo(t), model.NewStore()
	exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), false)
		return build(s.Store().RootScope(), in)
	}))(t)
	t.Cleanup(exec.Finalize)
	drawn := false
	var run func(in ...any) [][]float32
	run = func(in ...any) [][]float32 {
		t.Helper()
		out := must.Get(exec.Call(in...))(t)
		if !drawn { // the variables are there now
			must.Do(t, encoder.Initialise(store, "/", 3))
			drawn = true
			return run(in...)
		}
		var flat [][]float32
		for _, x := range out {
			flat = append(flat, tensors.MustCopyFlatData[float32](x))
		}
		return flat
	}
	return run
}

var tiny = speech{OPT: encoder.OPT{Vocab: 11, Positions: 14, Width: 8, Layers: 2, Heads: 2, MLP: 12}}

// queriesOf are drawn for so many rows.
func queriesOf(rows int) *tensors.Tensor {
	r := rand.New(rand.NewPCG(4, 4))
	x := make([]float32, rows*3*5)
	for k := range x {
		x[k] = float32(r.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(x, rows, 3, 5)
}

// An answer behind a question that is padded is as likely as the end of a text that has both without padding, whatever other answers there
// are.
func TestAnswersFollowQuestions(t *testing.T) {
	questions := [][]int32{{2, 5, 6, 9, 3}, {2, 7, 3, 0, 0}}
	answers := [][][]int32{{{2, 4, 8, 3}, {2, 10, 3, 0}}, {{2, 3, 0, 0}, {2, 4, 0, 3}}}
	got := spoken(t, func(s *model.Scope, in []*Node) []*Node { return []*Node{tiny.answer(s, in[0], in[1], in[2])} })(queriesOf(2),
		questions, answers)[0]
	var ids [][]int32
	for r, question := range questions {
		question = question[:slices.Index(question, 3)+1]
		for _, answer := range answers[r] {
			text := slices.Concat(question, answer[1:slices.Index(answer, 3)+1])
			ids = append(ids, append(text, make([]int32, 8-len(text))...))
		}
	}
	nats := spoken(t, func(s *model.Scope, in []*Node) []*Node { return []*Node{tiny.describe(s, each(in[0], 2), in[1], 1)} })(queriesOf(2),
		ids)[0]
	for row := range ids {
		var want float64
		for place := slices.Index(questions[row/2], 3) + 1; place < 8; place++ {
			want -= float64(nats[row*8+place])
		}
		if math.Abs(float64(got[row])-want) > 1e-5 {
			t.Errorf("answer %d: got %g nats, want %g", row, got[row], want)
		}
	}
}

// What is written behind queries and prompts of different lengths is what the whole of queries and text predicts.
func TestWritesBehindQueries(t *testing.T) {
	prompts := [][]int32{{2, 5, 6}, {2, 0, 0}}
	words := [][]int32{{4, 9}, {7, 1}}
	got := spoken(t, func(s *model.Scope, in []*Node) []*Node {
		logits, memory := tiny.begin(s, in[0], in[1], 2)
		all := []*Node{logits}
		for step := range 2 {
			word := Squeeze(Slice(in[2], AxisRange(), AxisRange(step, step+1)), 1)
			language := s.Store().RootScope() // a scope is entered once
			logits, memory = tiny.goOn(language, word, Const(in[0].Graph(), int32(step)), memory)
			all = append(all, logits)
		}
		for k := range all {
			all[k] = LogSoftmax(all[k], -1)
		}
		return all
	})(queriesOf(2), prompts, words)
	nats := func(ids [][]int32) []float32 {
		return spoken(t, func(s *model.Scope, in []*Node) []*Node { return []*Node{tiny.describe(s, in[0], in[1], 1)} })(queriesOf(2),
			ids)[0]
	}
	for row, length := range []int{3, 1} {
		text := slices.Concat(prompts[row][:length], words[row])
		for step := range 3 {
			for token := range int32(11) {
				if token == 0 {
					continue // at the end of a text it is padding
				}
				ids := [][]int32{make([]int32, 6), make([]int32, 6)}
				copy(ids[row], append(slices.Clone(text[:length+step]), token))
				want := nats(ids)[row*6+length+step]
				if at := row*11 + int(token); math.Abs(float64(got[step][at]-want)) > 1e-5 {
					t.Errorf("row %d, step %d, token %d: got %g, want %g", row, step, token, got[step][at], want)
				}
			}
		}
	}
}

// The language model has no gradient of its own, and gives the queries one.
func TestLanguageModelIsFrozen(t *testing.T) {
	ids := [][]int32{{2, 5, 6, 3}, {2, 7, 3, 0}}
	var trained []string
	out := spoken(t, func(s *model.Scope, in []*Node) []*Node {
		loss := objective.LM(in[1], tiny.describe(s, in[0], in[1], 1))
		trained = nil
		for v := range s.Store().IterVariables() {
			if v.Trainable {
				trained = append(trained, v.Path())
			}
		}
		return []*Node{ReduceAllSum(Abs(Gradient(loss, in[0])[0]))}
	})(queriesOf(2), ids)
	slices.Sort(trained)
	if want := []string{"/language_projection/bias", "/language_projection/weights"}; !slices.Equal(trained, want) {
		t.Errorf("got %v trained, want %v", trained, want)
	}
	if !(out[0][0] > 0) {
		t.Errorf("got a gradient of %g by the queries", out[0][0])
	}
}
