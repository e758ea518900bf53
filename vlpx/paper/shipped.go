package paper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// shipped is what is shipped of a plan's artifact, besides its rows.
type shipped struct {
	own  *Reference // of the artifact itself; nil if there is none
	also []string   // other data on which the artifact is shipped
}

// shippedRow is what is shipped of a row. It may be another artifact's row of the same runs.
type shippedRow struct {
	ReferenceRow
	of        *Reference // whose row it is; nil where none is shown
	withdrawn bool       // it is there, of other runs than the same seeds would make today
}

// data is what its runs are on, without what a plan needs of it.
func (s shippedRow) data() *run.Data {
	return &run.Data{Name: s.of.Data, Hash: cmp.Or(s.DataHash, s.of.DataHash)}
}

// ship finds what is shipped of a plan and of each of its rows among references. A comparison that a user put together has nothing.
func (p *Planned) ship(all []Reference) (s shipped, rows []shippedRow) {
	rows = make([]shippedRow, len(p.Artifact.Rows))
	if p.Planner.Model != nil || p.Artifact.compared() {
		return s, rows
	}
	for i, r := range all {
		if r.Artifact == p.Artifact.ID && r.Scale == p.Scale.Name && r.Data == p.Data.Name && r.Framework == p.Framework() {
			s.own = &all[i]
		} else if r.Artifact == p.Artifact.ID && r.Scale == p.Scale.Name {
			s.also = once(s.also, r.Data)
		}
	}
	for i, row := range p.Artifact.Rows {
		if !p.Requested[i] {
			continue
		}
		if s.own != nil {
			if at := slices.IndexFunc(s.own.Rows, func(x ReferenceRow) bool { return x.Name == row.Name }); at >= 0 {
				rows[i].ReferenceRow, rows[i].of = s.own.Rows[at], s.own
			}
		}
		if p.unseen || len(p.Rows[i]) == 0 || rows[i].of != nil && p.current(row, rows[i].ReferenceRow) {
			continue
		}
		rows[i] = p.elsewhere(row, all, rows[i].of != nil)
	}
	return s, rows
}

// Current reports whether a shipped row is of the runs that the same seeds of the plan's row of that name would make today.
func (p *Planned) Current(shipped ReferenceRow) bool {
	at := slices.IndexFunc(p.Artifact.Rows, func(row plan.Row) bool { return row.Name == shipped.Name })
	return at >= 0 && p.current(p.Artifact.Rows[at], shipped)
}

// current is Current of a row.
func (p *Planned) current(row plan.Row, shipped ReferenceRow) bool {
	of := p.Plan
	of.Experiment.Downstream = slices.DeleteFunc(slices.Clone(of.Experiment.Downstream), func(d plan.Downstream) bool {
		return shipped.Downstream[d.Name] == nil // left out then; its texts take seconds to read
	})
	today, err := of.RunsOf(row, shipped.seeds())
	return err == nil && shipped.current(today.Jobs)
}

// elsewhere is the shipped row of any artifact that has a row's runs, the one of most seeds, with what is shipped of the same runs besides.
func (p *Planned) elsewhere(row plan.Row, all []Reference, withdrawn bool) shippedRow {
	best := shippedRow{withdrawn: withdrawn}
	first, err := p.RunsOf(row, []uint64{1})
	if err != nil {
		return best
	}
	var same []shippedRow
	for i, r := range all {
		for _, x := range r.Rows {
			if x.Runs[0] == first.Runs[0].ID() && p.current(row, x) {
				same = append(same, shippedRow{x, &all[i], withdrawn})
			}
		}
	}
	for _, one := range same {
		for _, other := range same {
			if slices.Equal(other.Runs, one.Runs) {
				one.ReferenceRow = one.besides(other.ReferenceRow)
			}
		}
		one.ReferenceRow = one.with(p.Artifact.Columns)
		if len(one.Runs) > len(best.Runs) && p.shares(one.ReferenceRow) {
			best = one
		}
	}
	return best
}

// besides is the row with what another one of the same runs has besides.
func (row ReferenceRow) besides(other ReferenceRow) ReferenceRow {
	row.Metrics, row.Values, row.Intervals = joined(row.Metrics, other.Metrics), joined(row.Values, other.Values),
		joined(row.Intervals, other.Intervals)
	return row
}

// joined has the entries of both, the first one's where both have one.
func joined[V any](a, b map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, b)
	maps.Copy(all, a)
	return all
}

