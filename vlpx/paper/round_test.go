package paper

import "testing"

func TestRound(t *testing.T) {
	for x, want := range map[float64]float64{1.00005: 1.0001, -0.3: -0.3, -1.00006: -1.0001, 0: 0} {
		if got := round(x); got != want {
			t.Errorf("%v: got %v, want %v", x, got, want)
		}
	}
}
