package uniter

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/steptest"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

func TestCheck(t *testing.T) {
	first := small()
	first.Pretraining, first.Margin = true, 0
	for _, m := range []Model{small(), first} {
		for _, method := range []negative.Method{negative.Plain(), writing(), {Matching: negative.Sampled{}}} {
			if err := framework.Check(m, use(method.WithDefaults())); err != nil {
				t.Errorf("%s: %v", method.Name, err)
			}
		}
	}
	for says, spoil := range map[string]func(*Model, *framework.Use){
		"vocabulary is empty":              func(m *Model, _ *framework.Use) { m.Text.Vocab = 0 },
		"heads that divide the width":      func(m *Model, _ *framework.Use) { m.Text.Heads = 5 },
		"0 layers":                         func(m *Model, _ *framework.Use) { m.Text.Layers = 0 },
		"1 fusion layers":                  func(m *Model, _ *framework.Use) { m.Text.Fusion = 1 },
		"a dropout of 1":                   func(m *Model, _ *framework.Use) { m.Text.Dropout = 1 },
		"a dropout of NaN":                 func(m *Model, _ *framework.Use) { m.Text.Dropout = math.NaN() },
		"0 regions of 5 features":          func(m *Model, _ *framework.Use) { m.Regions.Count = 0 },
		"3 regions of 0 features":          func(m *Model, _ *framework.Use) { m.Regions.Features = 0 },
		"a margin of 0":                    func(m *Model, _ *framework.Use) { m.Margin = 0 },
		"a margin of NaN":                  func(m *Model, _ *framework.Use) { m.Margin = math.NaN() },
		"captions of 10 tokens":            func(_ *Model, u *framework.Use) { u.Tokens = 10 },
		"captions of 2 tokens":             func(_ *Model, u *framework.Use) { u.Tokens = 2 },
		"needs the loss ITC, which UNITER": func(_ *Model, u *framework.Use) { u.Objectives = negative.Of(negative.ITC) },
		"needs the loss WoD, which UNITER": func(m *Model, u *framework.Use) {
			m.Pretraining, u.Objectives = true,
				negative.Of(negative.WoD)
		},
	} {
		m, u := small(), use(writing())
		spoil(&m, &u)
		must.Fail(t, framework.Check(m, u), says)
	}
}

// Methods that need an embedding, a contrast or Con-D are other frameworks'.
func TestLacking(t *testing.T) {
	grouped := writing()
	grouped.Batches = negative.Grouped{SearchSpace: 8, Queue: 8}
	leaving := writing()
	leaving.LeftOut = negative.Exact{}
	judged := writing()
	judged.Matching, judged.Positives = negative.Hardest{}, negative.ECM{JudgedBy: negative.Oracle, Use: negative.Of(negative.MLM)}
	for says, method := range map[string]negative.Method{
		"a contrastive loss": negative.DiHT(), "embeddings": grouped, "needs a contrastive": leaving, "image-text matching": judged,
		"FALCON needs a contrastive loss": negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8}),
		"MAFA needs a contrastive loss":   negative.MAFA(8, 16), "SRCL needs": negative.SRCL(3), "GRIT-VLP needs": negative.GRITVLP(8, 16),
		"that picks one negative an anchor": {Matching: nothing{}},
	} {
		err := framework.Check(small(), use(method.WithDefaults()))
		if lacking := new(framework.Lacking); !errors.As(err, &lacking) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want a framework.Lacking that says %q", method.Name, err, says)
		}
	}
}

// nothing is a matching that picks no negative.
type nothing struct{}

func (nothing) Pairs(c negative.Contrasted, _ *Node) negative.Pairs { return negative.Pairs{} }

