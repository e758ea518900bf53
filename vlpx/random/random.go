// Package random names the random streams of a run: every draw comes from a stream derived from the run's seed and a name,
// so that what one part draws never moves what another does, and a resumed run draws what an uninterrupted one would.
package random

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// Stream returns the stream of a name under a seed. The parts of the name are joined as fmt.Sprint would print them, with
// slashes between: Stream(1, "mask", epoch, step).
func Stream(seed uint64, name ...any) *rand.Rand {
	h := fnv.New64a()
	for _, part := range name {
		fmt.Fprint(h, part, "/")
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
