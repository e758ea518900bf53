package run

import (
	"errors"
	"runtime/debug"
	"testing"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
)

// What was large before a run is no part of its peak, what is large during it is.
func TestPeakMemoryIsTheRunsOwn(t *testing.T) {
	if !resetPeak() {
		t.Skip("/proc/self/clear_refs cannot be written here, so that no run tells its memory")
	}
	const much = 512 << 20
	fill := func() {
		large := make([]byte, much)
		for i := 0; i < len(large); i += 4096 {
			large[i] = 1
		}
	}
	fill()
	debug.FreeOSMemory()
	before := peak()
	result := must.Get(executor(t, t.TempDir()).Run(t.Context(), smallest(t)))(t)
	if got := result.PeakMemory; got < 1<<20 || got > before-much/2 {
		t.Errorf("after a process that took %d MiB: got %d MiB for a small run, want less by most of %d MiB", before>>20, got>>20, much>>20)
	}
	told := watchMemory()
	fill()
	if got := told(); got < much {
		t.Errorf("got a peak of %d MiB, want at least %d MiB", got>>20, much>>20)
	}
}

// Scenes that no memory holds are refused before they are drawn.
func TestDrawable(t *testing.T) {
	many := scenes.Config{Train: 10_000_000}.WithDefaults()
	must.Fail(t, drawable(many, 4<<30), "this machine has 4 GiB")
	must.Do(t, errors.Join(drawable(many, 64<<30), drawable(many, 0), drawable(scenes.Default(), 1<<30)))
}