// with is the row with those columns besides that are means of what it has.
func (row ReferenceRow) with(columns []Column) ReferenceRow {
	means := ReferenceRow{Metrics: map[string][3]float64{}, Values: map[string][]*float64{}}
	for _, c := range columns {
		each, known := make([]*float64, len(row.Runs)), []float64(nil)
		for k := range each {
			v, ok := c.mean(func(metric string) (float64, bool) {
				if of := row.Values[metric]; of != nil && of[k] != nil {
					return *of[k], true
				}
				return 0, false
			})
			if ok {
				each[k], known = &v, append(known, v)
			}
		}
		if len(known) > 0 {
			means.Metrics[c.Key()], means.Values[c.Key()] = summarised(known), each
		}
	}
	return row.besides(means)
}

// shares tells whether a shipped row has a column of the artifact.
func (p *Planned) shares(row ReferenceRow) bool {
	return slices.ContainsFunc(p.Artifact.Columns, func(c Column) bool { _, ok := row.Metrics[c.Key()]; return ok })
}

// shippedRows are the shipped rows that are shown, with their names.
func (r *Report) shippedRows() (names []string, rows []shippedRow) {
	for _, row := range r.Rows {
		if row.shipped.of != nil {
			names, rows = append(names, row.shipped.Name), append(rows, row.shipped)
		}
	}
	return names, rows
}

// seedReports are what is shipped of each seed; none of older references.
func (row shippedRow) seedReports() []SeedReport {
	var all []SeedReport
	for k, seed := range row.seeds() {
		one := SeedReport{Seed: seed, Run: row.Runs[k], Engine: row.engine(row.of), Commit: row.commit(row.of), Finished: row.of.Date,
			Metrics: map[string]float64{}}
		for key, values := range row.Values {
			if values[k] != nil {
				one.Metrics[key] = *values[k]
			}
		}
		if len(one.Metrics) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// status says how far a row is, with what is shipped of it where this store has nothing.
func (row RowReport) status() string {
	switch n := len(row.shipped.Runs); {
	case row.Status == string(Ready):
		return ""
	case len(row.Results) > 0 || row.shipped.of == nil:
		return row.Status
	case n == 1:
		return "1 shipped seed"
	default:
		return fmt.Sprintf("%d shipped seeds", n)
	}
}

// ShippedNote tells what the shipped results are of, in a table that has them; empty for none.
func (r *Report) ShippedNote() string {
	names, rows := r.shippedRows()
	note := ""
	if len(rows) > 0 {
		most, of, from := 0, rows[0].of, []string{}
		var origins []origin
		for k, row := range rows {
			most, origins = max(most, len(row.Runs)), append(origins, origin{row.engine(row.of), row.commit(row.of)})
			if row.of.Artifact != r.ID {
				from = append(from, fmt.Sprintf("%s (%s)", names[k], row.of.Artifact))
			}
		}
		data := "data " + plan.Abbreviated(of.DataHash)
		if r.Plan.Blocks {
			data = r.on()
		}
		note = fmt.Sprintf(" Reference: the project's own runs, shipped with vlpx, up to %d seeds a method, on %s, %s, %s.", most, data,
			of.Date.Format("2006-01-02"), gathered(names, origins))
		if of.Encoder != r.Encoder {
			note += " There " + cmp.Or(strings.ToLower(of.Encoder[:min(1, len(of.Encoder))])+of.Encoder[min(1, len(of.Encoder)):],
				"no encoder is locked.")
		}
		if len(from) > 0 {
			note += fmt.Sprintf(" Shipped by another table, whose runs these are: %s.", strings.Join(from, ", "))
		}
		if r.Plan.unseen {
			note += fmt.Sprintf(" %s is not here, so that the shipped results are not held against today's runs; $VLPX_DATA is where data "+
				"is looked for.", r.Data.Name)
		}
	}
	return note
}

// missingNote tells of shipped results that are not shown, and where there is nothing, what makes it.
func (r *Report) missingNote() string {
	var withdrawn []string
	some := len(r.Set) > 0 || r.Plan.Artifact.compared()
	for _, row := range r.Rows {
		if row.shipped.withdrawn {
			withdrawn = append(withdrawn, row.Name)
		}
		some = some || row.shipped.of != nil || len(row.Results) > 0
	}
	switch runs := len(r.Plan.Runs()); {
	case len(withdrawn) > 0 && len(r.Set) > 0:
		return fmt.Sprintf(" Shipped results of other settings are not shown: %s.", strings.Join(withdrawn, ", "))
	case len(withdrawn) > 0:
		return fmt.Sprintf(" Withdrawn, as they are of a regime that is no longer ours: the shipped results of %s. %s",
			strings.Join(withdrawn, ", "), r.makes(runs))
	case runs > 0 && !some:
		note := " Nothing is shipped of this. "
		if r.Plan.Artifact.Gallery {
			note = " docs/GALLERY.md has this of one world. "
		}
		note += r.makes(runs)
		for _, data := range r.shipped.also {
			note += fmt.Sprintf(" Results on %s are shipped: vlpx show %s -data %s.", data, r.ID, strings.ToLower(strings.ReplaceAll(data, "-", "")))
		}
		return note
	}
	return ""
}

// makes names the command that makes an artifact, and its cost.
func (r *Report) makes(runs int) string {
	return fmt.Sprintf("%s makes it: %d runs, about %s on two cores.", r.command(), runs, Cost(r.Scale, runs))
}

// command makes the report's runs.
func (r *Report) command() string {
	command := "vlpx reproduce " + r.ID
	if r.Scale != "mini" {
		command += " -scale " + r.Scale
	}
	if r.Plan.Data.Scenes == nil && r.Plan.Artifact.Data == "" {
		command += " -data " + r.Data.Name
	}
	if !slices.Equal(r.Seeds, []uint64{1, 2, 3}) {
		command += " -seeds " + strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Seeds), "[]"), " ", ",")
	}
	for _, assignment := range r.Set {
		command += " -set " + assignment
	}
	return command
}

