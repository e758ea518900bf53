package negative

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"pgregory.net/rapid"
)

// slowTop sorts the places of a row, the largest score first and equal ones by their place.
func slowTop(scores []float64, k int) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order[:k]
}

// The first of a sorted row, ties and infinitely low scores included.
func TestTopAgainstSort(t *testing.T) {
	const rows, n = 3, 6
	var runs []func(in ...any) [][]float64
	for k := 1; k <= n; k++ {
		runs = append(runs, compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
			top := Top(in[0], k)
			return []*Node{Reshape(top, -1), Reshape(Choose(in[0], top), -1), Reshape(Choose(in[1], top), -1)}
		}))
	}
	rapid.Check(t, func(rt *rapid.T) {
		score := rapid.SampledFrom([]float32{-1e30, -1e9, -2, 0, 0.5, 0.50000006, 3})
		scores := rapid.SliceOfN(score, rows*n, rows*n).Draw(rt, "scores")
		k := rapid.IntRange(1, n).Draw(rt, "k")
		wide := make([]int32, rows*n*2) // of each row and place two numbers
		for i := range wide {
			wide[i] = int32(i)
		}
		got := runs[k-1](tensors.FromFlatDataAndDimensions(scores, rows, n), tensors.FromFlatDataAndDimensions(wide, rows, n, 2))
		for row := range rows {
			var of []float64
			for _, x := range scores[row*n : (row+1)*n] {
				of = append(of, float64(x))
			}
			for i, place := range slowTop(of, k) {
				at := row*k + i
				if got[0][at] != float64(place) || got[1][at] != of[place] || got[2][2*at] != float64(2*(row*n+place)) ||
					got[2][2*at+1] != float64(2*(row*n+place)+1) {
					rt.Fatalf("row %d: place %d of the largest: got %g with %g and %g, want %d", row, i, got[0][at], got[1][at],
						got[2][2*at:2*at+2], place)
				}
			}
		}
	})
}

// similarities are those of a mini-batch in both directions.
func similarities(r *rand.Rand, batch int) (i2t, t2i [][]float32) {
	matrix := func() (m [][]float32) {
		for range batch {
			row := make([]float32, batch)
			for j := range row {
				row[j] = float32(r.IntN(5)) // with ties
			}
			m = append(m, row)
		}
		return m
	}
	return matrix(), matrix()
}

// With one to keep it is Hardest; with more, the rows of an anchor are its hardest negatives, and the own pair is never among them, even if
// all others are asked for, or more.
func TestRetrievedPairs(t *testing.T) {
	const batch = 4
	noise := func() *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(make([]float32, 2*batch*batch), 2, batch, batch)
	}
	r := rand.New(rand.NewPCG(9, 10))
	hardest := pairing(t, Hardest{})
	for keep := 1; keep <= batch+1; keep++ {
		retrieved := pairing(t, Retrieved{Pool: 399, Keep: keep})
		i2t, t2i := similarities(r, batch)
		got := retrieved(i2t, t2i, noise())
		var want [3][]float64 // images, texts, labels
		pair := func(image, text int, label float64) {
			want[0], want[1], want[2] = append(want[0], float64(image)), append(want[1], float64(text)), append(want[2], label)
		}
		others := func(row []float32, own int) []int {
			scores := make([]float64, batch)
			for j := range scores {
				if scores[j] = float64(row[j]); j == own {
					scores[j] = -1e30
				}
			}
			return slowTop(scores, min(keep, batch-1))
		}
		for k := range batch {
			pair(k, k, 1)
		}
		for at := range min(keep, batch-1) {
			for k := range batch {
				pair(others(t2i[k], k)[at], k, 0)
			}
			for k := range batch {
				pair(k, others(i2t[k], k)[at], 0)
			}
		}
		for i, name := range []string{"images", "texts", "labels"} {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%d to keep, %s: got %v, want %v", keep, name, got[i], want[i])
			}
		}
		if keep == 1 {
			for i, of := range hardest(i2t, t2i, noise()) {
				if !slices.Equal(got[i], of) {
					t.Errorf("got %v, want Hardest's %v", got[i], of)
				}
			}
		}
	}
}

func TestRetrievedSettings(t *testing.T) {
	for _, c := range []struct {
		r    Retrieved
		want string
	}{
		{Retrieved{Pool: 399, Keep: 31}, ""}, {Retrieved{Pool: 1, Keep: 1}, ""},
		{Retrieved{Pool: 3}, "the hardest 0 of 3"}, {Retrieved{Pool: 3, Keep: 4}, "the hardest 4 of 3"},
		{Retrieved{Keep: -1}, "the hardest -1 of 0"},
	} {
		err := Method{Matching: c.r}.WithDefaults().Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.r, err, c.want)
		}
	}
}
