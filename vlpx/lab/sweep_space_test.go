package lab

import (
	"errors"
	"testing"

	"vlpx.internal/internal/test/must"
)

// A sweep that the disk has no space for is refused with what it takes and what there is; where that is unknown none is.
func TestSpaceIsShort(t *testing.T) {
	s := Space{Runs: 2, Needs: 5e6, Free: 4e6, Store: "home"}
	must.Fail(t, s.short(), "2 runs will take about 5.0 MB on disk; 4.0 MB are free at home: make room (vlpx prune", "-home")
	for _, free := range []uint64{0, 5e6, 6e6} {
		s.Free = free
		must.Do(t, s.short())
	}
	s.Program = 1e6
	if got := s.String(); got != "2 runs and a copy of this program will take about 5.0 MB on disk; 6.0 MB are free at home" {
		t.Errorf("said %q", got)
	}
	s.Free, s.Unknown = 1, errors.New("no graph")
	must.Do(t, s.short())
	if got := s.String(); got != "what 2 runs will take on disk is not known: no graph" {
		t.Errorf("said %q", got)
	}
}
