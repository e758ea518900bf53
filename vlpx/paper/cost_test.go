package paper_test

import (
	"testing"
	"time"

	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/scale"
)

func TestCost(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		if paper.RunCost(name) <= 0 {
			t.Errorf("%s: no cost", name)
		}
	}
	for total, want := range map[time.Duration]string{
		30 * time.Second: "30 s", 10 * time.Minute: "10 min", 5 * time.Hour: "5 h", 240 * time.Hour: "10 days",
	} {
		if got := paper.Cost("tiny", int(total/paper.RunCost("tiny"))); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
