package negative

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"pgregory.net/rapid"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/objective"
)

// Which sentences are the caption, come again, or have no word that the image's captions have not: against loops, with so few words that
// all of it happens often.
func TestFiltersAgainstLoops(t *testing.T) {
	const batch, n, tokens, known, masks, most = 2, 6, 3, 4, 2, 3
	run := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		captions, sentences := in[0], in[1]
		whole := func(is *Node) *Node { return Reshape(ConvertDType(is, dtypes.Float32), -1) }
		out := []*Node{whole(repeatsCaption(captions, sentences)), whole(comesAgain(sentences)),
			whole(AllAnnotated(captions, in[2], sentences)),
			whole(Penalties(captions, sentences, dtypes.Float32))}
		fields := field.Nodes{field.Annotated: in[2], field.TrueFillings: in[3]}
		for _, f := range filters {
			out = append(out, whole(f.passes(Writer{Captions: captions, Fields: fields}, sentences, dtypes.Float32)))
		}
		return out
	})
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.Int32Range(1, 3)
		captions := rapid.SliceOfN(word, batch*tokens, batch*tokens).Draw(rt, "captions")
		sentences := rapid.SliceOfN(word, batch*n*tokens, batch*n*tokens).Draw(rt, "sentences")
		annotated := rapid.SliceOfN(rapid.Int32Range(0, 3), batch*known, batch*known).Draw(rt, "annotated")
		fillings := rapid.SliceOfN(rapid.Int32Range(0, 3), batch*masks*most*tokens, batch*masks*most*tokens).Draw(rt, "true")
		told := rapid.SliceOfN(rapid.Bool(), batch*masks, batch*masks).Draw(rt, "told")
		for draft, is := range told {
			if of := fillings[draft*most*tokens : (draft+1)*most*tokens]; !is {
				copy(of, slices.Repeat([]int32{-1}, len(of)))
			}
		}
		got := run(tensors.FromFlatDataAndDimensions(captions, batch, tokens),
			tensors.FromFlatDataAndDimensions(sentences, batch, n, tokens),
			tensors.FromFlatDataAndDimensions(annotated, batch, known),
			tensors.FromFlatDataAndDimensions(fillings, batch, masks, most, tokens))
		number := map[bool]float64{true: 1}
		for at := range batch * n {
			of := func(j int) []int32 { return sentences[j*tokens : (j+1)*tokens] }
			k := at / n
			caption := captions[k*tokens : (k+1)*tokens]
			own, later, all, is := slices.Equal(of(at), caption), false, true, false
			draft := at / (n / masks)
			for j := range most {
				from := (draft*most + j) * tokens
				is = is || slices.Equal(of(at), fillings[from:from+tokens])
			}
			for j := at + 1; j < (k+1)*n; j++ {
				later = later || slices.Equal(of(at), of(j))
			}
			for i, id := range of(at) {
				all = all && (id == caption[i] || slices.Contains(annotated[k*known:(k+1)*known], id))
			}
			want := []float64{number[own], number[later], number[all], 3*number[own] + 2*number[later],
				number[!all && !later], 1, number[!own && !later], number[!own && !later && !is && told[draft]],
				number[!own && !later && is]}
			for i, name := range []string{"the caption", "comes again", "annotated", "penalties", "passes", "passes, penalised",
				"passes, different", "passes, exact", "passes, only true"} {
				if got[i][at] != want[i] {
					rt.Fatalf("sentence %v of %v, %s: got %g, want %g", of(at), caption, name, got[i][at], want[i])
				}
			}
		}
	})
}

// drafted are two captions, masked twice each, with three refills; words are 1 to 5, 4 masks.
type drafted struct {
	captions, drafts, words, annotated []int32
	refills, logits                    []float32
}

const (
	testPairs, testMasks, testRefills, testTokens, testVocab = 2, 2, 3, 4, 6
	testWritten                                              = testMasks * testRefills
)

func newDrafted() drafted {
	const no = objective.Ignored
	d := drafted{
		captions:  []int32{2, 1, 3, 5, 2, 5, 3, 0},
		drafts:    []int32{2, 4, 3, 5, 2, 1, 4, 4, 2, 4, 3, 0, 2, 1, 3, 0},
		words:     []int32{no, 1, no, no, no, no, 3, 5, no, 5, no, no, no, 5, no, no},
		annotated: []int32{2, 1, 3, 5, 0, 2, 5, 3, 1, 0},
	}
	r := rand.New(rand.NewPCG(11, 12))
	for range testPairs * testWritten * testTokens {
		d.refills = append(d.refills, r.Float32())
	}
	for range testPairs * testMasks * testTokens * testVocab {
		d.logits = append(d.logits, float32(3*r.NormFloat64()))
	}
	return d
}

