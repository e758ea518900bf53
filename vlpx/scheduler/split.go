package scheduler

import (
	"runtime"
	"sync"
)

// split cuts n independent pieces of work into ranges, one a processor but none below grain pieces, and waits for all. What
// work does for a piece must not depend on the range it is in, so that results do not depend on the number of processors.
func split(n, grain int, work func(from, to int)) {
	parts := min(runtime.GOMAXPROCS(0), n/grain)
	if parts < 2 {
		work(0, n)
		return
	}
	var wait sync.WaitGroup
	for part := range parts {
		wait.Go(func() { work(n*part/parts, n*(part+1)/parts) })
	}
	wait.Wait()
}
