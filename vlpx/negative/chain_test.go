package negative

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// slowChain is Chain as METHODS.md 3.5 writes it: the whole similarity matrix, in float64, and a set of used entries.
func slowChain(image, text []float32, dim, start int, q float64) []int {
	n := len(image) / dim
	similarity := make([][]float64, n) // [image][text]
	for i := range n {
		similarity[i] = make([]float64, n)
		for j := range n {
			for d := range dim {
				similarity[i][j] += float64(image[i*dim+d]) * float64(text[j*dim+d])
			}
		}
	}
	order := []int{start}
	used := map[int]bool{start: true}
	for hop := 1; hop < n; hop++ {
		anchor := order[len(order)-1]
		rank := func(j int) float64 {
			if hop%2 == 1 {
				return similarity[anchor][j]
			}
			return similarity[j][anchor]
		}
		var left []int
		for j := range n {
			if !used[j] {
				left = append(left, j)
			}
		}
		slices.SortFunc(left, func(a, b int) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b, a)) })
		pick := left[int(math.RoundToEven(q*float64(len(left)-1)))]
		order = append(order, pick)
		used[pick] = true
	}
	return order
}

// Coordinates that are small multiples of 1/8 have exact products in float32 and many ties.
func TestChainAgainstMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "entries")
		dim := rapid.IntRange(1, 19).Draw(t, "dim")
		coordinates := rapid.SliceOfN(rapid.IntRange(-3, 3), n*dim, n*dim)
		eighths := func(label string) []float32 {
			v := make([]float32, n*dim)
			for i, x := range coordinates.Draw(t, label) {
				v[i] = float32(x) / 8
			}
			return v
		}
		image, text := eighths("image"), eighths("text")
		start := rapid.IntRange(0, n-1).Draw(t, "start")
		q := rapid.SampledFrom([]float64{0, 0.1, 0.25, 0.5, 0.9, 1}).Draw(t, "q")
		got, err := Chain(image, text, dim, start, q)
		if err != nil {
			t.Fatal(err)
		}
		if want := slowChain(image, text, dim, start, q); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// Enough entries for several goroutines; the similarities of random vectors this wide do not tie.
func TestChainOnSeveralProcessors(t *testing.T) {
	const n, dim = 1500, 256
	image, text := embeddings(n, dim, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, q := range []float64{1, 0.7} {
		var orders [][]int
		for _, processors := range []int{1, 2, 3} {
			runtime.GOMAXPROCS(processors)
			order := must.Get(Chain(image, text, dim, 7, q))(t)
			orders = append(orders, order)
		}
		if !slices.Equal(orders[0], orders[1]) || !slices.Equal(orders[0], orders[2]) {
			t.Errorf("quantile %v: 1, 2 and 3 processors give different orders", q)
		}
		if sorted := slices.Sorted(slices.Values(orders[0])); sorted[0] != 0 || sorted[n-1] != n-1 || len(slices.Compact(sorted)) != n {
			t.Errorf("quantile %v: the order is no permutation of the entries", q)
		}
	}
}

// Twins have the same embeddings; the first of them is the most similar wherever it lies in memory by then.
func TestChainTakesTheFirstOfTwins(t *testing.T) {
	const n, dim = 60, 7
	image, text := embeddings(n/2, dim, 3)
	image, text = append(image, image...), append(text, text...)
	order := must.Get(Chain(image, text, dim, 4, 1))(t)
	place := make([]int, n)
	for at, entry := range order {
		place[entry] = at
	}
	for i := range n / 2 {
		if twin := i + n/2; place[twin] < place[i] {
			t.Errorf("entry %d comes at %d, its twin %d before it at %d", i, place[i], twin, place[twin])
		}
	}
}

func TestChainErrors(t *testing.T) {
	v := make([]float32, 6)
	for _, c := range []struct {
		name        string
		image, text []float32
		dim, start  int
		q           float64
	}{
		{"empty", nil, nil, 2, 0, 1},
		{"ragged", v[:5], v[:5], 2, 0, 1},
		{"unequal", v, v[:4], 2, 0, 1},
		{"no width", v, v, 0, 0, 1},
		{"start beyond", v, v, 2, 3, 1},
		{"start before", v, v, 2, -1, 1},
		{"quantile above", v, v, 2, 0, 1.01},
		{"quantile NaN", v, v, 2, 0, math.NaN()},
	} {
		if order, err := Chain(c.image, c.text, c.dim, c.start, c.q); err == nil {
			t.Errorf("%s: got %v, want an error", c.name, order)
		}
	}
}

func BenchmarkChain(b *testing.B) {
	const dim = 256
	sizes := []int{960, 4800, 28320}
	if testing.Short() {
		sizes = sizes[:2] // the paper's takes half a minute
	}
	for _, n := range sizes {
		for _, q := range []float64{1, 0.5} {
			b.Run(fmt.Sprintf("M=%d/q=%v", n, q), func(b *testing.B) {
				image, text := embeddings(n, dim, 1)
				b.ReportAllocs()
				for b.Loop() {
					must.Get(Chain(image, text, dim, 0, q))(b)
				}
			})
		}
	}
}

// embeddings returns n random unit vectors of images and texts close to them.
func embeddings(n, dim int, seed uint64) (image, text []float32) {
	random := rand.New(rand.NewPCG(seed, 0))
	image, text = make([]float32, n*dim), make([]float32, n*dim)
	for i := range n {
		u, w := image[i*dim:(i+1)*dim], text[i*dim:(i+1)*dim]
		for d := range dim {
			u[d] = float32(random.NormFloat64())
			w[d] = u[d] + float32(random.NormFloat64())
		}
		normalise(u)
		normalise(w)
	}
	return image, text
}

func normalise(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
}
