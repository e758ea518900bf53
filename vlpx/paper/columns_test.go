package paper

import (
	"testing"

	"vlpx.internal/vlpx/eval"
)

// TestColumnOfAnyTask: a metric of any registered task has a column, with its heading and unit.
func TestColumnOfAnyTask(t *testing.T) {
	for _, e := range eval.Registered() {
		for _, info := range e.Task.Metrics() {
			if c := ColumnOf(info.Metric); c.Metric != string(info.Metric) || c.Group != info.Group || c.Unit != info.Unit ||
				c.Lower != info.LowerIsBetter {
				t.Errorf("%q has the column %+v", info.Metric, c)
			}
		}
	}
}