// tensors are its fields, as write reads them.
func (d drafted) tensors() []any {
	of := func(x []int32, dims ...int) any { return tensors.FromFlatDataAndDimensions(x, dims...) }
	return []any{
		of(d.captions, testPairs, testTokens), of(d.drafts, testPairs, testMasks, testTokens),
		of(d.words, testPairs, testMasks, testTokens),
		of(d.annotated, testPairs, 5), tensors.FromFlatDataAndDimensions(d.refills, testPairs, testMasks, testRefills, testTokens),
		tensors.FromFlatDataAndDimensions(d.logits, testPairs*testMasks, testTokens, testVocab),
	}
}

// slow is what the method writes, one word after the other: each caption's sentences, with the logits that score gives them, whether they
// pass, and the places of those that are kept.
func (d drafted) slow(t TAGS, score func(ids []int32) float64) (sentences [][]int32, labels [][]int32, scores []float64, passed []bool,
	kept []int) {
	for k := range testPairs {
		caption := d.captions[k*testTokens : (k+1)*testTokens]
		for j := range testWritten {
			draft := k*testMasks + j/testRefills
			sentence := slices.Clone(d.drafts[draft*testTokens : (draft+1)*testTokens])
			of := d.words[draft*testTokens : (draft+1)*testTokens]
			for at, label := range of {
				if label == objective.Ignored {
					continue
				}
				var row []float64
				for _, x := range d.logits[(draft*testTokens+at)*testVocab : (draft*testTokens+at+1)*testVocab] {
					row = append(row, float64(x)/t.Temperature)
				}
				sum := 0.0
				for word, p := range slowSoftmax(row) {
					if sum += p; sum > float64(d.refills[(k*testWritten+j)*testTokens+at]) {
						sentence[at] = int32(word)
						break
					}
				}
			}
			sentences, labels, scores = append(sentences, sentence), append(labels, of), append(scores, score(sentence))
		}
		ranks := make([]float64, testWritten)
		for j := range testWritten {
			at := k*testWritten + j
			own, later, all := slices.Equal(sentences[at], caption), false, true
			for _, other := range sentences[at+1:] {
				later = later || slices.Equal(sentences[at], other)
			}
			for i, id := range sentences[at] {
				all = all && (id == caption[i] || slices.Contains(d.annotated[k*5:(k+1)*5], id))
			}
			passes := map[Filter]bool{Annotated: !later && !all, Different: !later && !own, Penalised: true}[t.Filter]
			passed, ranks[j] = append(passed, passes), scores[at]
			switch {
			case t.Filter == Penalised:
				ranks[j] -= 3*map[bool]float64{true: 1}[own] + 2*map[bool]float64{true: 1}[later]
			case !passes:
				ranks[j] = -1e9
			}
		}
		kept = append(kept, slowTop(ranks, t.Keep)...)
	}
	return sentences, labels, scores, passed, kept
}

