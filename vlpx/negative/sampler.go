package negative

import (
	"encoding"
	"fmt"

	"vlpx.internal/vlpx/field"
)

// Batches decides which pairs share a mini-batch. It is plain data: its JSON is part of a run's identity.
type Batches interface {
	// Start returns the sampler of one training run; it checks the sizes and says what does not fit.
	Start(Start) (Sampler, error)
}

// ByEmbeddings reports whether mini-batches go by the embeddings that a sampler observes.
func ByEmbeddings(b Batches) bool {
	switch b.(type) {
	case nil, Uniform, Streamed:
		return false
	}
	return true
}

func batchesRole() Role {
	grouped := []Setting{SearchSpaceSetting}
	quantile := []Setting{SearchSpaceSetting, QuantileSetting}
	return slot(Role{
		Name: "Batches", Label: "batches", scope: "batches", plain: Uniform{}, Check: Method.rewardable, Parts: []Part{
			{Name: "uniform", What: "pairs drawn uniformly", Of: "InfoNCE"},
			{Name: "grouped", What: "chains of nearest neighbours (GRIT-VLP)", Of: "GRIT-VLP", Uses: grouped},
			{Name: "fixed quantile", What: "neighbours of one hardness", Of: "Hard quantile", Uses: quantile},
			{Name: "hardening", What: "from the quantile to the hardest over training", Of: "Progressive-Hardening", Uses: quantile},
			{Name: "softening", What: "from the hardest to the quantile over training", Of: "Progressive-Softening", Uses: quantile},
			{Name: "scheduled", What: "a learned quantile for each anchor (FALCON)", Of: "FALCON", Uses: grouped},
		},
	}, func(m *Method) *Batches { return &m.Batches })
}

// Start is what a sampler must know of the training run it serves.
type Start struct {
	Pairs     int    // number of training pairs N
	BatchSize int    // pairs a mini-batch B
	Dim       int    // width of the shared embedding
	Epochs    int    // length of the run
	Seed      uint64 // seeds every draw, by the draw's purpose and place
	Shards    []int  // first pair of each shard that the data lies in, ascending from 0; empty where all are in one
	// Anchors are the kinds of anchors that there are, ImageAnchors and TextAnchors or ImageAnchors alone; see Anchors.
	Anchors []string
}

// Sampler yields the mini-batches of a run, epoch by epoch, and learns from what the step saw. Every epoch drops the pairs
// that do not fill a last mini-batch. It is used from one goroutine.
//
// Next may run ahead of Observe within an epoch. The marshalled state is that after the last Observe: mini-batches that were
// handed out but not observed are handed out again by a sampler that was unmarshalled from it, so a run that is stopped with
// prefetched mini-batches in flight resumes to the same numbers.
type Sampler interface {
	// Epoch begins epoch e (0-based) once the epoch before is observed to its end, and returns its number of mini-batches.
	// For the epoch in progress, as after UnmarshalBinary, it returns the number and changes nothing.
	Epoch(e int) (steps int, err error)
	// Next returns the next mini-batch of the epoch: BatchSize distinct pair indices. The caller must not change it.
	Next() ([]int, error)
	// Observe shows the sampler what the step saw; called once a step, in the order of Next.
	Observe(Observation) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Numbering is a Sampler that reports numbers by names of its own, as [field.Reporter] does within a step.
type Numbering interface {
	Sampler
	// Numbers are those reported since it was asked last, which it forgets. It is asked once an epoch has begun, and after each Observe,
	// before the state is marshalled.
	Numbers() field.Numbers
}

// Observation is what a training step saw of its mini-batch.
type Observation struct {
	Pairs []int // the mini-batch, as Next returned it
	// Image and Text are the normalised embeddings of the forward pass, before the update, [batch, dim]; zeros of a pair whose image
	// could not be decoded, so that another pair took its place in the step.
	Image, Text []float32
	Temperature float64 // tau of the step
	// Improvement is how much the update lowered the losses that Rewarded names, in nats; 0 where Batches is not Rewarded.
	Improvement float64
}

// check finds embeddings of another width, or that are not finite, in what the named sampler observes in an epoch.
func (o Observation) check(sampler string, epoch, dim int) error {
	if want := len(o.Pairs) * dim; len(o.Image) != want || len(o.Text) != want {
		return fmt.Errorf("negative: %s: %d image and %d text numbers observed for %d pairs of width %d; want %d each",
			sampler, len(o.Image), len(o.Text), len(o.Pairs), dim, want)
	}
	for i := range o.Image {
		if notFinite(o.Image[i]) || notFinite(o.Text[i]) {
			return fmt.Errorf("negative: %s: epoch %d: the embedding of pair %d is not finite", sampler, epoch, o.Pairs[i/dim])
		}
	}
	return nil
}

func notFinite(x float32) bool { return x-x != 0 }

func (s Start) check() error {
	switch {
	case s.BatchSize < 2:
		return fmt.Errorf("negative: batch size %d: a mini-batch needs at least two pairs to have negatives", s.BatchSize)
	case s.Pairs < s.BatchSize:
		return fmt.Errorf("negative: %d pairs do not fill one mini-batch of %d; take a smaller batchsize, %[1]d at most, or more data",
			s.Pairs, s.BatchSize)
	case s.Dim < 1:
		return fmt.Errorf("negative: embedding width %d; it must be positive", s.Dim)
	case s.Epochs < 1:
		return fmt.Errorf("negative: %d epochs; a run has at least one", s.Epochs)
	}
	for i, first := range s.Shards {
		if i == 0 && first != 0 || i > 0 && first <= s.Shards[i-1] || first >= s.Pairs {
			return fmt.Errorf("negative: shard %d begins at pair %d of %d; shards begin at ascending pairs from 0", i, first, s.Pairs)
		}
	}
	return nil
}

// steps is the number of mini-batches an epoch.
func (s Start) steps() int { return s.Pairs / s.BatchSize }