// Pre-training matches the own pairs, and each image with the next caption, and learns the masked words beside the own image.
func TestPretraining(t *testing.T) {
	m := small()
	m.Pretraining = true
	on, b, u := enginetest.PureGo(t), newMini(6, 3), use(negative.Plain())
	store := initialised(t, on, m, u, 3)
	got := step(t, on, store, m, u, b)
	logits := func(read, padded [][]int32, images [][]float32) [][]float64 {
		ids := func(rows [][]int32) *tensors.Tensor {
			return tensors.FromFlatDataAndDimensions(slices.Concat(rows...), len(rows), 6)
		}
		return steptest.Run(t, on, store, func(s *model.Scope, in []*Node) []*Node {
			s.Store().SetTraining(in[0].Graph(), false)
			scope := s.Store().Scope(framework.Model)
			states := m.Encode(scope, in[0], in[1], in[2], nil)
			return []*Node{m.MatchLogits(scope, states), m.MaskedWords(scope, states)}
		}, ids(read), ids(padded), framework.Rows(slices.Concat(images...), m.Regions.Input()...))
	}
	var itm, mlm []float64
	for k, caption := range b.captions {
		one := func(x []int32) [][]int32 { return [][]int32{x} }
		image, next := [][]float32{b.images[k]}, b.captions[(k+1)%3]
		itm = append(itm, minusLog(logits(one(caption), one(caption), image)[0], 1), minusLog(logits(one(next), one(next), image)[0], 0))
		words := logits(one(b.masked[k]), one(caption), image)[1]
		for at, label := range b.maskedWords[k] {
			if label != objective.Ignored {
				mlm = append(mlm, minusLog(words[at*12:(at+1)*12], int(label)))
			}
		}
	}
	agree(t, steptest.Step{Losses: got.Losses, Total: got.Total, Outputs: got.Outputs},
		steptest.Step{Losses: map[negative.Loss]float64{negative.ITM: mean(itm), negative.MLM: mean(mlm)}, Total: mean(itm) + mean(mlm)})
	for _, path := range []string{"/itm/weights", "/text/mlm/dense/weights", "/regions/geometry/in/weights"} {
		if !(got.Gradients[path] > 0) {
			t.Errorf("no gradient of %s", path)
		}
	}
}

// A method that picks one negative of the mini-batch gives each image the caption, and each caption the image, that it picks by the scores.
func TestPickedNegatives(t *testing.T) {
	for _, c := range []struct {
		matching       negative.Matching
		texts, picture []int // none: the hardest
	}{{matching: negative.Hardest{}}, {negative.Sampled{}, []int{1, 2, 1}, []int{2, 0, 0}}} {
		on, b, u := enginetest.PureGo(t), newMini(6, 3), use(negative.Method{Matching: c.matching}.WithDefaults())
		store := initialised(t, on, small(), u, 3)
		var scores [3][3]float64
		for i := range scores {
			for j := range scores {
				scores[i][j] = alone(t, on, store, framework.Model, small(), b.captions[j], b.captions[j], b.images[i]).score
			}
		}
		want := 0.0
		for k := range 3 {
			var row, column []float64
			for other := range 3 {
				row, column = append(row, scores[k][other]), append(column, scores[other][k])
			}
			others := []bool{k != 0, k != 1, k != 2}
			text, picture := hardest(row, others, 1)[0], hardest(column, others, 1)[0]
			if c.texts != nil {
				text, picture = c.texts[k], c.picture[k]
			}
			for _, x := range []float64{row[text], column[picture]} {
				want += max(0, 0.2+sigmoid(x)-sigmoid(scores[k][k])) / 3
			}
		}
		if got := step(t, on, store, small(), u, b); math.Abs(got.Losses[negative.ITM]-want) > 1e-4 {
			t.Errorf("%T: got %g, want %g", c.matching, got.Losses[negative.ITM], want)
		}
	}
}

