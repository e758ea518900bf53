package bench

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// copySizes are the bytes that copies move, half of them read and half written. What an operation reads was mostly written shortly before,
// so that memory's rate is a cache's where all of it fits into one: an operation is held to the copy that moves the next larger number of
// bytes, the largest of which no cache has. All are our choice.
var copySizes = []int{16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20}

// atATime is what the copies between two looks at the clock move at least.
const atATime = 8 << 20

// copying is a copy from a buffer into another by as many threads as the engine has, each of which has its share of both.
type copying struct{ from, to [][]byte }

// newCopying prepares the copy that moves so many bytes.
func newCopying(bytes int) *copying {
	c := &copying{}
	threads := runtime.GOMAXPROCS(0)
	for range threads {
		c.from = append(c.from, slices.Repeat([]byte{1}, bytes/2/threads)) // written, so that it has memory of its own
		c.to = append(c.to, slices.Repeat([]byte{2}, bytes/2/threads))
	}
	return c
}

// turn implements contender. What it returns is of one copy.
func (c *copying) turn(ctx context.Context) (Times, error) {
	times := max(1, atATime/(2*len(c.from)*len(c.from[0])))
	return bursts(ctx, func() (time.Duration, error) {
		begun := time.Now()
		var all sync.WaitGroup
		for k := range c.from {
			all.Go(func() {
				for range times {
					copy(c.to[k], c.from[k])
				}
			})
		}
		all.Wait()
		return time.Since(begun) / time.Duration(times), nil
	})
}

// Rate is how fast memory is.
type Rate struct {
	Bytes     int     // that are moved at a time
	PerSecond float64 // bytes
}

// atRate is what moving bytes takes, in seconds, at the rate of the smallest copy that moves at least as many.
func atRate(rates []Rate, bytes float64) float64 {
	k := slices.IndexFunc(rates, func(r Rate) bool { return float64(r.Bytes) >= bytes })
	if k < 0 {
		k = len(rates) - 1
	}
	return bytes / rates[k].PerSecond
}
