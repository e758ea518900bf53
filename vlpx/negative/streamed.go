package negative

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"vlpx.internal/vlpx/random"
)

// Streamed goes through shards of pairs as WebDataset does, in the place of a uniform shuffle that data on a disk or a network is too
// slow for. Every epoch shuffles the shards and deals them to workers; these are read in turn, a pair each, every one from the beginning
// of a shard to its end; and each mini-batch is drawn from a buffer of the pairs that were read.
//
// Pairs of a shard so share mini-batches more often than by chance: with one worker and no buffer they follow each other. The remainder
// that does not fill a mini-batch is dropped, the last ones of the epoch.
type Streamed struct {
	Workers int // 0 for one; those beyond the number of shards have nothing to read
	Buffer  int // pairs that the next one is drawn from, uniformly; 0 or 1 for the next one read
}

// streamWorkers is the number of shards that InStream reads at a time. It is our choice, that of a data loader's processes.
const streamWorkers = 4

// InStream is InfoNCE on data in shards, as it comes, through a buffer of so many pairs.
func InStream(buffer int) Method {
	m := Plain()
	m.Name, m.Batches = "Streamed", Streamed{Workers: streamWorkers, Buffer: buffer}
	return m
}

// Start returns the sampler of a run. Of a run without shards all pairs are in one.
func (b Streamed) Start(run Start) (Sampler, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	switch {
	case b.Workers < 0:
		return nil, fmt.Errorf("negative: %d workers; use at least 1, or 0 for one", b.Workers)
	case b.Buffer < 0:
		return nil, fmt.Errorf("negative: a shuffle buffer of %d pairs; use at least 1, or 0 for none", b.Buffer)
	}
	return &streamedSampler{pass: newPass(run), workers: max(1, b.Workers), buffer: max(1, b.Buffer)}, nil
}

type streamedSampler struct {
	pass            pass
	workers, buffer int
}

// Purposes of the draws of a streamed epoch.
const (
	shardShuffle  purpose = "shard-level shuffle" // of all shards
	shuffleBuffer purpose = "shuffle buffer"      // which pair of it is next
)

func (s *streamedSampler) Epoch(e int) (int, error) {
	begins, err := s.pass.begins(e)
	if err != nil {
		return 0, err
	}
	run := s.pass.run
	if begins {
		shards := seeded(run.Seed).perm(shardShuffle, e, 0, max(1, len(run.Shards)))
		order := shuffled(streamed(run, shards, s.workers), s.buffer, random.Stream(run.Seed, "sampler", shuffleBuffer, e))
		s.pass.begin(order[:run.steps()*run.BatchSize])
	}
	return run.steps(), nil
}

// streamed are all pairs in the order in which workers read them, who are dealt shards as cards are.
func streamed(run Start, shards []int, workers int) []int {
	starts := append(slices.Clone(run.Shards), run.Pairs)
	if len(run.Shards) == 0 {
		starts = []int{0, run.Pairs}
	}
	stacks := make([][]int, min(workers, len(shards))) // the pairs of each worker
	for place, shard := range shards {
		worker := place % len(stacks)
		for pair := starts[shard]; pair < starts[shard+1]; pair++ {
			stacks[worker] = append(stacks[worker], pair)
		}
	}
	order := make([]int, 0, run.Pairs)
	for turn := 0; len(order) < run.Pairs; turn++ {
		for _, stack := range stacks {
			if turn < len(stack) {
				order = append(order, stack[turn])
			}
		}
	}
	return order
}

// shuffled draws from a buffer that is filled from the pairs as long as there are any; the last one read takes the place of the drawn one.
func shuffled(pairs []int, buffer int, draw *rand.Rand) []int {
	held := slices.Clone(pairs[:min(buffer, len(pairs))])
	rest := pairs[len(held):]
	order := make([]int, 0, len(pairs))
	for len(held) > 0 {
		k := draw.IntN(len(held))
		order = append(order, held[k])
		if len(rest) > 0 {
			held[k], rest = rest[0], rest[1:]
			continue
		}
		last := len(held) - 1
		held[k] = held[last]
		held = held[:last]
	}
	return order
}

func (s *streamedSampler) Next() ([]int, error) { return s.pass.next() }

func (s *streamedSampler) Observe(o Observation) error { return s.pass.observe(o.Pairs) }

const streamedState = "vlpx streamed sampler 1"

func (s *streamedSampler) code(c *coder) {
	workers, buffer, shards := s.workers, s.buffer, s.pass.run.Shards
	c.kind(streamedState)
	c.number(&workers)
	c.number(&buffer)
	c.pairs(&shards, s.pass.run.Pairs)
	c.pass(&s.pass)
	if workers != s.workers || buffer != s.buffer || !slices.Equal(shards, s.pass.run.Shards) {
		c.fail("it belongs to another run: saved %d workers, a buffer of %d and %d shards, this run %d, %d and %d shards, or others",
			workers, buffer, len(shards), s.workers, s.buffer, len(s.pass.run.Shards))
	}
}

func (s *streamedSampler) MarshalBinary() ([]byte, error)    { return encode(s) }
func (s *streamedSampler) UnmarshalBinary(data []byte) error { return decode(s, data) }

var inStream = Entry{
	Name:    "Streamed",
	Aliases: []string{"WebDataset"},
	Source:  "WebDataset; METHODS.md 2",
	What:    "InfoNCE on pairs in the order of their shards, shuffled by a buffer",
	At:      func(s Sizes) Method { return InStream(s.SearchSpace) },
}
