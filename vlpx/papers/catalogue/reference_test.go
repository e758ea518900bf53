package catalogue

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// What is shipped is of artifacts that there are, each once, and its rows are of runs that were made: identities, and measures that can be.
func TestShippedReferences(t *testing.T) {
	all := must.Get(paper.References())(t)
	if !slices.ContainsFunc(all, func(r paper.Reference) bool { return r.Artifact == "falcon/table1" && len(r.Rows) > 0 }) {
		t.Errorf("none of the %d references is of falcon/table1", len(all))
	}
	for i, r := range all {
		a, err := Find(r.Artifact)
		if err != nil {
			t.Error(err)
			continue
		}
		if slices.ContainsFunc(all[:i], func(x paper.Reference) bool {
			return x.Artifact == r.Artifact && x.Scale == r.Scale && x.Data == r.Data
		}) {
			t.Errorf("%s at %s on %s is there twice", r.Artifact, r.Scale, r.Data)
		}
		for _, wrong := range unfit(r, a) {
			t.Errorf("%s: %s", r.Artifact, wrong)
		}
	}
}

// What is shipped of scenes is of runs that today's settings make: nothing of a former regime is shown.
func TestShippedIsCurrent(t *testing.T) {
	current(t, func(r paper.Reference) (data string, of bool) { return "", r.Data == "scenes" })
}

// So is what is shipped of other data.
func TestShippedOfDataIsCurrent(t *testing.T) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("set VLPX_DATA to a folder of data sets")
	}
	current(t, func(r paper.Reference) (data string, of bool) {
		return filepath.Join(root, strings.ToLower(strings.ReplaceAll(r.Data, "-", ""))), r.Data != "scenes"
	})
}

// current holds the references that are of some data, by their folder, against the runs that their seeds make today.
func current(t *testing.T, on func(paper.Reference) (data string, of bool)) {
	t.Helper()
	known := new(plan.Known)
	for _, r := range must.Get(paper.References())(t) {
		data, of := on(r)
		if !of {
			continue
		}
		var set []string
		if r.Framework != "" {
			set = []string{"framework=" + r.Framework}
		}
		p := must.Get(paper.NewPlan(must.Get(Find(r.Artifact))(t), plan.Request{Scale: r.Scale, Data: data, Set: set, Seeds: []uint64{1},
			Known: known}))(t)
		for _, row := range r.Rows {
			if !p.Current(row) {
				t.Errorf("%s at %s: what is shipped of %s is of other runs than its seeds make today; withdraw it or make it anew", r.Artifact,
					r.Scale, row.Name)
			}
		}
	}
}

var identity = regexp.MustCompile("^[0-9a-f]{16}$")

// unfit tells what is wrong with a reference of an artifact.
func unfit(r paper.Reference, a paper.Artifact) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !slices.Contains(scale.ScaleNames(), r.Scale) || r.Data == "" || r.DataHash == "" || r.Engine == "" || r.Commit == "" ||
		r.Date.IsZero() || r.Seconds <= 0 {
		say("scale %q, data %q %q, engine %q, commit %q, date %v, %v seconds: something is missing", r.Scale, r.Data, r.DataHash, r.Engine,
			r.Commit, r.Date, r.Seconds)
	}
	if len(r.Rows) == 0 {
		say("no rows")
	}
	columns := map[string]paper.Column{}
	for _, c := range a.Columns {
		columns[c.Key()] = c
	}
	for k, row := range r.Rows {
		if !slices.ContainsFunc(a.Rows, func(x plan.Row) bool { return x.Name == row.Name }) {
			say("row %q is not in the artifact", row.Name)
		}
		if slices.ContainsFunc(r.Rows[:k], func(x paper.ReferenceRow) bool { return x.Name == row.Name }) {
			say("row %q is there twice", row.Name)
		}
		if len(row.Runs) == 0 || len(row.Metrics) == 0 || len(row.Seeds) != 0 && len(row.Seeds) != len(row.Runs) {
			say("%s: %d runs of %d seeds with %d metrics", row.Name, len(row.Runs), len(row.Seeds), len(row.Metrics))
		}
		for n, id := range row.Runs {
			if !identity.MatchString(id) || slices.Contains(row.Runs[:n], id) {
				say("%s: run %q is no identity, or is there twice", row.Name, id)
			}
		}
		for key, m := range row.Metrics {
			c, known := columns[key]
			mean, std, n := m[0], m[1], int(m[2])
			if !known || math.IsNaN(mean) || math.IsNaN(std) || std < 0 || n < 1 || n > len(row.Runs) || n == 1 && std != 0 ||
				c.Unit == "%" && (mean < 0 || mean > 100) {
				say("%s: %q is %v, which cannot be of a column of %d runs", row.Name, key, m, len(row.Runs))
			}
			if values, ok := row.Values[key]; ok {
				sum, have := 0., 0
				for _, v := range values {
					if v != nil {
						sum, have = sum+*v, have+1
					}
				}
				if have != n || math.Abs(sum/float64(have)-mean) > 2e-4 {
					say("%s: %q has a mean of %v, and %d values of %v in all", row.Name, key, mean, have, sum)
				}
				square := 0.
				for _, v := range values {
					if v != nil {
						square += (*v - sum/float64(have)) * (*v - sum/float64(have))
					}
				}
				if spread := math.Sqrt(square / float64(max(have-1, 1))); math.Abs(spread-std) > 2e-4 {
					say("%s: %q has a standard deviation of %v, and its values one of %v", row.Name, key, std, spread)
				}
			}
			if ends, ok := row.Intervals[key]; ok && (ends[0] > mean || ends[1] < mean) {
				say("%s: %q is %v, outside of its interval %v", row.Name, key, mean, ends)
			}
		}
		for key := range row.Intervals {
			if _, ok := row.Metrics[key]; !ok {
				say("%s: an interval of %q, which has no mean", row.Name, key)
			}
		}
	}
	return wrong
}

