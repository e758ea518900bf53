package albef

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/steptest"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// writes is a method that writes besides, two sentences a caption.
func writes(m negative.Method, static bool) negative.Method {
	m.Writing = negative.TAGS{Masks: 2, Refills: 2, Keep: 2, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 1, Static: static}
	return m
}

// draft are two maskings of each of the three pairs' captions; the first one of the second has a random word that is the padding's.
func draft(g *Graph) field.Nodes {
	const no = objective.Ignored
	refills := make([]float32, 3*2*2*5)
	for k := range refills {
		refills[k] = float32(math.Mod(float64(k+1)*0.618, 1))
	}
	return field.Nodes{
		field.Drafts: Const(g, [][][]int32{{{2, 4, 6, 3, 0}, {2, 5, 4, 3, 0}}, {{2, 4, 0, 9, 3}, {2, 7, 4, 4, 3}},
			{{2, 4, 3, 0, 0}, {2, 8, 3, 0, 0}}}),
		field.DraftWords: Const(g, [][][]int32{{{no, 5, no, no, no}, {no, no, 6, no, no}}, {{no, 7, 8, no, no}, {no, no, 8, 9, no}},
			{{no, 10, no, no, no}, {no, 10, no, no, no}}}),
		field.Refills:   Reshape(Const(g, refills), 3, 2, 2, 5),
		field.Annotated: Const(g, [][]int32{{2, 5, 6, 3, 7, 0}, {2, 7, 8, 9, 3, 0}, {2, 10, 3, 0, 0, 0}}),
	}
}

// withFrozen freezes another model beside that of a store.
func withFrozen(t *testing.T, on compute.Backend, store *model.Store) *model.Store {
	t.Helper()
	other := model.NewStore()
	must.Do(t, framework.Initialise(small(), use(small(), negative.Plain()), on, other,
		negative.Start{Pairs: 9, BatchSize: 3, Dim: 6, Epochs: 2, Seed: 4}))
	must.Do(t, framework.Freeze(other, store))
	return store
}

// enlarge makes first weights distinguish words.
func enlarge(t *testing.T, store *model.Store, root string) {
	t.Helper()
	for v := range store.Scope(root).IterVariables() {
		numbers := tensors.MustCopyFlatData[float32](v.MustValue())
		if v.Shape().Rank() < 2 {
			continue
		}
		for k := range numbers {
			numbers[k] *= 8
		}
		must.Do(t, v.SetValue(tensors.FromFlatDataAndDimensions(numbers, v.Shape().Dimensions...)))
	}
}

// whole runs a graph on the three pairs' pixels and captions with drafts; its results are flat.
func whole(t *testing.T, on compute.Backend, store *model.Store, build func(s *model.Scope, in field.Nodes) []*Node) [][]float64 {
	t.Helper()
	return steptest.Run(t, on, store, func(s *model.Scope, in []*Node) []*Node {
		nodes := threeFields(in)
		maps.Copy(nodes, draft(in[0].Graph()))
		return build(s, nodes)
	}, threePairs()...)
}

