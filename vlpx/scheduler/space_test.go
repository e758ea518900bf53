package scheduler

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/random"
)

// slowSpace is a search space in float64: the whole matrix S, sorted anew for every answer.
type slowSpace struct {
	similarity [][]float64
	taken      []bool
}

func newSlowSpace(image, text []float64, dim int) *slowSpace {
	n := len(image) / dim
	s := &slowSpace{taken: make([]bool, n)}
	for i := range n {
		row := make([]float64, n)
		for j := range row {
			for d := range dim {
				row[j] += image[i*dim+d]*text[j*dim+d] + text[i*dim+d]*image[j*dim+d]
			}
		}
		s.similarity = append(s.similarity, row)
	}
	return s
}

func (s *slowSpace) remaining() []int {
	var members []int
	for i, taken := range s.taken {
		if !taken {
			members = append(members, i)
		}
	}
	return members
}

func (s *slowSpace) pick(anchor int, q float64) int {
	members := s.remaining()
	slices.SortFunc(members, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.similarity[anchor][a], s.similarity[anchor][b]), b-a)
	})
	return members[int(math.RoundToEven(q*float64(len(members)-1)))]
}

// quantiles returns m quantiles of the similarities of i to the others that wanted accepts.
func (s *slowSpace) quantiles(i, m int, wanted func(int) bool) []float64 {
	var row []float64
	for j, x := range s.similarity[i] {
		if j != i && wanted(j) {
			row = append(row, x)
		}
	}
	slices.Sort(row)
	out := make([]float64, m)
	for k := range out {
		if len(row) > 0 {
			place := float64(k) / float64(m-1) * float64(len(row)-1)
			below, above := int(math.Floor(place)), int(math.Ceil(place))
			out[k] = row[below] + (row[above]-row[below])*(place-math.Floor(place))
		}
	}
	return out
}

func (s *slowSpace) state(i, m int, wanted func(int) bool) []float64 {
	quantiles := s.quantiles(i, m, wanted)
	var sum float64
	for _, x := range quantiles {
		sum += math.Exp(x)
	}
	for k, x := range quantiles {
		quantiles[k] = math.Exp(x) / sum
	}
	return quantiles
}

func everyone(int) bool { return true }

// eighths draws embeddings whose similarities float32 holds exactly and of which many are equal.
func eighths(t *rapid.T, label string, n int) []float64 {
	numbers := rapid.SliceOfN(rapid.IntRange(-4, 4), n, n).Draw(t, label)
	return mapped(numbers, func(x int) float64 { return float64(x) / 8 })
}

func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

func singles(in []float64) []float32 {
	return mapped(in, func(x float64) float32 { return float32(x) })
}

func assertClose(t rapid.TB, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for k := range want {
		if !(math.Abs(float64(got[k])-want[k]) <= tolerance) {
			t.Fatalf("%s[%d]: got %v, want %v", what, k, got[k], want[k])
		}
	}
}

