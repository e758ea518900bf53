package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
)

// tell puts into a table what was set and, for its CSV, where each row's numbers come from.
func (r *Report) tell(t *tables.Table) {
	if len(r.Set) > 0 {
		t.Title += " (" + strings.Join(r.Set, ", ") + ")"
		t.Note = strings.TrimSpace(fmt.Sprintf("%s Changed from the scale %s: %s.", t.Note, r.Scale, strings.Join(r.Set, ", ")))
	}
	if taken := r.Plan.Taken(); taken != "" {
		t.Note = strings.TrimSpace(t.Note + " " + taken)
	}
	t.Note = strings.TrimSpace(strings.Join(append([]string{t.Note}, r.Plan.Vague()...), " "))
	t.Note = strings.TrimSpace(t.Note + PartialNote(*t))
	MarkCode(t, r.ofCode())
	if r.view.Title != "" {
		t.Title = r.view.Title
	}
	t.Facts = []string{"scale", "set", "data", "data hash", "engine", "commit", "unreadable images"}
	t.Label = cmp.Or(r.view.Title, r.ID)
	for k := range t.Rows {
		facts := make([][]string, max(1, len(t.Sources)))
		for s := range facts {
			source := FromYou
			if len(t.Sources) > 0 {
				source = t.Sources[s]
			}
			facts[s] = r.facts(t.Rows[k].Name, source)
		}
		t.Rows[k].Facts = facts
	}
}

// facts are where a row's numbers of a source come from, in the order of tell; none for a paper's.
func (r *Report) facts(row, source string) []string {
	i := slices.IndexFunc(r.Rows, func(x RowReport) bool { return x.Name == row })
	switch {
	case source == FromPaper:
		return nil
	case source == FromReference:
		if i < 0 || r.Rows[i].shipped.of == nil {
			return nil
		}
		shipped := r.Rows[i].shipped
		return []string{shipped.of.Scale, "", shipped.of.Data, shipped.data().Hash, shipped.engine(shipped.of), shipped.commit(shipped.of)}
	}
	data, engines, commits := r.Data, "", ""
	if i >= 0 {
		if r.Rows[i].Data != nil {
			data = *r.Rows[i].Data
		}
		engines, commits = strings.Join(r.Rows[i].Engines, ", "), strings.Join(r.Rows[i].Commits, ", ")
	}
	set, unreadable := r.Set, ""
	if i >= 0 {
		set = slices.Concat(r.Set, r.Rows[i].Set)
		if len(r.Rows[i].Results) > 0 {
			unreadable = fmt.Sprint(r.Rows[i].Unreadable.count())
		}
	}
	return []string{r.Scale, strings.Join(set, ", "), data.Name, data.Hash, engines, commits, unreadable}
}

// origin is where a row's runs are from: their engine and commit, which may be several of each. It is empty without runs.
type origin struct{ engine, commit string }

// origins are those of this store's runs.
func (r *Report) origins() string {
	var rows []string
	var results [][]run.Result
	for _, row := range r.Rows {
		rows, results = append(rows, row.Name), append(results, row.Results)
	}
	return Origins(rows, results)
}

// Origins tells of which engines and commits the results of rows are, each once; empty without results.
func Origins(rows []string, results [][]run.Result) string {
	var of []origin
	for _, seeds := range results {
		var engines, commits []string
		for _, result := range seeds {
			engines, commits = once(engines, result.Engine), once(commits, result.Commit)
		}
		of = append(of, origin{strings.Join(engines, ", "), strings.Join(commits, ", ")})
	}
	return gathered(rows, of)
}

// gathered lists origins, each once, with its rows where there are several: "onnx:cpu, commit a", or "onnx:cpu, commit a (ALBEF, MAFA);
// commit b (FALCON); go, commit a (GRIT-VLP)".
func gathered(rows []string, of []origin) string {
	var kinds []origin
	members := map[origin][]string{}
	for k, o := range of {
		if o.engine == "" {
			continue
		}
		if members[o] == nil {
			kinds = append(kinds, o)
		}
		members[o] = append(members[o], rows[k])
	}
	slices.SortStableFunc(kinds, func(a, b origin) int { return strings.Compare(a.engine, b.engine) })
	told := make([]string, len(kinds))
	for k, o := range kinds {
		told[k] = "commit " + o.commit
		if k == 0 || kinds[k-1].engine != o.engine {
			told[k] = o.engine + ", " + told[k]
		}
		if len(kinds) > 1 {
			told[k] += fmt.Sprintf(" (%s)", strings.Join(members[o], ", "))
		}
	}
	return strings.Join(told, "; ")
}
