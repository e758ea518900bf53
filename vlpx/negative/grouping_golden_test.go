package negative

import (
	"slices"
	"strconv"
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
)

// TestGolden recomputes the golden cases of batch construction. They are checked here and not with the other cases because
// the sampler's draws can be replaced only from inside the package.
func TestGolden(t *testing.T) {
	golden.Check(t, "negative", map[string]func(*testing.T, golden.Case){
		"grit_grouping":             checkGritGrouping,
		"grit_grouping_from_matrix": checkGritGroupingFromMatrix,
		"grit_epoch_pipeline":       checkGritEpochPipeline,
	})
}

func checkGritGrouping(t *testing.T, c golden.Case) {
	image, text := c.Tensor("inputs", "image_feat"), c.Tensor("inputs", "text_feat")
	index, start := c.Ints("inputs", "index"), c.Int("params", "start")
	want := c.Ints("expected", "order_index")
	mustRead(t, c)
	order := must.Get(Chain(float32s(image.Float), float32s(text.Float), image.Shape[1], start, 1))(t)
	if got := at(index, order); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// With unit vectors for images, the texts that have S as their products are the columns of S.
func checkGritGroupingFromMatrix(t *testing.T, c golden.Case) {
	similarity := c.Matrix("inputs", "sim_image_text")
	index, start := c.Ints("inputs", "index"), c.Int("params", "start")
	want := c.Ints("expected", "order_index")
	mustRead(t, c)
	n := len(similarity)
	order := must.Get(Chain(unitVectors(n), columns(similarity), n, start, 1))(t)
	if got := at(index, order); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// checkGritEpochPipeline runs an epoch whose order and draws are the recorded ones.
func checkGritEpochPipeline(t *testing.T, c golden.Case) {
	image, text := c.Tensor("inputs", "image_feat"), c.Tensor("inputs", "text_feat")
	index := c.Ints("inputs", "index")
	batch, steps := c.Int("params", "batch_size"), c.Int("params", "num_steps")
	grouped := Grouped{SearchSpace: c.Int("params", "search_space"), Queue: c.Int("params", "queue_size")}
	record := recording{perms: map[purpose][][]int{
		epochOrder:   {index},
		batchShuffle: {c.Ints("params", "random_stream", "minibatch_perm")},
	}}
	for i := range c.Len("params", "random_stream", "example_shuffle_perms") {
		perm := c.Ints("params", "random_stream", "example_shuffle_perms", strconv.Itoa(i))
		record.perms[exampleShuffle] = append(record.perms[exampleShuffle], perm)
	}
	record.starts = c.Ints("params", "random_stream", "chain_starts")
	before, after := c.Ints("expected", "index_before_minibatch_shuffle"), c.Ints("expected", "index_next_epoch")
	mustRead(t, c)

	dim := image.Shape[1]
	started := must.Get(grouped.Start(Start{Pairs: len(index), BatchSize: batch, Dim: dim, Epochs: 2}))(t)
	sampler := started.(*groupedSampler)
	sampler.draws = &record
	if n, err := sampler.Epoch(0); err != nil || n != steps {
		t.Fatalf("epoch 0: %d steps, error %v; want %d", n, err, steps)
	}
	for k := range steps {
		pairs := must.Get(sampler.Next())(t)
		lo, hi := k*batch*dim, (k+1)*batch*dim
		must.Do(t, sampler.Observe(Observation{Pairs: pairs, Image: float32s(image.Float[lo:hi]),
			Text: float32s(text.Float[lo:hi])}))
	}
	if !slices.Equal(sampler.next, before) {
		t.Errorf("before the mini-batch-level shuffle: got %v, want %v", sampler.next, before)
	}
	must.Get(sampler.Epoch(1))(t)
	var got []int
	for range steps {
		pairs := must.Get(sampler.Next())(t)
		got = append(got, pairs...)
	}
	if !slices.Equal(got, after) {
		t.Errorf("next epoch: got %v, want %v", got, after)
	}
	if len(record.starts) != 0 || len(record.perms[exampleShuffle]) != 0 {
		t.Errorf("draws left over: chain starts %v, example-level shuffles %v", record.starts, record.perms[exampleShuffle])
	}
}

// recording replays recorded draws in their order.
type recording struct {
	perms  map[purpose][][]int
	starts []int
}

func (r *recording) perm(p purpose, _, _, n int) []int {
	perm := r.perms[p][0]
	if len(perm) != n {
		panic("a recorded permutation has another length")
	}
	r.perms[p] = r.perms[p][1:]
	return perm
}

func (r *recording) below(_ purpose, _, _, n int) int {
	start := r.starts[0]
	if start >= n {
		panic("a recorded chain start is out of range")
	}
	r.starts = r.starts[1:]
	return start
}

func mustRead(t *testing.T, c golden.Case) {
	t.Helper()
	must.Do(t, c.Err())
}

func float32s(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

func unitVectors(n int) []float32 {
	v := make([]float32, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	return v
}

// columns lays the columns of a square matrix one after another.
func columns(m [][]float64) []float32 {
	var v []float32
	for j := range m {
		for i := range m {
			v = append(v, float32(m[i][j]))
		}
	}
	return v
}

// at returns values[i] for each i of order.
func at(values, order []int) []int {
	out := make([]int, len(order))
	for k, i := range order {
		out[k] = values[i]
	}
	return out
}
