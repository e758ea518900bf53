package plan

import "fmt"

// repeated refuses a comparison of a row with itself, under two names for settings that make no difference.
func (p *Plan) repeated() error {
	if !p.Experiment.Compared() {
		return nil
	}
	names := map[string]string{}
	changes := map[string]int{}
	for i, row := range p.Experiment.Rows {
		if len(p.Rows[i]) == 0 {
			continue
		}
		id := p.Rows[i][0].ID()
		changes[id] += len(row.Set) + len(row.Fields)
		if other := names[id]; other != "" && changes[id] > 0 {
			return fmt.Errorf("%q and %q are the same runs: nothing that differs between them is read; leave one of them out",
				other, row.Name)
		}
		names[id] = row.Name
	}
	return nil
}

// Swings has a line for each row whose learning rate comes to its least before training ends, and rises again.
func (p *Plan) Swings() (lines []string) {
	for i, runs := range p.Rows {
		if len(runs) == 0 {
			continue
		}
		c := runs[0].Train
		if all := c.Schedule.Past + c.Epochs; !c.Schedule.Linear && c.Schedule.Epochs < all {
			lines = append(lines, fmt.Sprintf("the learning rate of %s is at its least after %d of %d epochs and rises again from there; "+
				"leave schedule.epochs out, or set it to %d", p.Experiment.Rows[i].Name, c.Schedule.Epochs, all, all))
		}
	}
	return lines
}
