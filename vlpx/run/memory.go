package run

import (
	"os"

	"vlpx.internal/vlpx/engine"
)

// resetPeak makes the present resident size the process's largest so far, and tells whether the system does that (Linux, proc(5)).
func resetPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// peak is the largest resident size of the process since it began or was reset, in bytes, 0 where the system does not tell.
func peak() int64 { return int64(engine.PeakMemory(os.Getpid())) }

// watchMemory returns a function that tells the largest resident size of the process since the call, in bytes, 0 where the system
// does not tell. The last call counts: of two runs at once, the second's memory is counted from its start for both.
func watchMemory() func() int64 {
	if !resetPeak() {
		return func() int64 { return 0 }
	}
	return peak
}
