package explore

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
)

func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cosines := rapid.SliceOfN(rapid.SampledFrom([]float32{-0.5, 0, 0.25, 0.5, float32(math.Inf(-1))}), 1, 20).Draw(t, "cosines")
		n := rapid.IntRange(1, 20).Draw(t, "n")
		var want []int
		for i, c := range cosines {
			if !math.IsInf(float64(c), -1) {
				want = append(want, i)
			}
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
		want = want[:min(n, len(want))]
		if got := nearest(cosines, n); !slices.Equal(got, want) {
			t.Fatalf("%v, %d nearest: got %v, want %v", cosines, n, got, want)
		}
	})
}

// A set in another order gives the same view, but for the numbers of the pairs.
// An image without captions is one candidate, and its own pair is its positive.
func TestPositivesWithoutCaptions(t *testing.T) {
	a := newAlbum(3, 2)
	a.captions[1] = nil
	x := explorer(t, muteAlbum{a})
	for image, want := range [][]int{{0, 1}, {2}, {3, 4}} {
		if got := x.positives(image, OfImage); !slices.Equal(got, want) {
			t.Errorf("image %d: got pairs %v, want %v", image, got, want)
		}
	}
}

// muteAlbum is an album whose keys are no captions.
type muteAlbum struct{ album }

func (a muteAlbum) Key(int) string { return "" }

func TestViewOfPermutedSet(t *testing.T) {
	a := newAlbum(20, 2)
	a.judged[[2]string{"3/0", "7/1"}] = true
	x := explorer(t, a)
	order := random.Stream(1, "permutation").Perm(20)
	b := album{judged: a.judged}
	for _, i := range order {
		b.captions = append(b.captions, a.captions[i])
	}
	y := explorer(t, b)
	for to, from := range order {
		copy(y.image[to*testDim:(to+1)*testDim], x.image[from*testDim:])
		copy(y.text[2*to*testDim:2*(to+1)*testDim], x.text[2*from*testDim:])
	}
	methods := []negative.Method{negative.Plain(), negative.ALBEF(0), negative.SRCL(4)}
	for name, side := range sides {
		v := must.Get(x.Negatives(t.Context(), 2*3+1, side, 7, methods))(t)
		w := must.Get(y.Negatives(t.Context(), 2*slices.Index(order, 3)+1, side, 7, methods))(t)
		for k, n := range v.Nearest {
			m := w.Nearest[k]
			if n.Caption != m.Caption || n.Verdict != m.Verdict || math.Abs(n.Cosine-m.Cosine) > 1e-6 || n.Quantile != m.Quantile {
				t.Errorf("%s, rank %d: got %+v, want %+v", name, k+1, m, n)
			}
			for i := range methods {
				p, q := n.Treatments[i], m.Treatments[i]
				near(t, name, []float64{q.Push, q.Picked, q.Meet}, []float64{p.Push, p.Picked, p.Meet}, 1e-5)
			}
		}
	}
}

// The anchor's own captions are no negatives, the quantiles end at 1, and nobody's verdict is made up.
func TestNegatives(t *testing.T) {
	a := newAlbum(10, 3)
	x := explorer(t, a)
	if v, err := x.Negatives(t.Context(), 4, OfImage, 7, nil); err != nil {
		t.Fatal(err)
	} else {
		a.judged[[2]string{"1/0", v.Nearest[1].Caption}] = true
		a.judged[[2]string{"1/0", v.Nearest[4].Caption}] = false
	}
	v := must.Get(x.Negatives(t.Context(), 4, OfImage, 7, nil))(t)
	for k, n := range v.Nearest {
		want := map[int]plots.Mark{1: plots.TruePair, 4: plots.FalsePair}[k]
		if n.Verdict != want {
			t.Errorf("rank %d: got %q, want %q", k+1, n.Verdict, want)
		}
		if strings.HasPrefix(n.Caption, "1/") {
			t.Errorf("rank %d: %q is the anchor's own", k+1, n.Caption)
		}
		if want := 1 - float64(k)/26; math.Abs(n.Quantile-want) > 1e-12 {
			t.Errorf("rank %d of 27: got quantile %v, want %v", k+1, n.Quantile, want)
		}
	}
	if v.Anchor.Caption != "1/1" || v.Anchor.Verdict != plots.TruePair {
		t.Errorf("anchor: got %+v", v.Anchor)
	}
}

