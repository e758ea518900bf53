package negative

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// byText is a Batches of one's own: it sorts the pairs by the first number of their text, then of their image, equals at random.
type byText struct{}

func (b byText) Start(run Start) (Sampler, error) { return Ordered(run, b.order) }

func (byText) order(s Seen, draw *rand.Rand) []int {
	order := draw.Perm(s.Pairs)
	slices.SortStableFunc(order, func(a, b int) int {
		a, b = a*s.Dim, b*s.Dim
		return cmp.Or(cmp.Compare(s.Text[a], s.Text[b]), cmp.Compare(s.Image[a], s.Image[b]))
	})
	return order
}

// fixed always gives the same order.
type fixed []int

func (f fixed) Start(run Start) (Sampler, error) {
	return Ordered(run, func(Seen, *rand.Rand) []int { return f })
}

// After an epoch, order is shown what each pair's last mini-batch saw of it, and zeros for the pairs that were in none. It draws
// from a stream of its own in each epoch.
func TestOrderedShowsTheLastEmbeddings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, run := drawRun(t)
		run.Epochs = 3
		want := Observation{Image: make([]float32, run.Pairs*run.Dim), Text: make([]float32, run.Pairs*run.Dim)}
		asked, drawn := 0, map[uint64]bool{}
		sampler, err := Ordered(run, func(got Seen, draw *rand.Rand) []int {
			asked++
			drawn[draw.Uint64()] = true
			if got.Epoch != asked || got.Pairs != run.Pairs || got.Dim != run.Dim {
				t.Errorf("asked for epoch %d of %d pairs of width %d, want %d, %d, %d", got.Epoch, got.Pairs, got.Dim, asked,
					run.Pairs, run.Dim)
			}
			if !slices.Equal(got.Image, want.Image) || !slices.Equal(got.Text, want.Text) {
				t.Errorf("epoch %d: embeddings %v and %v, want %v and %v", got.Epoch, got.Image, got.Text, want.Image, want.Text)
			}
			return draw.Perm(run.Pairs)
		})
		if err != nil {
			t.Fatal(err)
		}
		for e := range run.Epochs {
			for _, pairs := range epochOf(t, sampler, run, e) {
				for _, pair := range pairs {
					one := seen(run, e, []int{pair})
					copy(want.Image[pair*run.Dim:], one.Image)
					copy(want.Text[pair*run.Dim:], one.Text)
				}
			}
		}
		if asked != 2 || len(drawn) != 2 {
			t.Errorf("asked %d times with %d streams, want one for each of the epochs 1 and 2", asked, len(drawn))
		}
	})
}

// The mini-batches of an epoch are the order's neighbours; its last pairs sit out.
func TestOrderedCutsNeighbours(t *testing.T) {
	order := fixed{9, 2, 7, 4, 1, 0, 3, 8, 6, 5, 10}
	run := Start{Pairs: 11, BatchSize: 3, Dim: 1, Epochs: 20, Seed: 1}
	sampler := started(t, order, run)
	epochOf(t, sampler, run, 0)
	firsts := map[int]bool{}
	for e := 1; e < run.Epochs; e++ {
		got := epochOf(t, sampler, run, e)
		firsts[got[0][0]] = true
		slices.SortFunc(got, func(a, b []int) int {
			return cmp.Compare(slices.Index(order, a[0]), slices.Index(order, b[0]))
		})
		if flat := slices.Concat(got...); !slices.Equal(flat, order[:9]) {
			t.Errorf("epoch %d: mini-batches %v, want those cut from %v", e, got, order)
		}
	}
	if len(firsts) != 3 {
		t.Errorf("the first mini-batches of 19 epochs begin with %v, want each of 9, 4 and 3", firsts)
	}
}

func TestOrderedRefuses(t *testing.T) {
	run := Start{Pairs: 7, BatchSize: 3, Dim: 2, Epochs: 2}
	for _, c := range []struct {
		order fixed
		want  string
	}{
		{fixed{0, 1, 2, 3, 4}, "epoch 1: an order of 5 pairs; 6 fill"},
		{fixed{0, 1, 2, 3, 4, 7}, "pair 7 in the order; there are pairs 0 to 6"},
		{fixed{0, 1, 2, 3, 4, -1}, "pair -1"},
		{fixed{0, 1, 2, 3, 4, 5, 5}, "pair 5 is in the order twice"},
	} {
		sampler := started(t, c.order, run)
		epochOf(t, sampler, run, 0)
		must.Fail(t, must.Err(sampler.Epoch(1)), c.want, "%v", c.order)
	}

	sampler := started(t, byText{}, run)
	must.Get(sampler.Epoch(0))(t)
	pairs := must.Get(sampler.Next())(t)
	o := seen(run, 0, pairs)
	o.Text[3] = float32(math.NaN())
	must.Fail(t, sampler.Observe(o), "ordered: epoch 0: the embedding of pair", "an embedding that is no number")
	o.Text = o.Text[:4]
	must.Fail(t, sampler.Observe(o), "4 text numbers", "too few numbers")
}
