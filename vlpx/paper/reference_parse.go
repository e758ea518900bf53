package paper

import (
	"fmt"
	"math"
	"slices"
	"vlpx.internal/datasets/plainjson"
)

// ParseReferences reads the text of reference.json. What it accepts can be shown and merged; the error names the artifact and the row.
func ParseReferences(text []byte) ([]Reference, error) {
	var all []Reference
	if err := plainjson.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	type key struct{ artifact, scale, data, framework string }
	seen := map[key]bool{}
	for i, r := range all {
		is := key{r.Artifact, r.Scale, r.Data, r.Framework}
		if seen[is] {
			return nil, fmt.Errorf("%s at %s on %s is there twice; keep one", r.Artifact, r.Scale, r.Data)
		}
		seen[is] = true
		if r.Artifact == "" || r.Scale == "" || r.Data == "" || len(r.Rows) == 0 {
			return nil, fmt.Errorf("reference %d (%q at %q on %q, %d rows): each has an artifact, a scale, data and rows", i, r.Artifact,
				r.Scale, r.Data, len(r.Rows))
		}
		rows := map[string]bool{}
		for _, row := range r.Rows {
			if rows[row.Name] {
				return nil, fmt.Errorf("%s: row %q is there twice; keep one", r.Artifact, row.Name)
			}
			rows[row.Name] = true
			if err := row.check(); err != nil {
				return nil, fmt.Errorf("%s: row %q: %w", r.Artifact, row.Name, err)
			}
		}
	}
	return all, nil
}

// check tells the first thing that is wrong with a row.
func (row ReferenceRow) check() error {
	if len(row.Runs) == 0 || slices.Contains(row.Runs, "") {
		return fmt.Errorf("runs %q; it has one or more, each with its identity", row.Runs)
	}
	for _, n := range []int{len(row.Seeds), len(row.Questions)} {
		if n != 0 && n != len(row.Runs) {
			return fmt.Errorf("%d seeds and %d questions of %d runs; as many, or none", len(row.Seeds), len(row.Questions), len(row.Runs))
		}
	}
	for task, of := range row.Downstream {
		if len(of) != len(row.Runs) {
			return fmt.Errorf("%d outcomes of %s for %d runs; as many, or none", len(of), task, len(row.Runs))
		}
	}
	for metric, values := range row.Values {
		if len(values) != len(row.Runs) {
			return fmt.Errorf("%s: %d values of %d runs; as many, null where a run has none", metric, len(values), len(row.Runs))
		}
	}
	for metric, v := range row.Metrics {
		if std, n := v[1], v[2]; std < 0 || n < 1 || n > float64(len(row.Runs)) || n != math.Trunc(n) {
			return fmt.Errorf("%s: a standard deviation of %v and %v runs of %d", metric, std, n, len(row.Runs))
		}
	}
	return nil
}