// Inference reports many pairs what it reports of each alone.
func TestInference(t *testing.T) {
	on, b := enginetest.PureGo(t), newMini(6, 3)
	dropping, first := small(), small()
	dropping.Text.Dropout, first.Pretraining = 0.3, true
	store := initialised(t, on, dropping, use(writing()), 3)
	n := must.Get(framework.NewInference(dropping, use(writing()), on, store))(t)
	defer n.Close()
	var ids, padded []int32
	var images []float32
	for k := range b.drafts {
		ids, padded = append(ids, b.drafts[k]...), append(padded, b.captions[k/2]...)
		images = append(images, b.images[k/2]...)
	}
	words := must.Get(n.Fill(ids, padded, images))(t)
	scores := must.Get(n.Score(slices.Clone(padded), slices.Clone(images)))(t)
	replaced, original := must.Get2(n.Correct(slices.Clone(padded), slices.Clone(images)))(t)
	near := func(what string, got float32, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	for k := range b.drafts {
		masked := alone(t, on, store, framework.Model, small(), b.drafts[k], b.captions[k/2], b.images[k/2])
		own := alone(t, on, store, framework.Model, small(), b.captions[k/2], b.captions[k/2], b.images[k/2])
		near("score", scores[k], own.score)
		for at := range 6 {
			for w, want := range masked.words[at] {
				near("masked word", words[(k*6+at)*12+w], want)
			}
			near("replaced", replaced[k*6+at], math.Exp(-minusLog(own.wod[at], 0)))
			if got := own.woc[at][original[k*6+at]]; got < slices.Max(own.woc[at]) {
				t.Errorf("the word %d is reported, whose logit %g is not the largest of %v", original[k*6+at], got, own.woc[at])
			}
		}
	}
	// In pre-training the score is that of the two-way head.
	before := initialised(t, on, first, use(negative.Plain()), 3)
	got := steptest.Run(t, on, before, func(s *model.Scope, in []*Node) []*Node {
		scope := s.Store().Scope(framework.Model)
		return []*Node{first.Score(scope, in[0], in[1]), first.MatchLogits(scope, first.Encode(scope, in[0], in[0], in[1], nil))}
	}, tensors.FromFlatDataAndDimensions(slices.Concat(b.captions...), 3, 6),
		framework.Rows(slices.Concat(b.images...), first.Regions.Input()...))
	for k, score := range got[0] {
		near("score in pre-training", float32(score), got[1][2*k+1]-got[1][2*k])
	}
}

// Of a pre-training the fine-tuning takes the row of "matched" for its score, both rows for word discrimination, and the head for masked
// words for word correction; and all of it where it goes on from a fine-tuning.
func TestFollow(t *testing.T) {
	first := small()
	first.Pretraining = true
	on := enginetest.PureGo(t)
	store := initialised(t, on, first, use(negative.Plain()), 3)
	earlier := weights.Values{}
	for v := range store.Scope(framework.Model).IterVariables() {
		earlier[v.Path()] = v.MustValue()
	}
	made := must.Get(small().Follow(earlier))(t)
	numbers := func(of weights.Values, path string) []float32 {
		t.Helper()
		if of[framework.Model+path] == nil {
			t.Fatalf("nothing for %s", path)
		}
		return tensors.MustCopyFlatData[float32](of[framework.Model+path])
	}
	for _, name := range []string{encoder.Weights, encoder.Bias} {
		both := numbers(earlier, "/itm/"+name)
		for k, x := range numbers(made, "/rank/"+name) {
			if x != both[2*k+1] {
				t.Errorf("rank, %s, %d: got %g, want %g", name, k, x, both[2*k+1])
			}
		}
		if !slices.Equal(numbers(made, "/wod/"+name), both) {
			t.Errorf("word discrimination has other %s", name)
		}
	}
	for path := range earlier {
		if part, is := strings.CutPrefix(path, framework.Model+"/text/mlm"); is &&
			!slices.Equal(numbers(made, "/text/corrected"+part), numbers(earlier, "/text/mlm"+part)) {
			t.Errorf("word correction has another %s", part)
		}
	}
	// With what the pre-training has, that is all of a fine-tuning, in its shapes; and the score is what it was, but for the part of "not
	// matched".
	tuned := initialised(t, on, small(), use(writing()), 4)
	for v := range tuned.Scope(framework.Model).IterVariables() {
		value := made[v.Path()]
		if value == nil {
			value = earlier[v.Path()]
		}
		if value == nil || !value.Shape().Equal(v.Shape()) {
			t.Errorf("%s starts from %v, want %s", v.Path(), value, v.Shape())
		}
	}
	if len(made) != 9 {
		t.Errorf("got %d variables, want those of three heads", len(made))
	}
	later := weights.Values{}
	for v := range tuned.Scope(framework.Model).IterVariables() {
		later[v.Path()] = v.MustValue()
	}
	if made, err := small().Follow(later); err != nil || len(made) > 0 {
		t.Errorf("after a fine-tuning: got %d variables (%v), want none", len(made), err)
	}
}

// The fields are those that the step finds by name, and nothing else is made.
func TestInputs(t *testing.T) {
	first := small()
	first.Pretraining = true
	retrieving := negative.Method{Matching: negative.Retrieved{Pool: 4, Keep: 2}}.WithDefaults()
	for _, c := range []struct {
		m      Model
		method negative.Method
		want   []field.Name
	}{
		{first, negative.Plain(), []field.Name{field.Captions, field.Masked, field.Words, field.Image}},
		{small(), negative.Plain(), []field.Name{field.Captions, field.Image, field.Noise}},
		{small(), retrieving, []field.Name{field.Captions, field.Image, field.Items, field.PoolCaptions, field.PoolItems,
			field.PoolImages}},
		{small(), writing(), []field.Name{field.Captions, field.Annotated, field.Drafts, field.Refills, field.DraftWords, field.Image,
			field.Items,
			field.PoolCaptions, field.PoolItems, field.PoolImages}},
	} {
		if got := field.Names(c.m.Inputs(use(c.method))); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.method.Name, got, c.want)
		}
	}
}