// Sentences are written, judged, ranked and kept as one after the other would be, by every filter, also where fewer pass than are to be
// kept, by the model that learns or a frozen one. The loss is that of the model's own masked words.
func TestWriteAgainstLoop(t *testing.T) {
	d := newDrafted()
	scored := func(ids []int32) (sum float64) { // whole numbers, and equal ones among them
		for at, id := range ids {
			sum += float64((at + 1) * int(id) % 5)
		}
		return sum
	}
	left := map[Filter]int{}
	for _, m := range []TAGS{
		{Keep: 4}, {Keep: testWritten, Filter: Annotated}, {Keep: 2, Filter: Penalised}, {Keep: 3, Filter: Different},
		{Keep: 4, Static: true},
	} {
		m.Masks, m.Refills, m.Temperature, m.Rate = testMasks, testRefills, 1.5, 0.15
		run := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
			fields := field.Nodes{field.Drafts: in[1], field.DraftWords: in[2], field.Annotated: in[3], field.Refills: in[4]}
			fill := func(ids *Node) *Node {
				ids.AssertDims(testPairs*testMasks, testTokens)
				return in[5]
			}
			w := m.Write(Writer{
				Captions: in[0], Fields: fields, Fill: fill,
				FillFrozen: func(ids *Node) *Node { return Neg(fill(ids)) },
				Score: func(ids *Node) *Node {
					weighed := Mul(ids, AddScalar(Iota(ids.Graph(), ids.Shape(), 1), 1))
					return ReduceSum(ConvertDType(ModScalar(weighed, 5), dtypes.Float32), -1)
				},
			})
			flat := []*Node{w.MLM, objective.MLM(in[5], Reshape(in[2], testPairs*testMasks, testTokens))}
			for _, x := range []*Node{w.Drafts.Sentences, w.Drafts.Scores, w.Drafts.Passed, w.Drafts.Kept, w.Sentences,
				w.Labels, w.Counts} {
				flat = append(flat, Reshape(ConvertDType(x, dtypes.Float32), -1))
			}
			return flat
		})
		of := d
		if m.Static {
			of.logits = slices.Clone(d.logits)
			for k := range of.logits {
				of.logits[k] = -of.logits[k]
			}
		}
		got := run(d.tensors()...)
		sentences, labels, scores, passed, kept := of.slow(m, scored)
		var want [9][]float64
		want[0] = got[1]
		number := map[bool]float64{true: 1}
		for j, sentence := range sentences {
			want[2] = append(want[2], wide(sentence)...)
			want[3], want[4] = append(want[3], scores[j]), append(want[4], number[passed[j]])
			if passed[j] {
				left[m.Filter]++
			}
		}
		for k, j := range kept {
			at := k/m.Keep*testWritten + j
			want[5], want[6], want[7] = append(want[5], float64(j)), append(want[6], wide(sentences[at])...),
				append(want[7], wide(labels[at])...)
			want[8] = append(want[8], number[passed[at]])
		}
		for i, name := range []string{"loss", "", "sentences", "scores", "passed", "kept", "those to train against", "their labels",
			"their counts"} {
			if name != "" && !slices.Equal(got[i], want[i]) {
				t.Errorf("%+v: %s: got %v, want %v", m, name, got[i], want[i])
			}
		}
	}
	if !(left[Annotated] > 0 && left[Annotated] < left[Different]) {
		t.Errorf("the filters leave %v sentences; the cases report nothing", left)
	}
}

func wide(ids []int32) (numbers []float64) {
	for _, id := range ids {
		numbers = append(numbers, float64(id))
	}
	return numbers
}

// Without sentences to keep the words are learned, and nothing else is read or reported.
func TestWritingNothing(t *testing.T) {
	m := TAGS{Masks: testMasks, Rate: 0.15, MLM: 0.1}
	if got := m.Reads(); !slices.Equal(got, []field.Name{field.Drafts, field.DraftWords}) {
		t.Errorf("it reads %v", got)
	}
	compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		w := m.Write(Writer{Captions: in[0], Fields: field.Nodes{field.Drafts: in[1], field.DraftWords: in[2]},
			Fill: func(*Node) *Node { return in[5] }})
		outputs := field.Nodes{}
		w.Report(outputs)
		if w.Sentences != nil || w.Labels != nil || w.Counts != nil || w.Drafts != nil || len(outputs) > 0 {
			t.Errorf("got %+v, and %v is reported", w, outputs)
		}
		return []*Node{w.MLM}
	})(newDrafted().tensors()...)
}

// Behind ITM's pairs the sentences are negatives; those of a caption that count weigh together as a pair at most.
func TestJoinByHand(t *testing.T) {
	run := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		w := Written{Counts: in[1]}
		labels, weights := w.Join(Pairs{Labels: in[0]})
		same, weighed := w.Join(Pairs{Labels: in[0], Weights: in[2]})
		return []*Node{labels, weights, same, weighed}
	})
	got := run([]int32{1, 1, 0}, [][]float32{{1, 1, 0, 1}, {0, 0, 0, 1}}, []float32{1, .5, 2})
	zeros := []float64{0, 0, 0, 0, 0, 0, 0, 0}
	spread := []float64{.25, .25, 0, .25, 0, 0, 0, .25}
	for i, want := range [][]float64{
		slices.Concat([]float64{1, 1, 0}, zeros), slices.Concat([]float64{1, 1, 1}, spread),
		slices.Concat([]float64{1, 1, 0}, zeros), slices.Concat([]float64{1, .5, 2}, spread),
	} {
		close64(t, fmt.Sprint("result ", i), got[i], want)
	}
}