// ITM is the weighted cross entropy of the method's pairs and of the written sentences, each caption's weighing as much as a pair, as the
// model reports each of them alone; the other losses are those of the method that writes nothing. The sentences are drawn from the
// words of the model, or of the frozen one.
func TestStepWithWriting(t *testing.T) {
	for _, static := range []bool{false, true} {
		plain := negative.GRITVLP(3, 6)
		on, m := enginetest.PureGo(t), writes(plain, static)
		store := withFrozen(t, on, initialised(t, on, plain))
		enlarge(t, store, framework.Model)
		enlarge(t, store, framework.Frozen)
		got := whole(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
			_, l := assess(small(), s, m, in, negative.All)
			w := l.written
			return []*Node{l.losses[negative.ITC], l.losses[negative.ITM], l.losses[negative.MLM], l.pairs.Images, l.pairs.Texts,
				l.pairs.Labels, Reshape(w.Sentences, -1, 5), w.Counts, Reshape(w.Drafts.Sentences, -1, 5),
				w.Drafts.Scores, l.captionScores}
		})
		without := whole(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
			_, l := assess(small(), s, plain, in, negative.All)
			return []*Node{l.losses[negative.ITC], l.losses[negative.ITM], l.losses[negative.MLM]}
		})
		for k, name := range []string{"ITC", "ITM", "MLM"} {
			if same := math.Abs(got[k][0]-without[k][0]) < 1e-5; same != (name != "ITM") {
				t.Errorf("static %t, %s: got %g, without writing %g", static, name, got[k][0], without[k][0])
			}
		}
		// Every written sentence with its own image, and every caption with every image, alone.
		sentences := func(flat []float64) (rows [][]int32) {
			for k := 0; k < len(flat); k += 5 {
				var row []int32
				for _, x := range flat[k : k+5] {
					row = append(row, int32(x))
				}
				rows = append(rows, row)
			}
			return rows
		}
		captions := [][]int32{{2, 5, 6, 3, 0}, {2, 7, 8, 9, 3}, {2, 10, 3, 0, 0}}
		logits := func(ids []int32, image int) []float64 {
			return whole(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
				scope, ids := s.Store().Scope(framework.Model), Const(in[field.Image].Graph(), [][]int32{ids})
				seen := small().EncodeImage(scope, Slice(in[field.Image], AxisRange(image, image+1)))
				return []*Node{Reshape(small().Match(scope, small().EmbedText(scope, ids).States, ids, seen.Tokens), 2)}
			})[0]
		}
		entropy := func(of []float64, label int) float64 { return math.Log(1 + math.Exp(of[1-label]-of[label])) }
		var sum, weight float64
		for k, label := range got[5] {
			sum += entropy(logits(captions[int(got[4][k])], int(got[3][k])), int(label))
			weight++
		}
		kept := sentences(got[6])
		for j, ids := range kept {
			sum += got[7][j] / 2 * entropy(logits(ids, j/2), 0)
			weight += got[7][j] / 2
		}
		if want := sum / weight; weight < 10 || math.Abs(got[1][0]-want) > 1e-4 {
			t.Errorf("static %t: got an ITM of %g, want %g; all weigh %g", static, got[1][0], want, weight)
		}
		for k, ids := range captions {
			if of := logits(ids, k); math.Abs(of[1]-of[0]-got[10][k]) > 1e-4 {
				t.Errorf("the score of caption %d: got %g, want %g", k, got[10][k], of[1]-of[0])
			}
		}
		for j, ids := range sentences(got[8]) {
			if of := logits(ids, j/4); math.Abs(of[1]-of[0]-got[9][j]) > 1e-4 {
				t.Errorf("the score of sentence %d: got %g, want %g", j, got[9][j], of[1]-of[0])
			}
		}
		// What is written is what the masked words of the writer are refilled with.
		root := map[bool]string{true: framework.Frozen, false: framework.Model}[static]
		want := whole(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
			scope, f := s.Store().Scope(root), in
			rows := func(x *Node) *Node {
				return Reshape(BroadcastToDims(InsertAxes(x, 1), append([]int{3, 2}, x.Shape().Dimensions[1:]...)...),
					append([]int{6}, x.Shape().Dimensions[1:]...)...)
			}
			masked := Reshape(f.Of(field.Drafts), 6, 5)
			words := objective.RefillProbabilities(small().Fill(scope, masked, rows(in[field.Captions]), rows(in[field.Image])), 1.5)
			return []*Node{Reshape(objective.Refilled(masked, Reshape(f.Of(field.DraftWords), 6, 5),
				objective.DrawWords(words, Reshape(f.Of(field.Refills), 6, 2, 5))), -1)}
		})[0]
		if !slices.Equal(got[8], want) {
			t.Errorf("static %t: got the sentences %v, want %v", static, got[8], want)
		}
	}
}

// By the same weights a mini-batch has the same losses at its second assessment, on the sentences that were written for the first.
func TestReassessWritten(t *testing.T) {
	on, m := enginetest.PureGo(t), writes(negative.GRITVLP(3, 6), false)
	store := initialised(t, on, m)
	enlarge(t, store, framework.Model)
	got := whole(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
		b, l := assess(small(), s, m, in, negative.All)
		out := []*Node{l.losses[negative.ITC], l.losses[negative.ITM], l.losses[negative.MLM]}
		for _, which := range subsets {
			out = append(out, b.reassess(which, b.encode(which), l))
		}
		for v := range s.Store().Scope(framework.Model).IterVariables() {
			v.SetNodeValue(MulScalar(v.NodeValue(in[field.Image].Graph()), 1.2))
		}
		return append(out, b.reassess(negative.Of(negative.ITM), b.encode(negative.Of(negative.ITM)), l))
	})
	var losses []float64
	for _, x := range got[:3] {
		losses = append(losses, x[0])
	}
	for k, which := range subsets {
		if want := sumOf(which, losses); math.Abs(got[3+k][0]-want) > 1e-5*want {
			t.Errorf("%s: got %g, want %g", which, got[3+k][0], want)
		}
	}
	if moved := got[3+len(subsets)][0]; math.Abs(moved-losses[1]) < 1e-3 {
		t.Errorf("got an ITM of %g after an update as before", moved)
	}
}
