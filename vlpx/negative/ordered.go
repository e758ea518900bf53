package negative

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/random"
)

// Seen are the embeddings of all training pairs, each as its last mini-batch saw it: normalised, or zeros for a pair that was
// in none yet or whose image cannot be decoded. They must not be changed.
type Seen struct {
	Epoch       int // the epoch to be ordered, at least 1
	Pairs, Dim  int
	Image, Text []float32 // [Pairs, Dim]
	// Numbers are where an order reports numbers of the epoch by names of its own, as by seen.Tell("spread", x).
	*field.Numbers
}

// Ordered returns a sampler for a Batches of one's own that says in which order an epoch goes through the pairs. Neighbours in
// the order share a mini-batch, and the mini-batches are shuffled among themselves; pairs at the end that fill none sit the
// epoch out. Epoch 0 is uniform. The Start of such a Batches is one line:
//
//	func (b mine) Start(run negative.Start) (negative.Sampler, error) { return negative.Ordered(run, b.order) }
//
// order returns distinct pairs, at least as many as fill the epoch's mini-batches; what is random in it comes from draw, so
// that a resumed run repeats it. Memory is O(Pairs Dim).
func Ordered(run Start, order func(seen Seen, draw *rand.Rand) []int) (Sampler, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	numbers := run.Pairs * run.Dim
	seen := Seen{Pairs: run.Pairs, Dim: run.Dim, Image: make([]float32, numbers), Text: make([]float32, numbers)}
	return &orderedSampler{pass: newPass(run), draws: seeded(run.Seed), order: order, seen: seen}, nil
}

type orderedSampler struct {
	pass  pass
	draws seeded
	order func(Seen, *rand.Rand) []int
	seen  Seen
	told  field.Numbers
}

// ownOrder names what order draws.
const ownOrder purpose = "order of one's own"

func (s *orderedSampler) Epoch(e int) (int, error) {
	run := s.pass.run
	begins, err := s.pass.begins(e)
	if err != nil || !begins {
		return run.steps(), err
	}
	used := run.steps() * run.BatchSize
	if e == 0 {
		s.pass.begin(s.draws.perm(epochOrder, e, 0, run.Pairs)[:used])
		return run.steps(), nil
	}
	s.seen.Epoch, s.seen.Numbers = e, &s.told
	order := s.order(s.seen, random.Stream(run.Seed, "sampler", ownOrder, e))
	if err := s.check(order); err != nil {
		return 0, fmt.Errorf("negative: ordered: epoch %d: %w", e, err)
	}
	shuffled := make([]int, 0, used)
	for _, k := range s.draws.perm(batchShuffle, e, 0, run.steps()) {
		shuffled = append(shuffled, order[k*run.BatchSize:(k+1)*run.BatchSize]...)
	}
	s.pass.begin(shuffled)
	return run.steps(), nil
}

// Numbers implements Numbering.
func (s *orderedSampler) Numbers() field.Numbers {
	told := s.told
	s.told = nil
	return told
}

// check finds what makes an order none.
func (s *orderedSampler) check(order []int) error {
	if used := s.pass.run.steps() * s.pass.run.BatchSize; len(order) < used {
		return fmt.Errorf("an order of %d pairs; %d fill its mini-batches", len(order), used)
	}
	sorted := slices.Sorted(slices.Values(order))
	for i, pair := range sorted {
		if pair < 0 || pair >= s.pass.run.Pairs {
			return fmt.Errorf("pair %d in the order; there are pairs 0 to %d", pair, s.pass.run.Pairs-1)
		}
		if i > 0 && pair == sorted[i-1] {
			return fmt.Errorf("pair %d is in the order twice", pair)
		}
	}
	return nil
}

func (s *orderedSampler) Next() ([]int, error) { return s.pass.next() }

func (s *orderedSampler) Observe(o Observation) error {
	if err := o.check("ordered", s.pass.epoch, s.pass.run.Dim); err != nil {
		return err
	}
	if err := s.pass.observe(o.Pairs); err != nil {
		return err
	}
	for i, pair := range o.Pairs {
		to, from, dim := pair*s.seen.Dim, i*s.seen.Dim, s.seen.Dim
		copy(s.seen.Image[to:to+dim], o.Image[from:from+dim])
		copy(s.seen.Text[to:to+dim], o.Text[from:from+dim])
	}
	return nil
}

const orderedState = "vlpx ordered sampler 1"

func (s *orderedSampler) code(c *coder) {
	c.kind(orderedState)
	c.pass(&s.pass)
	c.floats(&s.seen.Image)
	c.floats(&s.seen.Text)
	if want := s.seen.Pairs * s.seen.Dim; c.reading && (len(s.seen.Image) != want || len(s.seen.Text) != want) {
		c.fail("%d image and %d text numbers of %d pairs of width %d", len(s.seen.Image), len(s.seen.Text), s.seen.Pairs, s.seen.Dim)
	}
}

func (s *orderedSampler) MarshalBinary() ([]byte, error)    { return encode(s) }
func (s *orderedSampler) UnmarshalBinary(data []byte) error { return decode(s, data) }
