package lab

import (
	"strings"
	"sync"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/train"
)

// columnUnits are the units of all metrics that a table of the catalogue, or a task of package eval, has.
var columnUnits = sync.OnceValue(func() map[string]string {
	units := map[string]string{}
	for _, a := range catalogue.List() {
		for _, c := range a.Columns {
			if c.Metric != "" && c.Of == nil {
				units[c.Metric] = c.Unit
			}
		}
	}
	for _, info := range eval.Metrics() {
		units[string(info.Metric)] = info.Unit
	}
	return units
})

// MetricUnit is the unit of a metric of a run by its name, such as "FN in batch" or "cosine IR@1, val"; empty where it has none. epochs are
// the run's, which know the units of what its parts told by names of their own; none for a metric of a task.
func MetricUnit(name string, epochs []train.Record) string {
	for _, record := range epochs {
		for _, n := range record.Numbers {
			if n.Name == name {
				return n.Unit
			}
		}
	}
	name, _, _ = strings.Cut(name, ", val")
	if unit, known := columnUnits()[name]; known {
		return unit
	}
	return columnUnits()[strings.TrimPrefix(name, eval.CosinePrefix)]
}
