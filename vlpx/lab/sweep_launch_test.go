package lab

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Workers whose runs are divided among devices get as many GPUs each, and none gets a part of them.
func TestGPUsTogether(t *testing.T) {
	for _, c := range []struct {
		gpus []string
		each int
		want []string
	}{
		{[]string{"0", "1", "2"}, 1, []string{"0", "1", "2"}},
		{[]string{"0", "1", "2", "3"}, 2, []string{"0,1", "2,3"}},
		{[]string{"4", "GPU-a", "7"}, 2, []string{"4,GPU-a"}},
		{nil, 2, nil},
	} {
		if got, err := together(c.gpus, c.each); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d of %q: got %q, %v, want %q", c.each, c.gpus, got, err, c.want)
		}
	}
	must.Fail(t, must.Err(together([]string{"0", "1"}, 4)), "set devices=2", "four of two GPUs")
	on := func(devices int) run.Run { return run.Run{Train: train.Config{Devices: devices}} }
	planned := func(rows [][]run.Run) *Grid { return &Grid{Plan: &paper.Planned{Plan: plan.Plan{Rows: rows}}} }
	s := &Sweep{Grids: []*Grid{planned([][]run.Run{{on(0)}, nil}), planned([][]run.Run{{on(0), on(4)}, {on(2)}})}}
	if got := s.devicesEach(); got != 4 {
		t.Errorf("the runs want %d devices, not 4", got)
	}
	s.Grids = s.Grids[:1]
	if got := s.devicesEach(); got != 1 {
		t.Errorf("the runs want %d devices, not 1", got)
	}
}
