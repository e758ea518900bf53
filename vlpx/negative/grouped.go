package negative

import (
	"fmt"
	"slices"
)

// Grouped fills mini-batches with similar pairs (GRIT-VLP, Byun et al., 2022; METHODS.md 3.4-3.5). Epoch 0 is uniform. While
// an epoch runs its embeddings collect in a queue; a full queue, and what the epoch's last step leaves in it, is shuffled,
// cut into search spaces, and each is ordered by Chain with quantile 1. The mini-batches cut from that order, shuffled among
// themselves, are the next epoch. Memory is O(Queue dim).
//
// As in the published code, pairs that the first epoch drops because they do not fill a mini-batch never come back, unless
// Readmit is set. Unlike it, a last search space that would be empty is skipped, where the code crashes; used entries are
// removed instead of zeroed, which differs only where float32 underflows and the code would repeat pairs; and the last epoch
// collects nothing.
type Grouped struct {
	SearchSpace int // pairs a chain runs through; 0 takes the scale's, without a scale the published 1,920
	// pairs collected before they are grouped; 0 takes the scale's with its search space, else 25 search spaces, the published ratio
	Queue int

	// Readmit lets the pairs that sat out an epoch take random places in the next one; those they displace sit out in turn.
	Readmit bool `json:",omitempty"`
}

// Sized implements [Sized].
func (g Grouped) Sized(s Sizes) any {
	s.group(&g.SearchSpace, &g.Queue)
	return g
}

// Start returns the sampler of a run. BatchSize must divide SearchSpace and SearchSpace the Queue.
func (g Grouped) Start(run Start) (Sampler, error) {
	return g.start(run, func(int) float64 { return 1 })
}

// start returns a sampler that groups the mini-batches of epoch e with the hardness quantile(e).
func (g Grouped) start(run Start, quantile func(epoch int) float64) (Sampler, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	if g.SearchSpace == 0 {
		g.SearchSpace = 1920
	}
	if g.Queue == 0 {
		g.Queue = 25 * g.SearchSpace
	}
	switch {
	case g.SearchSpace < 0 || g.Queue < 0:
		return nil, fmt.Errorf("negative: grouped: search space %d, queue %d; neither can be negative", g.SearchSpace, g.Queue)
	case g.SearchSpace%run.BatchSize != 0:
		return nil, fmt.Errorf("negative: grouped: search space %d is no multiple of the batch size %d; take searchspace=%d",
			g.SearchSpace, run.BatchSize, multipleAbove(g.SearchSpace, run.BatchSize))
	case g.Queue%g.SearchSpace != 0:
		return nil, fmt.Errorf("negative: grouped: queue %d is no multiple of the search space %d; take groupqueue=%d",
			g.Queue, g.SearchSpace, multipleAbove(g.Queue, g.SearchSpace))
	}
	return &groupedSampler{Grouped: g, pass: newPass(run), draws: seeded(run.Seed), quantile: quantile}, nil
}

func multipleAbove(n, of int) int { return (n + of - 1) / of * of }

type groupedSampler struct {
	Grouped
	pass     pass
	draws    draws
	quantile func(epoch int) float64

	queue   queue
	next    []int // the next epoch's pairs in the order of the chains
	dropped []int // pairs that sit out the epoch
}

// queue holds the embeddings collected since it was last grouped.
type queue struct {
	pairs       []int
	image, text []float32 // [pairs, dim]
}

func (s *groupedSampler) Epoch(e int) (int, error) {
	run := s.pass.run
	begins, err := s.pass.begins(e)
	if err != nil || !begins {
		return run.steps(), err
	}
	used := run.steps() * run.BatchSize
	var order []int
	if e == 0 {
		order = s.draws.perm(epochOrder, e, 0, run.Pairs)
		order, s.dropped = order[:used], order[used:]
	} else {
		order = make([]int, 0, used)
		for _, k := range s.draws.perm(batchShuffle, e, 0, run.steps()) {
			order = append(order, s.next[k*run.BatchSize:(k+1)*run.BatchSize]...)
		}
		if s.Readmit {
			s.readmit(order, s.draws.perm(readmission, e, 0, used))
		}
	}
	s.next = nil
	s.pass.begin(order)
	return run.steps(), nil
}

// readmit swaps the pairs that sat out an epoch with those at the first places in the next one's order.
func (s *groupedSampler) readmit(order, places []int) {
	for i := range s.dropped {
		order[places[i]], s.dropped[i] = s.dropped[i], order[places[i]]
	}
}

