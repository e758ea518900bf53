package falcon

import (
	"testing"

	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// The mean over the epochs leaves out the first one and the test split.
func TestThroughout(t *testing.T) {
	epoch := func(mean float64) train.Record { return train.Record{Metrics: map[string]float64{"R mean": mean}} }
	r := run.Result{Metrics: map[string]float64{"R mean": 90, throughout.Metric: 91},
		Epochs: []train.Record{epoch(5), epoch(10), {}, epoch(30)}}
	if v, ok := throughout.Value(r); !ok || v != 20 {
		t.Errorf("got %v, %v, want the mean of 10 and 30", v, ok)
	}
	for _, epochs := range [][]train.Record{nil, {epoch(5)}, {epoch(5), {}}} {
		if v, ok := throughout.Value(run.Result{Epochs: epochs}); ok {
			t.Errorf("%d epochs, none of them measured after the first: got %v", len(epochs), v)
		}
	}
}