// What TestShippedReferences would not let pass.
func TestUnfitReferences(t *testing.T) {
	a := must.Get(Find("falcon/table1"))(t)
	const id = "0123456789abcdef"
	good := func() paper.Reference {
		return paper.Reference{Artifact: a.ID, Scale: "mini", Data: "scenes", DataHash: "1", Engine: "go", Commit: "c0ffee",
			Date: papertest.Noon, Seconds: 1, Rows: []paper.ReferenceRow{
				{Name: "ALBEF", Runs: []string{id}, Metrics: map[string][3]float64{"TR@1": {10, 0, 1}}},
			}}
	}
	if wrong := unfit(good(), a); wrong != nil {
		t.Errorf("got %q of a good one", wrong)
	}
	for name, spoil := range map[string]func(*paper.Reference){
		"no rows":             func(r *paper.Reference) { r.Rows = nil },
		"something is":        func(r *paper.Reference) { r.Commit = "" },
		"not in the artifact": func(r *paper.Reference) { r.Rows[0].Name = "ALBERT" },
		"is there twice":      func(r *paper.Reference) { r.Rows = append(r.Rows, r.Rows[0]) },
		"0 runs":              func(r *paper.Reference) { r.Rows[0].Runs = nil },
		"of 2 seeds":          func(r *paper.Reference) { r.Rows[0].Seeds = []uint64{4, 5} },
		"no identity":         func(r *paper.Reference) { r.Rows[0].Runs[0] = "run 1" },
		"with 0 metrics":      func(r *paper.Reference) { r.Rows[0].Metrics = nil },
		`"loss" is`:           func(r *paper.Reference) { r.Rows[0].Metrics["loss"] = [3]float64{1, 0, 1} },
		`"TR@1" is [101`:      func(r *paper.Reference) { r.Rows[0].Metrics["TR@1"] = [3]float64{101, 0, 1} },
		`"TR@1" is [10 1 1]`:  func(r *paper.Reference) { r.Rows[0].Metrics["TR@1"] = [3]float64{10, 1, 1} },
		`"TR@1" is [10 1 2]`:  func(r *paper.Reference) { r.Rows[0].Metrics["TR@1"] = [3]float64{10, 1, 2} },
		"values of":           func(r *paper.Reference) { v := 11.; r.Rows[0].Values = map[string][]*float64{"TR@1": {&v}} },
		"outside of its":      func(r *paper.Reference) { r.Rows[0].Intervals = map[string][2]float64{"TR@1": {11, 12}} },
		"which has no mean":   func(r *paper.Reference) { r.Rows[0].Intervals = map[string][2]float64{"IR@1": {11, 12}} },
	} {
		r := good()
		spoil(&r)
		if wrong := strings.Join(unfit(r, a), "; "); !strings.Contains(wrong, name) {
			t.Errorf("got %q, want %q in it", wrong, name)
		}
	}
}
