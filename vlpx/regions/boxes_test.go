package regions_test

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/regions"
)

// place is how many numbers stand behind a row's features.
const place = 8

// generated is a split of scenes.
func generated(t testing.TB, c scenes.Config, name string) *scenes.Split {
	t.Helper()
	collection := must.Get(scenes.New(c))(t)
	set := must.Get(collection.Split(name))(t)
	return set.(*scenes.Split)
}

// opened are the regions of a set.
func opened(t testing.TB, s regions.Source, set datasets.Set) loader.Features {
	t.Helper()
	f := must.Get(s.Open(set, nil))(t)
	return f
}

// rowsOf are the rows of image i.
func rowsOf(t testing.TB, f loader.Features, s regions.Source, i int) [][]float32 {
	t.Helper()
	out := make([]float32, f.Size())
	for k := range out {
		out[k] = float32(math.NaN()) // all is written
	}
	must.Do(t, f.Features(context.Background(), i, out))
	return slices.Collect(slices.Chunk(out, s.Width+place))
}

// The rows of an image are its whole and then its objects, each with where it is; the others are 0.
func TestBoxesOfScenes(t *testing.T) {
	set := generated(t, scenes.Config{Train: 30, Val: 1, Test: 1}, "train")
	source := regions.Source{Count: 6, Width: 8, Boxes: &regions.Boxes{}}
	f, view := opened(t, source, set), opened(t, source, datasets.First(set, 0, 2))
	for i := range set.Len() {
		rows := rowsOf(t, f, source, i)
		want := append([]datasets.Box{{Right: 1, Bottom: 1}}, set.Boxes(i)...)
		for k, row := range rows {
			where := row[source.Width:]
			if k >= len(want) {
				if slices.ContainsFunc(row, func(x float32) bool { return x != 0 }) {
					t.Fatalf("image %d: row %d to spare is %v", i, k, row)
				}
				continue
			}
			b := want[k]
			w, h := b.Right-b.Left, b.Bottom-b.Top
			for n, x := range []float64{b.Left, b.Top, b.Right, b.Bottom, w, h, w * h, 1} {
				if math.Abs(float64(where[n])-x) > 1e-6 {
					t.Fatalf("image %d, row %d: it is at %v, want %+v", i, k, where, b)
				}
			}
			if slices.Max(row[:source.Width]) == slices.Min(row[:source.Width]) {
				t.Fatalf("image %d, row %d: no features: %v", i, k, row)
			}
		}
		again := rowsOf(t, f, source, i)
		other := rowsOf(t, view, source, i)
		for k := range rows {
			if !slices.Equal(rows[k], again[k]) || !slices.Equal(rows[k], other[k]) {
				t.Fatalf("image %d, row %d: other numbers at the next call, or in a view", i, k)
			}
		}
	}
	few := regions.Source{Count: 2, Width: 8, Boxes: &regions.Boxes{}}
	narrow := opened(t, few, set)
	for i := range set.Len() {
		rows, all := rowsOf(t, narrow, few, i), rowsOf(t, f, source, i)
		if len(rows) != 2 || !slices.Equal(rows[1], all[1]) {
			t.Fatalf("image %d: with room for 2 got %d rows, the second %v", i, len(rows), rows[len(rows)-1])
		}
	}
}

// Numbers are the same on every machine and in every version: they would be another run's otherwise.
func TestFeaturesArePinned(t *testing.T) {
	source := regions.Source{Count: 2, Width: 8, Boxes: &regions.Boxes{Noise: 0.1}}
	rows := rowsOf(t, opened(t, source, generated(t, scenes.Config{Train: 1, Val: 1, Test: 1}, "train")), source, 0)
	if got := fmt.Sprintf("%.4f", rows); got != pinned {
		t.Errorf("got %s, want %s", got, pinned)
	}
}

const pinned = "[[0.9801 -0.3954 0.7627 -0.4455 1.1387 -0.5472 0.6570 -0.4936 0.0000 0.0000 1.0000 1.0000 1.0000 1.0000 1.0000 1.0000] " +
	"[1.2308 -0.3954 0.5889 -0.4455 0.6133 -0.5472 0.5465 -0.4936 0.5553 0.2724 0.6877 0.4541 0.1324 0.1818 0.0241 1.0000]]"