// published are the settings of the paper.
func published() TAGS {
	return TAGS{Masks: 20, Refills: 20, Keep: 31, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 1e-3, WoD: 1e-3, WoC: 1e-3}
}

func TestTAGSSettings(t *testing.T) {
	for _, c := range []struct {
		change func(*TAGS)
		want   string
	}{
		{func(*TAGS) {}, ""},
		{func(m *TAGS) { m.Keep, m.Refills, m.Temperature = 0, 0, 0 }, ""}, // masked words alone
		{func(m *TAGS) { m.Keep = 400 }, ""},
		{func(m *TAGS) { m.MLM, m.ISTM, m.WoD, m.WoC = 0, 0, 0, 0 }, ""},
		{func(m *TAGS) { m.Filter, m.Rate = Penalised, 1 }, ""},
		{func(m *TAGS) { m.Masks = 0 }, "31 of 0 x 20"},
		{func(m *TAGS) { m.Masks, m.Keep = 0, 0 }, "mask at least once"},
		{func(m *TAGS) { m.Refills = 0 }, "31 of 20 x 0"},
		{func(m *TAGS) { m.Keep = -1 }, "keeps -1"},
		{func(m *TAGS) { m.Keep = 401 }, "keep no more than are written"},
		{func(m *TAGS) { m.Temperature = 0 }, "a temperature of 0"},
		{func(m *TAGS) { m.Rate = 0 }, "a rate of 0"},
		{func(m *TAGS) { m.Rate = 1.01 }, "a rate of 1.01"},
		{func(m *TAGS) { m.Filter = "none" }, `no filter "none"`},
		{func(m *TAGS) { m.WoC = -1 }, "none is below 0"},
	} {
		m := published()
		c.change(&m)
		err := Method{Writing: m}.WithDefaults().Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", m, err, c.want)
		}
	}
}

// A method has one frozen model.
func TestOneReference(t *testing.T) {
	static := published()
	static.Static = true
	for _, c := range []struct {
		m    Method
		want bool
	}{
		{Method{Writing: static}, true}, {SRCL(3), false}, {MAFA(8, 16), false}, {OracleMAFA(8, 16), true},
	} {
		c.m.Writing = static
		err := c.m.WithDefaults().Validate()
		if (err == nil) != c.want || err != nil && !strings.Contains(err.Error(), "a method has one, so let the model itself write") {
			t.Errorf("%s: got %v", c.m.Name, err)
		}
		if c.want && !c.m.NeedsReference() {
			t.Errorf("%s needs no reference", c.m.Name)
		}
	}
	if (Method{Writing: published()}).NeedsReference() {
		t.Error("a model that writes by itself needs a reference")
	}
}

// The settings are part of the identity, those at their defaults are not, and a method that writes nothing has what it had.
func TestWritingIdentity(t *testing.T) {
	m := Method{Name: "TAGS-DC", Matching: Retrieved{Pool: 399, Keep: 31}, Writing: published()}.WithDefaults()
	got, err := json.Marshal(m)
	const want = `{"Batches":{"negative.Uniform":{}},"Contrast":{"negative.InfoNCE":{}},"Masking":0.5,"Matching":{"negative.Retrieved":{"Pool":399,"Keep":31}},` +
		`"Writing":{"negative.TAGS":{"Masks":20,"Refills":20,"Keep":31,"Temperature":1.5,"Rate":0.15,"MLM":0.1,"ISTM":0.001,"WoD":0.001,"WoC":0.001}}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	seen := map[string]bool{want: true}
	for _, change := range []func(*TAGS){
		func(m *TAGS) { m.ByWord = true }, func(m *TAGS) { m.Static = true }, func(m *TAGS) { m.Filter = Different },
		func(m *TAGS) { m.Keep = 0 },
	} {
		w := published()
		change(&w)
		m.Writing = w
		if text, err := json.Marshal(m); err != nil || seen[string(text)] {
			t.Errorf("%+v is identified as another: %s (%v)", w, text, err)
		} else {
			seen[string(text)] = true
		}
	}
	if text, err := json.Marshal(Plain()); err != nil || strings.Contains(string(text), "Writing") {
		t.Errorf("got %s (%v) for a method that writes nothing", text, err)
	}
}