// Whatever was taken, picks, states and similarities are those of the slow space.
func TestSpaceIsTheSlowSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(200, 500)).Draw(t, "members")
		dim, m := rapid.IntRange(1, 3).Draw(t, "dim"), rapid.IntRange(2, 12).Draw(t, "quantiles")
		// Few distinct members give many ties at any size.
		kinds := rapid.IntRange(1, 40).Draw(t, "kinds")
		kindImage, kindText := eighths(t, "image", kinds*dim), eighths(t, "text", kinds*dim)
		source := random.Stream(rapid.Uint64().Draw(t, "seed"), "kinds")
		var image, text []float64
		for range n {
			kind := source.IntN(kinds) * dim
			image, text = append(image, kindImage[kind:kind+dim]...), append(text, kindText[kind:kind+dim]...)
		}
		space, slow := NewSpace(singles(image), singles(text), dim, m), newSlowSpace(image, text, dim)
		if space.Len() != n {
			t.Fatalf("%d members, want %d", space.Len(), n)
		}
		anchor := space.Nth(source.IntN(n))
		for step := 0; ; step++ {
			space.Take(anchor)
			slow.taken[anchor] = true
			assertClose(t, "state", space.State(anchor), slow.state(anchor, m, everyone), 1e-6)
			left := slow.remaining()
			if space.Remaining() != len(left) {
				t.Fatalf("%d members remain, want %d", space.Remaining(), len(left))
			}
			if len(left) == 0 || step == 40 {
				break
			}
			if k := source.IntN(len(left)); space.Nth(k) != left[k] {
				t.Fatalf("Nth(%d) is %d, want %d", k, space.Nth(k), left[k])
			}
			other := left[source.IntN(len(left))]
			if got, want := similarity(space, anchor, other), slow.similarity[anchor][other]; float64(got) != want {
				t.Fatalf("similarity of %d and %d: got %v, want %v", anchor, other, got, want)
			}
			for _, i := range []int{anchor, other} {
				want := slow.state(i, m, func(j int) bool { return !slow.taken[j] })
				assertClose(t, "remaining state", space.RemainingState(i), want, 1e-6)
			}
			q := []float64{0, 1, source.Float64()}[source.IntN(3)]
			got, want := space.Pick(anchor, q), slow.pick(anchor, q)
			if got != want {
				t.Fatalf("after %d, q=%v of %d: got %d, want %d", anchor, q, len(left), got, want)
			}
			if anchor = got; source.IntN(2) == 0 {
				anchor = other
			}
		}
	})
}

// Rounding must not part the buckets from the similarities computed at a pick, nor may bins: a row whose members differ by a few units in
// the last place is sorted, and one of other members goes by its histogram.
func TestPickIsExact(t *testing.T) {
	const n, dim = 1100, 40
	image, text := embeddings(n, dim)
	nearImage, nearText := make([]float32, n*dim), make([]float32, n*dim)
	for i := range nearImage {
		nearImage[i] = image[i%dim] * (1 + float32(i/dim%8)*0x1p-23)
		nearText[i] = text[i%dim] * (1 + float32(i/dim%5)*0x1p-23)
	}
	for _, of := range []struct {
		what        string
		image, text []float32
		least, most int // distinct similarities
	}{{"near ties", nearImage, nearText, 3, 100}, {"members apart", image, text, n * 9 / 10, n}} {
		for _, anchor := range []int{123, 654} {
			space := NewSpace(of.image, of.text, dim, 2)
			space.Take(anchor)
			row := make([]float32, n)
			var members []int
			for j := range n {
				if row[j] = similarity(space, anchor, j); j != anchor {
					members = append(members, j)
				}
			}
			slices.SortFunc(members, func(a, b int) int { return cmp.Or(cmp.Compare(row[a], row[b]), b-a) })
			if distinct := len(slices.Compact(slices.Sorted(slices.Values(row)))); distinct < of.least || distinct > of.most {
				t.Fatalf("%s: %d distinct similarities; the test wants %d to %d", of.what, distinct, of.least, of.most)
			}
			for position, want := range members {
				if got := space.Pick(anchor, float64(position)/(n-2)); got != want {
					t.Fatalf("%s: anchor %d, position %d: got %d, want %d", of.what, anchor, position, got, want)
				}
			}
		}
	}
}

// similarity is S_ij = u_i.w_j + w_i.u_j.
func similarity(s *Space, i, j int) float32 { return s.similarities(i, []int32{int32(j)})[0] }

// S is symmetric to the bit.
func TestSimilarityIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 40).Draw(t, "dim")
		numbers := rapid.SliceOfN(rapid.Float32Range(-1, 1), 2*dim, 2*dim)
		space := NewSpace(numbers.Draw(t, "image"), numbers.Draw(t, "text"), dim, 2)
		if a, b := similarity(space, 0, 1), similarity(space, 1, 0); a != b {
			t.Fatalf("S_01 is %v, S_10 is %v", a, b)
		}
	})
}

// Neither where the embeddings lie in memory nor how many processors share the work changes a bit.
func TestSpaceIsDeterministic(t *testing.T) {
	const n, dim, m = 301, 13, 7
	image, text := embeddings(n, dim)
	want := NewSpace(image, text, dim, m)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for shift := range 4 {
		image, text := append(make([]float32, shift), image...)[shift:], append(make([]float32, 3-shift), text...)[3-shift:]
		got := NewSpace(image, text, dim, m)
		if !slices.Equal(got.states, want.states) || !slices.Equal(got.buckets, want.buckets) {
			t.Errorf("shifted by %d, the space is another", shift)
		}
		runtime.GOMAXPROCS(1)
	}
}