// Noise moves boxes by about its share of their sides, always in the same way, and keeps them in the image.
func TestNoiseInBoxes(t *testing.T) {
	set := generated(t, scenes.Config{Train: 400, Val: 1, Test: 1, Size: 16}, "train")
	sets := map[float64]float64{}
	for _, noise := range []float64{0.05, 0.1} {
		source := regions.Source{Count: 4, Width: 4, Boxes: &regions.Boxes{Noise: noise}}
		f, other := opened(t, source, set), opened(t, source, set)
		var squares, n float64
		for i := range set.Len() {
			rows, again := rowsOf(t, f, source, i), rowsOf(t, other, source, i)
			for k, b := range set.Boxes(i) {
				where := rows[k+1][source.Width:]
				if !slices.Equal(where, again[k+1][source.Width:]) {
					t.Fatalf("image %d: the box is at %v and then at %v", i, where, again[k+1])
				}
				if where[0] < 0 || where[1] < 0 || where[2] > 1 || where[3] > 1 || where[4] < 0 || where[5] < 0 {
					t.Fatalf("image %d: a box at %v", i, where)
				}
				if b.Left > 0.2 { // far from the border, which holds boxes
					d := (float64(where[0]) - b.Left) / (b.Right - b.Left)
					squares, n = squares+d*d, n+1
				}
			}
			if whole := rows[0][source.Width:]; whole[0] != 0 || whole[3] != 1 {
				t.Fatalf("image %d: the region of the whole image is at %v", i, whole)
			}
		}
		sets[noise] = math.Sqrt(squares / n)
	}
	for noise, got := range sets { // n is several hundred: a standard error of some 4 per cent
		if math.Abs(got/noise-1) > 0.15 {
			t.Errorf("noise of %g moves a side by %g of the box", noise, got)
		}
	}
}

// A linear classifier reads off a region what an object is, on scenes that it did not learn from.
func TestFeaturesTellWhatThereIs(t *testing.T) {
	config := scenes.Config{Train: 1500, Val: 1, Test: 500, Captions: 1}
	source := regions.Source{Count: 4, Width: 128, Boxes: &regions.Boxes{}}
	training, test := generated(t, config, "train"), generated(t, config, "test")
	ground := func(set *scenes.Split, i, _ int) int { return int(set.Scene(i).Ground) }
	object := func(of func(scenes.Attributes) int) func(*scenes.Split, int, int) int {
		return func(set *scenes.Split, i, k int) int { return of(set.Scene(i).Objects[k].Attributes) }
	}
	for _, c := range []struct {
		what  string
		whole bool
		class func(set *scenes.Split, i, k int) int
		least float64
	}{
		{"ground", true, ground, 0.9},
		{"colour", false, object(func(a scenes.Attributes) int { return int(a.Colour) }), 0.9},
		{"shape", false, object(func(a scenes.Attributes) int { return int(a.Shape) }), 0.7},
		{"size", false, object(func(a scenes.Attributes) int { return int(a.Size) }), 0.9},
		{"texture", false, object(func(a scenes.Attributes) int { return int(a.Texture) }), 0.9},
	} {
		x, y := examples(t, source, training, c.whole, c.class)
		seen, truth := examples(t, source, test, c.whole, c.class)
		right := 0
		for k, answer := range ridge(t, x, y, seen) {
			if answer == truth[k] {
				right++
			}
		}
		got := float64(right) / float64(len(truth))
		t.Logf("%s: %.3f of %d", c.what, got, len(truth))
		if got < c.least {
			t.Errorf("%s: %.3f are right, want %.2f", c.what, got, c.least)
		}
	}
}

// examples are the rows of whole images, or of objects, with their classes.
func examples(t *testing.T, source regions.Source, set *scenes.Split, whole bool, class func(*scenes.Split, int, int) int) (x [][]float32,
	y []int) {
	f := opened(t, source, set)
	for i := range set.Len() {
		rows := rowsOf(t, f, source, i)
		if whole {
			x, y = append(x, rows[0]), append(y, class(set, i, 0))
			continue
		}
		for k := range set.Boxes(i) {
			x, y = append(x, rows[k+1]), append(y, class(set, i, k))
		}
	}
	return x, y
}

