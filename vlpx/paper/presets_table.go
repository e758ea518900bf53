package paper

import (
	"fmt"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Setting is a line of a table of hyper-parameters: the paper's value, and that of a preset on a framework, the usual one if empty. Of is
// nil where vlpx has none.
type Setting struct {
	Name, Paper string
	Framework   string
	Of          func(scale.Scale) any
}

// at is the preset's value.
func (x Setting) at(s scale.Scale) any {
	if x.Framework != "" {
		if err := s.Set("framework=" + x.Framework); err != nil {
			return err
		}
	}
	return x.Of(s.Resolved())
}

// PresetsTable prints the presets beside a paper's hyper-parameters.
func PresetsTable(r *Report, settings []Setting) tables.Table {
	p := r.Plan
	t := tables.Table{
		Title:   p.Artifact.ID + ": " + p.Artifact.Title,
		Note:    "The presets are the code's own.",
		Heading: "hyper-parameter",
		Columns: []tables.Column{{Name: "the paper's"}},
	}
	all := scale.Scales()
	for _, s := range all {
		name := s.Name
		if s.Name == p.Scale.Name {
			s, name = p.Scale, name+" (as set)"
		}
		t.Columns = append(t.Columns, tables.Column{Name: "at " + name})
	}
	for _, x := range settings {
		row := tables.Row{Name: x.Name, Cells: []tables.Cell{{{Text: x.Paper}}}}
		for _, s := range all {
			if s.Name == p.Scale.Name {
				s = p.Scale
			}
			if x.Of != nil {
				row.Cells = append(row.Cells, tables.Cell{{Text: fmt.Sprint(x.at(s))}})
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// AdamW tells a scale's optimiser, which may be LARS.
func AdamW(s scale.Scale) any {
	if o := s.LARS; o != (train.LARS{}) {
		return fmt.Sprintf("LARS(%g, %g, wd %g)", o.Trust, o.Momentum, o.WeightDecay)
	}
	return fmt.Sprintf("AdamW(%g, %g, wd %g)", s.Optimiser.Beta1, s.Optimiser.Beta2, s.Optimiser.WeightDecay)
}