// Members in another order have their states in that order, to the bit: a state tells nothing of where a member stands.
func TestStateIsEquivariant(t *testing.T) {
	const n, dim, m = 250, 8, 10
	image, text := embeddings(n, dim)
	perm := random.Stream(3, "perm").Perm(n)
	space := NewSpace(image, text, dim, m)
	permuted := NewSpace(rowsOf(image, dim, perm), rowsOf(text, dim, perm), dim, m)
	for k, i := range perm {
		if !slices.Equal(permuted.State(k), space.State(i)) {
			t.Errorf("member %d as number %d: got %v, want %v", i, k, permuted.State(k), space.State(i))
		}
	}
}

// A constant added to every similarity goes out of the softmax: one more dimension, 1/2 in image and 1 in text, adds one.
func TestStateIgnoresAConstant(t *testing.T) {
	const n, dim, m = 50, 8, 10
	image, text := embeddings(n, dim)
	space := NewSpace(image, text, dim, m)
	var widerImage, widerText []float32
	for i := range n {
		widerImage = append(append(widerImage, image[i*dim:(i+1)*dim]...), 0.5)
		widerText = append(append(widerText, text[i*dim:(i+1)*dim]...), 1)
	}
	wider := NewSpace(widerImage, widerText, dim+1, m)
	for i := range n {
		want := mapped(space.State(i), func(x float32) float64 { return float64(x) })
		assertClose(t, "state", wider.State(i), want, 1e-6)
	}
}

func TestSmallSpaces(t *testing.T) {
	lone := NewSpace([]float32{1, 0}, []float32{0, 1}, 2, 4)
	for _, state := range [][]float32{lone.State(0), lone.RemainingState(0)} {
		if !slices.Equal(state, []float32{0.25, 0.25, 0.25, 0.25}) {
			t.Errorf("a lone member's state is %v", state)
		}
	}
	// Similarities of member 0: ln 3 to member 1, 0 to member 2; M=2 keeps the least and the greatest.
	log3 := float32(math.Log(3))
	three := NewSpace([]float32{1, 0, 0}, []float32{0, log3, 0}, 1, 2)
	assertClose(t, "state of M=2", three.State(0), []float64{0.25, 0.75}, 1e-6)
	three.Take(1)
	assertClose(t, "state of two members", three.RemainingState(0), []float64{0.5, 0.5}, 0)
	// Pairs never seen have no embedding; all are equal, so the order falls with the member.
	unseen := NewSpace(make([]float32, 5*3), make([]float32, 5*3), 3, 3)
	unseen.Take(2)
	for q, want := range map[float64]int{1: 0, 2. / 3: 1, 1. / 3: 3, 0: 4} {
		if got := unseen.Pick(2, q); got != want {
			t.Errorf("of equals at %v: got %d, want %d", q, got, want)
		}
	}
	if NewSpace(nil, nil, 4, 2).Remaining() != 0 {
		t.Error("a space of none has members")
	}
}

func TestSpaceRefuses(t *testing.T) {
	space := NewSpace([]float32{1, 2}, []float32{3, 4}, 1, 2)
	space.Take(0)
	space.Take(1)
	for what, call := range map[string]func(){
		"another length of texts": func() { NewSpace(make([]float32, 4), make([]float32, 6), 2, 2) },
		"half a row":              func() { NewSpace(make([]float32, 3), make([]float32, 3), 2, 2) },
		"one quantile":            func() { NewSpace(make([]float32, 4), make([]float32, 4), 2, 1) },
		"taking twice":            func() { space.Take(0) },
		"picking from none":       func() { space.Pick(0, 0) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "scheduler: ") {
					t.Errorf("%s: got %q, want a panic of this package", what, said)
				}
			}()
			call()
		}()
	}
}

