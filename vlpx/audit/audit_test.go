package audit

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/judgements"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// The nearest of blocks of any size are those of a sorted list of all pairs.
func TestNearestAgainstLoop(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	const images, texts, vectors, dim, k = 13, 9, 2, 3, 2
	numbers := func(n int) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(draw.IntN(5)) // with ties
		}
		return all
	}
	ofImages, ofTexts := numbers(images*vectors*dim), numbers(texts*dim)
	leave := func(image, text int) bool { return (image+text)%4 == 0 }
	sims := eval.Similarities(ofImages, ofTexts, vectors, dim)
	want := map[[2]int]bool{}
	pick := func(of []near) {
		slices.SortFunc(of, before)
		for _, n := range of[:min(k, len(of))] {
			want[[2]int{n.image, n.text}] = true
		}
	}
	for i := range images {
		var of []near
		for text := range texts {
			if !leave(i, text) {
				of = append(of, near{i, text, sims.Row(i)[text]})
			}
		}
		pick(of)
	}
	for text := range texts {
		var of []near
		for i := range images {
			if !leave(i, text) {
				of = append(of, near{i, text, sims.Row(i)[text]})
			}
		}
		pick(of)
	}
	for _, block := range []int{1, 4 * texts, 1000} {
		got := nearest(ofImages, ofTexts, vectors, dim, k, block, leave)
		if len(got) != len(want) {
			t.Fatalf("block %d: got %d pairs, want %d", block, len(got), len(want))
		}
		for _, n := range got {
			if !want[[2]int{n.image, n.text}] || n.cosine != sims.Row(n.image)[n.text] {
				t.Errorf("block %d: got %+v, which is not among the nearest", block, n)
			}
		}
	}
}

// named is a set with captions and a relation of its own.
type named struct {
	datasets.Set
	captions [][]string
	relation datasets.Relation
}

func (n named) Len() int                    { return len(n.captions) }
func (n named) Captions(i int) []string     { return n.captions[i] }
func (n named) Relation() datasets.Relation { return n.relation }
func (named) Name() string                  { return "named" }
func (named) Key(i int) string              { return string(rune('a' + i)) }

// known says what holds of images and pairs.
type known map[[2]int]bool

func (k known) Holds(i, p int) (holds, known bool) {
	holds, known = k[[2]int{i, p}]
	return holds, known
}

// few has four images; pairs are 0: "Red disc." of a, 1: "red disc" of b, 2: "blue disc" of c, 3: "a disc" of d.
func few() named {
	return named{captions: [][]string{{"Red disc."}, {"red disc"}, {"blue disc"}, {"a disc"}},
		relation: known{{0, 3}: true, {1, 3}: true, {2, 3}: false, {2, 0}: false, {3, 1}: false}}
}

// Equal captions are one, each image's own are no candidates, and what is known of one of equal captions is known of the text.
func TestTexts(t *testing.T) {
	texts := textsOf(few())
	if !slices.Equal(texts.captions, []string{"Red disc.", "blue disc", "a disc"}) || !slices.Equal(texts.first, []int{0, 2, 3}) ||
		!texts.own[1][0] || texts.own[1][1] || !slices.Equal(texts.pairs[0], []int{0, 1}) {
		t.Errorf("got %+v", texts)
	}
	for _, c := range []struct {
		image, text  int
		holds, known bool
	}{{0, 2, true, true}, {2, 2, false, true}, {3, 0, false, true}, {3, 1, false, false}} {
		if holds, known := texts.holds(c.image, c.text); holds != c.holds || known != c.known {
			t.Errorf("%+v: got %v, %v", c, holds, known)
		}
	}
	r := &Report{}
	r.count(texts, map[int]bool{1: true})
	if r.All != 6 || r.Trues != 1 || r.Falses != 3 || len(r.Judged) != 4 {
		t.Errorf("got %d of %d, %d and %d judged; want 1 true, 3 false of 6", r.Trues, r.All, r.Falses, len(r.Judged))
	}
}