// ridge answers by a ridge regression on one-hot classes.
func ridge(t *testing.T, x [][]float32, y []int, seen [][]float32) (answers []int) {
	t.Helper()
	matrix := func(rows [][]float32) *mat.Dense {
		m := mat.NewDense(len(rows), len(rows[0]), nil)
		for i, row := range rows {
			for k, v := range row { // the last number is 1: a bias
				m.Set(i, k, float64(v))
			}
		}
		return m
	}
	a, classes := matrix(x), slices.Max(y)+1
	targets := mat.NewDense(len(y), classes, nil)
	for i, c := range y {
		targets.Set(i, c, 1)
	}
	var gram, moments, weights, out mat.Dense
	gram.Mul(a.T(), a)
	for k := range len(x[0]) {
		gram.Set(k, k, gram.At(k, k)+1)
	}
	moments.Mul(a.T(), targets)
	must.Do(t, weights.Solve(&gram, &moments))
	out.Mul(matrix(seen), &weights)
	for i := range seen {
		best := 0
		for c := range classes {
			if out.At(i, c) > out.At(i, best) {
				best = c
			}
		}
		answers = append(answers, best)
	}
	return answers
}

// unboxed is a set that does not tell where its objects are.
type unboxed struct{ datasets.Set }

// torn is a set whose images cannot be decoded.
type torn struct{ *scenes.Split }

func (torn) Image(context.Context, int) (image.Image, error) { return nil, fmt.Errorf("torn") }

func TestSourcesThatAreNone(t *testing.T) {
	set := generated(t, scenes.Config{Train: 3, Val: 1, Test: 1}, "train")
	for want, c := range map[string]struct {
		source regions.Source
		set    datasets.Set
	}{
		"one of boxes":    {regions.Source{Count: 2, Width: 8}, set},
		"2 kinds":         {regions.Source{Count: 2, Width: 8, Boxes: &regions.Boxes{}, Grid: true}, set},
		"0 regions":       {regions.Source{Width: 8, Boxes: &regions.Boxes{}}, set},
		"at most 4096":    {regions.Source{Count: 1 << 40, Width: 8, Boxes: &regions.Boxes{}}, set},
		"of 65536":        {regions.Source{Count: 2, Width: 1 << 40, Boxes: &regions.Boxes{}}, set},
		"multiple of 4":   {regions.Source{Count: 2, Width: 9, Boxes: &regions.Boxes{}}, set},
		"noise of -1":     {regions.Source{Count: 2, Width: 8, Boxes: &regions.Boxes{Noise: -1}}, set},
		"noise of NaN":    {regions.Source{Count: 2, Width: 8, Boxes: &regions.Boxes{Noise: math.NaN()}}, set},
		"with -regions":   {regions.Source{Count: 2, Width: 8, Boxes: &regions.Boxes{}}, unboxed{set}},
		"set locked.side": {regions.Source{Count: 2, Width: 8, Grid: true}, set},
		"give a folder":   {regions.Source{Count: 2, Width: 8, Files: &regions.Files{Dir: t.TempDir()}}, set},
		"no such file or": {regions.Source{Count: 2, Width: 8, Files: &regions.Files{Dir: "/nowhere"}}, set},
	} {
		must.Fail(t, must.Err(c.source.Open(c.set, nil)), want, "%+v", c.source)
	}
	f := opened(t, regions.Source{Count: 2, Width: 8, Boxes: &regions.Boxes{}}, torn{set})
	out := []float32{31: 7}
	if err := f.Features(t.Context(), 0, out); err == nil || out[31] != 0 {
		t.Errorf("an image that cannot be decoded: got %v and %v", err, out)
	}
}

func BenchmarkBoxes(b *testing.B) {
	set := generated(b, scenes.Config{Train: 1000, Val: 1, Test: 1, Captions: 1}, "train")
	source := regions.Source{Count: 4, Width: 128, Boxes: &regions.Boxes{}}
	out := make([]float32, 4*136)
	for b.Loop() {
		f := opened(b, source, set)
		for i := range set.Len() {
			must.Do(b, f.Features(b.Context(), i, out))
		}
	}
	b.ReportMetric(float64(b.N*1000)/b.Elapsed().Seconds(), "images/s")
}