func (s *groupedSampler) Next() ([]int, error) { return s.pass.next() }

func (s *groupedSampler) Observe(o Observation) error {
	if err := o.check("grouped", s.pass.epoch, s.pass.run.Dim); err != nil {
		return err
	}
	if err := s.pass.observe(o.Pairs); err != nil {
		return err
	}
	if s.pass.epoch == s.pass.run.Epochs-1 {
		return nil
	}
	s.collect(o)
	if len(s.queue.pairs) == s.Queue || s.pass.done() {
		s.group()
	}
	return nil
}

// collect appends a mini-batch to the queue.
func (s *groupedSampler) collect(o Observation) {
	q, run := &s.queue, s.pass.run
	room := min(s.Queue, run.steps()*run.BatchSize) - len(q.pairs)
	q.pairs = append(slices.Grow(q.pairs, room), o.Pairs...)
	q.image = append(slices.Grow(q.image, room*run.Dim), o.Image...)
	q.text = append(slices.Grow(q.text, room*run.Dim), o.Text...)
}

// group shuffles the queue, orders each search space of it by a chain, appends the pairs to the next epoch and empties it.
func (s *groupedSampler) group() {
	q, epoch := &s.queue, s.pass.epoch
	quantile := s.quantile(epoch + 1)
	shuffled := s.draws.perm(exampleShuffle, epoch, len(s.next), len(q.pairs))
	for rows := range slices.Chunk(shuffled, s.SearchSpace) {
		// The published draw never takes the last entry: randint's bound is exclusive and given as the size less one.
		start := s.draws.below(chainStart, epoch, len(s.next), len(rows)-1)
		chain := newSpace(q.image, q.text, s.pass.run.Dim, rows).walk(start, quantile)
		for _, entry := range chain {
			s.next = append(s.next, q.pairs[rows[entry]])
		}
	}
	q.pairs, q.image, q.text = q.pairs[:0], q.image[:0], q.text[:0]
}

const groupedState = "vlpx grouped sampler 1"

func (s *groupedSampler) code(c *coder) {
	run, p := s.pass.run, &s.pass
	space, size := s.SearchSpace, s.Queue
	c.kind(groupedState)
	c.number(&space)
	c.number(&size)
	if space != s.SearchSpace || size != s.Queue {
		c.fail("saved with search space %d and queue %d, this run has %d and %d", space, size, s.SearchSpace, s.Queue)
	}
	c.pass(p)
	c.pairs(&s.next, run.Pairs)
	c.pairs(&s.dropped, run.Pairs)
	c.pairs(&s.queue.pairs, run.Pairs)
	c.floats(&s.queue.image)
	c.floats(&s.queue.text)
	if !c.reading || c.err != nil {
		return
	}
	collected, absent := 0, 0
	if p.epoch >= 0 {
		absent = run.Pairs - len(p.order)
	}
	if p.epoch < run.Epochs-1 {
		collected = p.observed * run.BatchSize
	}
	q, width := s.queue, len(s.queue.pairs)*run.Dim
	if len(s.next)+len(q.pairs) != collected || len(s.dropped) != absent || len(q.pairs) >= s.Queue || p.done() && width > 0 ||
		len(q.image) != width || len(q.text) != width {
		c.fail("epoch %d, mini-batch %d: %d pairs grouped, %d queued with %d and %d numbers, %d sitting out do not fit together",
			p.epoch, p.observed, len(s.next), len(q.pairs), len(q.image), len(q.text), len(s.dropped))
	}
}

func (s *groupedSampler) MarshalBinary() ([]byte, error)    { return encode(s) }
func (s *groupedSampler) UnmarshalBinary(data []byte) error { return decode(s, data) }

// GRITVLP groups similar pairs into mini-batches and adds a consistency target to ITC (Byun et al., 2022; METHODS.md 3).
func GRITVLP(searchSpace, queue int) Method {
	return grit("GRIT-VLP", Grouped{SearchSpace: searchSpace, Queue: queue})
}

func grit(name string, b Batches) Method {
	return Method{Name: name, Batches: b, Contrast: Consistency{Weight: 0.2}, Matching: Hardest{}, Masking: 0.5}
}

var gritVLP = Entry{
	Name:    "GRIT-VLP",
	Aliases: []string{"GRIT"},
	Source:  "Byun et al., 2022; METHODS.md 3",
	What:    "mini-batches of similar pairs",
	At:      func(s Sizes) Method { return GRITVLP(s.SearchSpace, s.GroupQueue) },
}
