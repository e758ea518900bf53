package plan

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// Warmed tells from what model every row's runs start; empty where some start from none that others could.
func (p *Plan) Warmed() string {
	from, by := map[string]bool{}, []string{}
	for _, runs := range p.Rows {
		if len(runs) == 0 {
			continue
		}
		first := runs[0]
		for first.Init != nil {
			first = *first.Init
		}
		if !first.Warm {
			return ""
		}
		from[first.ID()] = true
		if told := warming(first); !slices.Contains(by, told) {
			by = append(by, told)
		}
	}
	switch len(from) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Every run starts from the same model, %s.", by[0])
	}
	return fmt.Sprintf("Runs of the same data and sizes start from the same model, %s.", strings.Join(by, " or "))
}

// warming tells what a warm start is.
func warming(r run.Run) string {
	epochs := "an epoch"
	if n := r.Train.Epochs; n > 1 {
		epochs = fmt.Sprintf("%d epochs", n)
	}
	f := r.Train.Framework
	if losses := f.Losses(); !slices.Contains(losses, negative.ITC) {
		return fmt.Sprintf("%s of %s's pre-training by %s", epochs, f.Name(), negative.Of(losses...))
	}
	return epochs + " of InfoNCE"
}
