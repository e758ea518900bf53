package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/source"
)

// View is a choice of what a report's table and figure show, and how large the figure is; the zero value is all, as the artifact has it.
// Where metrics or rows are chosen, the table is a comparison of these, and the figure one of bars, dots or lines.
type View struct {
	Title string // of table and figure, in the place of the artifact's
	// Metrics are columns in their order, each by its metric, such as "IR@1", "cosine IR mAP" or "FN in batch", or by its heading, such as
	// "in batch"; those of the artifact if empty. Others that the runs measured may be among them.
	Metrics []string
	Rows    []string // in their order, by name; all if empty
	Curves  bool     // the figure follows the metrics over the epochs
	Width   string   // of the figure: "column" (3.5 inches), "page" (7.16 inches) or a length such as "89mm"; what becomes it if empty
	Height  string   // of a panel with its axes, such as "45mm"; what becomes it if empty
	Panels  int      // of the figure side by side at most; 0 for what becomes it
	// Typeface is what the figure's letters look like: "sans", "times" or "computermodern"; "sans" if empty.
	Typeface string
}

// Selects tells whether the view is not of all as the artifact has it.
func (v View) Selects() bool { return len(v.Metrics) > 0 || len(v.Rows) > 0 || v.Curves }

// CheckView returns an error for what of a view the plan does not have, before there are results. A metric that nothing known is named like
// is taken: parts may report numbers by names of their own, which are known once they have trained. So is any where a part is defined
// elsewhere.
func (p *Planned) CheckView(v View) error {
	var known []string
	for _, text := range v.Metrics {
		names := []string{text}
		if p.mayReport(text) {
			names = strings.Split(text, ",")
		}
		for _, name := range names {
			if !p.mayReport(name) {
				known = append(known, name)
			}
		}
	}
	v.Metrics = known
	_, _, err := p.chosen(v)
	return err
}

// mayReport reports whether a name is of no known metric, and none that a reader may have meant, so that it may be of a number that parts
// report.
func (p *Planned) mayReport(name string) bool {
	c, names, err := p.column(name)
	return err == nil && c.Metric == "" && (p.foreign() || scale.Suggest(strings.TrimSpace(name), names) == ".")
}

// foreign reports whether some run has a part or a framework that is defined outside of this module.
func (p *Planned) foreign() bool {
	return slices.ContainsFunc(p.Rows, func(runs []run.Run) bool {
		return len(runs) > 0 && (source.Foreign(runs[0].Train.Framework.Framework) || runs[0].Train.Method.Foreign())
	})
}

// chosen are the rows and columns of a view.
func (p *Planned) chosen(v View) (rows []int, columns []Column, err error) {
	if _, err := length("width", v.Width, narrowest, widest); err != nil {
		return nil, nil, err
	}
	if _, err := length("height", v.Height, lowest, highest); err != nil {
		return nil, nil, err
	}
	if _, err := typeface(v.Typeface); err != nil {
		return nil, nil, err
	}
	if v.Panels < 0 {
		return nil, nil, fmt.Errorf("%d panels side by side; want one at least, or 0 for what becomes the figure", v.Panels)
	}
	if v.Selects() && len(p.Artifact.Columns) == 0 {
		return nil, nil, fmt.Errorf("%s compares no metrics of rows, of which some could be chosen; leave metrics, rows and curves out",
			p.Artifact.ID)
	}
	if rows, err = each(v.Rows, p.rowNamed); err != nil {
		return nil, nil, err
	}
	if len(rows) == 0 {
		for i := range p.Artifact.Rows {
			rows = append(rows, i)
		}
	}
	for k, i := range rows {
		if slices.Contains(rows[:k], i) {
			return nil, nil, fmt.Errorf("row %s is there twice; name every row once", p.Artifact.Rows[i].Name)
		}
	}
	if columns, err = each(v.Metrics, p.columnNamed); err != nil {
		return nil, nil, err
	}
	for k, c := range columns {
		if slices.ContainsFunc(columns[:k], func(other Column) bool { return other.Key() == c.Key() }) {
			return nil, nil, fmt.Errorf("metric %s is there twice; name every metric once", c.Key())
		}
	}
	if len(columns) == 0 {
		columns = p.Artifact.Columns
	}
	return rows, columns, nil
}

