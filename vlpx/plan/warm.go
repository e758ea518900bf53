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
	which := "Every run starts"
	switch {
	case len(from) == 0:
		return ""
	case p.Blocks && len(from) > 1:
		which = "Runs of the same seed, data and sizes start"
	case p.Blocks:
		which = "Runs of the same seed start"
	case len(from) > 1:
		which = "Runs of the same data and sizes start"
	}
	return fmt.Sprintf("%s from the same model, %s.", which, strings.Join(by, " or "))
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
