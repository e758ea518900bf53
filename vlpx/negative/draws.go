package negative

import "vlpx.internal/vlpx/random"

// purpose names a random decision of a sampler.
type purpose string

const (
	epochOrder     purpose = "epoch order"              // the order of a uniform epoch
	exampleShuffle purpose = "example-level shuffle"    // of GRIT-VLP's queue
	chainStart     purpose = "chain start"              // the first entry of a chain
	batchShuffle   purpose = "mini-batch-level shuffle" // of GRIT-VLP's grouped mini-batches
	readmission    purpose = "readmission"              // places of the pairs that sat out an epoch
)

// draws makes the random decisions of a sampler. Each is a function of its purpose, the epoch and the number of pairs placed
// in that epoch before it, so a sampler has no stream to save. Golden cases replay recorded draws.
type draws interface {
	// perm returns a uniform permutation of 0..n-1.
	perm(p purpose, epoch, placed, n int) []int
	// below returns a uniform integer in [0, n).
	below(p purpose, epoch, placed, n int) int
}

// seeded draws from named streams under the run's seed.
type seeded uint64

func (s seeded) perm(p purpose, epoch, placed, n int) []int {
	return random.Stream(uint64(s), "sampler", p, epoch, placed).Perm(n)
}

func (s seeded) below(p purpose, epoch, placed, n int) int {
	return random.Stream(uint64(s), "sampler", p, epoch, placed).IntN(n)
}