func checkStates(t *testing.T, c golden.Case) {
	image, text := c.Tensor("inputs", "image_feat"), c.Tensor("inputs", "text_feat")
	similarity, quantiles := c.Matrix("expected", "S"), c.Matrix("expected", "quantiles")
	states, m := c.Matrix("expected", "state"), c.Int("params", "num_quantiles")
	must.Do(t, c.Err())
	dim := image.Shape[1]
	space, slow := NewSpace(singles(image.Float), singles(text.Float), dim, m), newSlowSpace(image.Float, text.Float, dim)
	same := func(what string, got, want []float64) {
		for k := range want {
			if !(math.Abs(got[k]-want[k]) <= c.Tolerance) {
				t.Errorf("slow %s[%d]: got %v, want %v", what, k, got[k], want[k])
			}
		}
	}
	for i := range similarity {
		same("S", slow.similarity[i], similarity[i])
		same("quantiles", slow.quantiles(i, m, everyone), quantiles[i])
		same("state", slow.state(i, m, everyone), states[i])
		row := make([]float32, len(similarity))
		for j := range row {
			row[j] = space.similarities(i, []int32{int32(j)})[0]
		}
		assertClose(t, "S", row, similarity[i], 1e-5)
		assertClose(t, "state", space.State(i), states[i], 1e-5)
	}
}

// checkBatch builds a batch over S, which unit vectors for images and half the columns of the symmetric S for texts give.
func checkBatch(t *testing.T, c golden.Case) {
	similarity, quantiles := c.Matrix("inputs", "S"), c.Tensor("inputs", "q").Float
	unselected, start := c.Ints("params", "unselected"), c.Int("params", "start")
	want := c.Ints("expected", "batch")
	must.Do(t, c.Err())
	n := len(similarity)
	image, text := make([]float32, n*n), make([]float32, n*n)
	for i := range n {
		image[i*n+i] = 1
		for j := range n {
			text[j*n+i] = float32(similarity[i][j] / 2)
		}
	}
	space := NewSpace(image, text, n, 2)
	for i := range n {
		if !slices.Contains(unselected, i) {
			space.Take(i)
		}
	}
	space.Take(start)
	got := []int{start}
	for hop, q := range quantiles {
		next := space.Pick(got[hop], q)
		space.Take(next)
		got = append(got, next)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// BenchmarkSpace computes a space and walks through it in batches, each from a uniform start.
func BenchmarkSpace(b *testing.B) {
	for _, size := range []struct{ n, dim, batch int }{
		{960, 256, 96}, {1920, 64, 32}, {1920, 256, 96}, {4800, 256, 96}, {28320, 256, 96},
	} {
		if testing.Short() && size.n > 5000 {
			continue // the paper's takes half a minute
		}
		b.Run(fmt.Sprintf("M=%d/dim=%d", size.n, size.dim), func(b *testing.B) {
			image, text := embeddings(size.n, size.dim)
			starts := random.Stream(1, "starts")
			b.ReportAllocs()
			for b.Loop() {
				space := NewSpace(image, text, size.dim, 100)
				for space.Remaining() > 0 {
					anchor := space.Nth(starts.IntN(space.Remaining()))
					space.Take(anchor)
					for hop := 1; hop < size.batch && space.Remaining() > 0; hop++ {
						anchor = space.Pick(anchor, 0.9)
						space.Take(anchor)
					}
				}
			}
		})
	}
}

// embeddings returns n random unit vectors of images and texts close to them.
func embeddings(n, dim int) (image, text []float32) {
	source := random.Stream(1, "embeddings")
	image, text = make([]float32, 0, n*dim), make([]float32, 0, n*dim)
	for range n {
		u, w := make([]float64, dim), make([]float64, dim)
		for d := range dim {
			u[d] = source.NormFloat64()
			w[d] = u[d] + source.NormFloat64()
		}
		image, text = append(image, unit(u)...), append(text, unit(w)...)
	}
	return image, text
}

func unit(v []float64) []float32 {
	var square float64
	for _, x := range v {
		square += x * x
	}
	return mapped(v, func(x float64) float32 { return float32(x / math.Sqrt(square)) })
}

func rowsOf(embeddings []float32, dim int, order []int) []float32 {
	var out []float32
	for _, i := range order {
		out = append(out, embeddings[i*dim:(i+1)*dim]...)
	}
	return out
}