// shippedTrial is what a claim is tested on where the store has nothing: shipped values, or, of older references, means and standard
// deviations.
func (r *Report) shippedTrial(c Claim) trial {
	t, key := trial{claim: c, from: FromReference}, c.In.Key()
	values := map[string]map[uint64]float64{} // by row and seed
	means, lacking, rows := map[string][3]float64{}, false, r.pool(c)
	for _, row := range rows {
		if v, ok := row.shipped.Metrics[key]; ok {
			means[row.Name] = v
		}
		for _, s := range row.Shipped {
			if v, ok := s.Metrics[key]; ok {
				if values[row.Name] == nil {
					values[row.Name] = map[uint64]float64{}
				}
				values[row.Name][s.Seed] = v
			}
		}
	}
	var names []string // the claim's rows first
	for _, name := range c.Rows() {
		if _, ok := means[name]; !ok {
			return trial{claim: c}
		}
		names, lacking = once(names, name), lacking || values[name] == nil
	}
	own := len(names)
	if c.In.pooled() {
		known := map[string]bool{} // the first runs of rows, as rows of the same runs count once
		for _, row := range rows {
			if len(row.shipped.Runs) > 0 && slices.Contains(names, row.Name) {
				known[row.shipped.Runs[0]] = true
			}
		}
		for _, row := range rows {
			if len(row.shipped.Runs) > 0 && !known[row.shipped.Runs[0]] && row.besides(r.row(names[0])) {
				known[row.shipped.Runs[0]] = true
				names = once(names, row.Name)
			}
		}
	}
	if lacking {
		for k, name := range names {
			if v, ok := means[name]; ok && (k < own || v[2] == means[names[0]][2]) {
				t.rows, t.means = append(t.rows, name), append(t.means, v)
			}
		}
		return t
	}
	var seeds []uint64
	for _, seed := range slices.Sorted(maps.Keys(values[names[0]])) {
		if !slices.ContainsFunc(names[:own], func(name string) bool { _, ok := values[name][seed]; return !ok }) {
			seeds = append(seeds, seed)
		}
	}
	for _, name := range names {
		var of []float64
		for _, seed := range seeds {
			if v, ok := values[name][seed]; ok {
				of = append(of, v)
			}
		}
		if len(of) == len(seeds) {
			t.rows, t.values = append(t.rows, name), append(t.values, of)
		}
	}
	return t
}

// shippedInterval is the interval over test images of a claim that was shipped with it.
func (r *Report) shippedInterval(c Claim) *[2]float64 {
	if r.shipped.own == nil {
		return nil
	}
	at := slices.IndexFunc(r.shipped.own.Claims, func(f Finding) bool { return f.Text == c.String() })
	if at < 0 {
		return nil
	}
	return r.shipped.own.Claims[at].Interval
}