func TestNegativesRefuse(t *testing.T) {
	x := explorer(t, datasets.First(newAlbum(10, 2), 0, 1)) // without relation
	oracle := negative.MAFA(8, 16)
	oracle.Positives = negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}
	for _, c := range []struct {
		anchor, k int
		method    negative.Method
		want      string
	}{
		{-1, 1, negative.Plain(), "the explored pairs are 0 to 9"},
		{10, 1, negative.Plain(), "the explored pairs are 0 to 9"},
		{0, 0, negative.Plain(), "1 to 7"},
		{0, 8, negative.Plain(), "1 to 7"},
		{0, 3, oracle, "let Con-D judge"},
		{0, 3, negative.GRITVLP(9, 9), "GRIT-VLP"},
		{0, 3, negative.SRCL(0), "SRCL over no epochs"},
	} {
		_, err := x.Negatives(t.Context(), c.anchor, OfImage, c.k, []negative.Method{c.method})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want one with %q", c, err, c.want)
		}
	}
	must.Fail(t, must.Err(x.Informative(OfImage, 3, 2)), "no relation", "telling anchors")
}

// Anchors with as many true as false negatives come first.
func TestInformative(t *testing.T) {
	a := newAlbum(12, 2)
	x := explorer(t, a)
	for name, side := range sides {
		clear(a.judged)
		judge := func(anchor int, holds ...bool) {
			for k, candidate := range nearest(x.cosines(anchor, side), 7)[:len(holds)] {
				image, caption := x.meeting(anchor, x.pairOf(candidate, side), side)
				if side == OfText {
					image = candidate
				}
				a.judged[[2]string{a.Key(image), x.pairs[caption].Text(a)}] = holds[k]
			}
		}
		judge(4, true, true, true, true)
		judge(10, true, false, true, false)
		judge(16, true, false)
		judge(20, true, true, false)
		want := []int{10, 20, 16, 4}
		if got, err := x.Informative(side, 7, 4); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v (%v)", name, got, want, err)
		}
	}
}

func TestViewShows(t *testing.T) {
	x := explorer(t, newAlbum(10, 2))
	x.name = "GRIT-VLP, seed 1"
	oracle := negative.MAFA(8, 16)
	oracle.Positives = negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}
	for name, side := range sides {
		v := must.Get(x.Negatives(t.Context(), 3, side, 7, []negative.Method{negative.Plain(), oracle}))(t)
		var table, figure bytes.Buffer
		must.Do(t, v.Table().Text(&table, tables.Terminal{}))
		for _, want := range []string{"GRIT-VLP, seed 1", "InfoNCE (%)", "becomes", "own", v.Nearest[6].Caption, "1.0000"} {
			if !strings.Contains(table.String(), want) {
				t.Errorf("%s: the table has no %q:\n%s", name, want, &table)
			}
		}
		if err := v.Pictures().PNG(&figure, 30); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		pictures := 0
		for _, row := range v.Pictures().Rows {
			pictures += len(row.Pictures)
		}
		if pictures != 8 {
			t.Errorf("%s: got %d pictures, want the anchor and 7 negatives", name, pictures)
		}
	}
}

// Of a model that learned no ITM nothing is told about picks for it, and a method that would judge them is refused.
func TestViewWithoutMatching(t *testing.T) {
	x := explorer(t, newAlbum(20, 2))
	told := func() string {
		t.Helper()
		v := must.Get(x.Negatives(t.Context(), 7, OfText, 3, []negative.Method{negative.Plain()}))(t)
		var table bytes.Buffer
		must.Do(t, v.Table().Text(&table, tables.Terminal{}))
		return table.String()
	}
	if table := told(); !x.Matches() || !strings.Contains(table, "ITM") || !strings.Contains(table, "meet") {
		t.Errorf("an ALBEF: got\n%s\nwant a column of ITM", table)
	}
	for what, change := range map[string]func(){
		"an ALBEF by ITC": func() { x.config.Objectives = negative.Of(negative.ITC) },
		"a CLIP":          func() { x.config.Objectives, x.config.Framework.Framework = "", clip.Model{Embed: testDim} },
	} {
		change()
		if table := told(); x.Matches() || strings.Contains(table, "ITM") || !strings.Contains(table, "meet") {
			t.Errorf("%s: got\n%s\nwant no ITM", what, table)
		}
		judging := negative.Plain()
		judging.Positives = negative.ECM{Low: 0.5, High: 0.8}
		must.Fail(t, must.Err(x.Negatives(t.Context(), 7, OfText, 3, []negative.Method{judging})), "explore a run with ITM",
			"%s with positives", what)
	}
}