// Precision is of what is known, recall of all that is true; the numbers are counted by hand.
func TestMeasure(t *testing.T) {
	r := &Report{Set: few(), Trues: 4, Falses: 10, All: 30, Has: [scores]bool{Cosine: true, ITM: true}, Model: "M", Split: "test"}
	add := func(cosine, itm float64, holds, known bool) {
		r.Candidates = append(r.Candidates, Candidate{Of: 2, Caption: "blue, disc", Scores: [scores]float64{cosine, itm, math.NaN()},
			True: holds, Known: known, text: 1})
	}
	add(.9, .1, true, true)
	add(.8, .9, false, true)
	add(.7, .8, false, false)
	add(.6, .7, true, true)
	for _, c := range []struct {
		by   Score
		n    int
		want Found
	}{
		{Cosine, 1, Found{1, 1, 1, 100, 25}}, {Cosine, 3, Found{3, 2, 1, 50, 25}}, {ITM, 3, Found{3, 2, 1, 50, 25}},
		{ITM, 2, Found{2, 1, 0, 0, 0}}, {ITM, 9, Found{4, 3, 2, 100 * 2. / 3, 50}},
	} {
		if got := r.Measure(c.by, c.n); got != c.want {
			t.Errorf("%s, first %d: got %+v, want %+v", c.by, c.n, got, c.want)
		}
	}
	r.Rank(ITM)
	if r.Candidates[0].Scores[ITM] != .9 || r.Candidates[3].Scores[ITM] != .1 {
		t.Errorf("got the order %+v", r.Candidates)
	}
	var text strings.Builder
	must.Do(t, r.WriteCSV(&text, 3))
	want := "rank,true,caption,split,image,caption of,cosine,ITM,Con-D\n1,no,\"blue, disc\",test,a,c,0.8000,0.9000,\n" +
		"2,,\"blue, disc\",test,a,c,0.7000,0.8000,\n3,yes,\"blue, disc\",test,a,c,0.6000,0.7000,\n"
	if text.String() != want {
		t.Errorf("got %s, want %s", text.String(), want)
	}
	rows := must.Get(judgements.Parse(strings.NewReader(text.String())))(t)
	if len(rows) != 2 || rows[0] != (judgements.Row{Line: 2, Split: "test", Image: "a", Caption: "blue, disc", Of: "c"}) || !rows[1].True {
		t.Errorf("read %+v", rows)
	}
	r.Candidates[0].Caption = `=HYPERLINK("x")`
	text.Reset()
	must.Do(t, r.WriteCSV(&text, 1))
	if rows := must.Get(judgements.Parse(strings.NewReader(text.String())))(t); !strings.Contains(text.String(), ",\"'=") ||
		rows[0].Caption != r.Candidates[0].Caption {
		t.Errorf("a formula: got %s, read %+v", text.String(), rows)
	}
	r.Judged = r.Candidates[:2]
	measured, ok := r.Measured()
	if !ok || len(measured.Rows) != 3 || measured.Table().Rows[0].Name != "all 4" ||
		measured.Table().Rows[2].Name != "ITM, first 2 of what is known" {
		t.Errorf("got %+v, %v", measured, ok)
	}
	file := filepath.Join(t.TempDir(), "a.json")
	must.Do(t, os.WriteFile(file, must.Get(json.Marshal(measured))(t), 0o644))
	if again := must.Get(ReadMeasured(file))(t); !reflect.DeepEqual(again, measured) {
		t.Errorf("read %+v, want %+v", again, measured)
	}
	together := Together([]Measured{measured, {Model: "N", Data: "other", Trues: 1, Falses: 3, Rows: []MeasuredRow{
		{"cosine", false, Found{100, 50, 20, 40, 10}}, {"", false, Found{500, 90, 30, 100. / 3, 60}}, {"cosine", true, Found{1, 1, 1, 100, 100}}}}})
	cells := together.Rows[0].Cells
	if len(together.Rows) != 1 || together.Rows[0].Name != "other" || len(cells) != 8 || cells[4] != nil || cells[2][0].Mean != 25 ||
		cells[3][0].Mean != 40 || cells[6][0].Mean != 60 || cells[7][0].Mean != 100 {
		t.Errorf("got %+v", together)
	}
	must.Do(t, os.WriteFile(file, []byte("{"), 0o644))
	must.Fail(t, must.Err(ReadMeasured(file)), "a.json: ")
	r.Trues, r.Falses = 0, 0
	if _, ok := r.Measured(); ok {
		t.Error("measured where nothing is known")
	}
}

func TestMistakes(t *testing.T) {
	c := must.Get(scenes.New(scenes.Config{Train: 1, Val: 1, Test: 2, Size: 16}.WithDefaults()))(t)
	one, two := must.Get(c.Split("train"))(t), must.Get(c.Split("test"))(t)
	find := func(set datasets.Set, nearest int) error {
		return must.Err(Find(t.Context(), eval.Subject{Set: set}, Config{Nearest: nearest}))
	}
	must.Fail(t, find(two, 0), "take one or more")
	must.Fail(t, find(one, 1), "it takes two")
	must.Fail(t, find(datasets.Uncaptioned(two), 1), "has no captions")
}