// each are what texts name, each one, or several with commas.
func each[T any](texts []string, find func(string) (T, error)) ([]T, error) {
	var all []T
	for _, text := range texts {
		one, err := find(text)
		if err == nil {
			all = append(all, one)
			continue
		}
		if !strings.Contains(text, ",") {
			return nil, err
		}
		for part := range strings.SplitSeq(text, ",") {
			if one, err = find(part); err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	return all, nil
}

func (p *Planned) rowNamed(name string) (int, error) {
	var names []string
	for i, row := range p.Artifact.Rows {
		if strings.EqualFold(row.Name, strings.TrimSpace(name)) {
			return i, nil
		}
		names = append(names, row.Name)
	}
	return 0, fmt.Errorf("%s has %w", p.Artifact.ID, scale.Unknown("row", name, names))
}

// column is a column of the artifact, so that a name is what the table shows under it, or else one of what runs measure: by its metric, its
// heading, or its name where no other has it. Where none has that name it returns no metric, and the names that there are.
func (p *Planned) column(name string) (c Column, names []string, err error) {
	for _, all := range [][]Column{p.shown(), p.nameable()} {
		c, its, err := among(all, strings.TrimSpace(name))
		if err != nil || c.Metric != "" {
			return c, nil, err
		}
		names = append(names, its...)
	}
	return Column{}, names, nil
}

// columnNamed is the column of that name.
func (p *Planned) columnNamed(name string) (Column, error) {
	c, names, err := p.column(name)
	if err != nil || c.Metric != "" {
		return c, err
	}
	var own []string
	for _, c := range p.Artifact.Columns {
		own = append(own, c.Key())
	}
	name = strings.TrimSpace(name)
	return Column{}, fmt.Errorf("no metric %q%s %s has %s; vlpx show tasks lists what runs measure, and what a task of "+
		"your own measures is there once vlpx.Measure has kept it", name, scale.Suggest(name, names), p.Artifact.ID,
		strings.Join(own, "; "))
}

// among is the column that a name is of, by the nearest of the ways to name one; none has that name where it has no metric, and then the
// names that there are.
func among(all []Column, name string) (c Column, keys []string, err error) {
	for _, names := range []func(Column) []string{
		func(c Column) []string { return []string{c.Key()} },
		func(c Column) []string { return []string{c.Heading(), strings.TrimSpace(c.Group + " " + c.Name)} },
		func(c Column) []string { return []string{c.Name} },
	} {
		var found []Column
		var its []string
		for _, c := range all {
			if slices.ContainsFunc(names(c), func(n string) bool { return strings.EqualFold(n, name) }) {
				found, its = append(found, c), append(its, c.Key())
			}
			keys = append(keys, names(c)...)
		}
		switch {
		case len(found) == 1:
			return found[0], nil, nil
		case len(found) > 1:
			return Column{}, nil, fmt.Errorf("metric %q may be %s; name one of them", name, strings.Join(its, " or "))
		}
	}
	return Column{}, keys, nil
}

// shown are the artifact's columns of metrics.
func (p *Planned) shown() []Column {
	return slices.DeleteFunc(slices.Clone(p.Artifact.Columns), func(c Column) bool { return c.Metric == "" })
}

// nameable are the columns that a view may have: the artifact's first, then those of what runs measure besides, each metric once.
func (p *Planned) nameable() []Column {
	all := p.shown()
	others := slices.Concat(Retrieval(), OwnColumns(), Chosen(), MinedColumns())
	for _, info := range eval.Metrics() {
		others = append(others, column(info))
	}
	for _, info := range eval.CosineMetrics() {
		others = append(others, Cosine(info.Metric))
	}
	others = append(others, p.answered.columns()...)
	for _, c := range others {
		if !slices.ContainsFunc(all, func(other Column) bool { return other.Key() == c.Key() }) {
			all = append(all, c)
		}
	}
	return all
}

// Viewed is the report with a view's rows and columns, for its table and its figure. Claims are those between these rows in these columns,
// and corrected for as many as ever.
func (r *Report) Viewed(v View) (*Report, error) {
	rows, columns, err := r.Plan.chosen(v)
	if err != nil {
		return nil, err
	}
	one, p := *r, *r.Plan
	one.view, one.Plan = v, &p
	if !v.Selects() {
		return &one, nil
	}
	one.chosen = true
	a := &p.Artifact
	a.Columns, a.Rows, a.Figure = columns, nil, comparisonFigure
	if !a.compared() { // which is a comparison without a paper's numbers
		a.Table = Comparison
	}
	if v.Curves || a.ID == plan.Single {
		a.Figure = Curves
	}
	p.Rows, p.Jobs, p.Requested = nil, nil, nil
	one.Rows, one.Unreadable = nil, Unreadable{}
	for _, i := range rows {
		of := r.Plan
		a.Rows = append(a.Rows, of.Artifact.Rows[i])
		p.Rows, p.Requested = append(p.Rows, of.Rows[i]), append(p.Requested, of.Requested[i])
		if of.Jobs != nil { // nil where finished runs are compared
			p.Jobs = append(p.Jobs, of.Jobs[i])
		}
		row := r.Rows[i]
		row.Metrics = map[string]Summary{}
		for _, c := range columns {
			s, ok := r.Rows[i].Metrics[c.Key()]
			if !ok {
				s = r.summary(c, row.Results)
			}
			row.Metrics[c.Key()] = s
		}
		for _, result := range row.Results {
			one.Unreadable.add(result)
		}
		one.Rows = append(one.Rows, row)
	}
	p.Experiment.Rows = a.Rows
	one.claims, one.Claims = nil, nil
	for k, claim := range r.claims {
		in := slices.ContainsFunc(columns, func(c Column) bool { return c.Key() == claim.In.Key() })
		for _, name := range claim.Rows() {
			in = in && slices.ContainsFunc(a.Rows, func(row plan.Row) bool { return row.Name == name })
		}
		if in {
			one.claims, one.Claims = append(one.claims, claim), append(one.Claims, r.Claims[k])
		}
	}
	return &one, nil
}

// Suffix tells what a view shows in the name of a file; empty where that is all.
func (v View) Suffix() []string {
	var parts []string
	if len(v.Metrics) > 0 {
		parts = append(parts, "metrics="+strings.Join(v.Metrics, "+"))
	}
	if len(v.Rows) > 0 {
		parts = append(parts, "rows="+strings.Join(v.Rows, "+"))
	}
	if v.Curves {
		parts = append(parts, "curves")
	}
	return parts
}
