package paper

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// SeedReport is what a finished run gave.
type SeedReport struct {
	Seed     uint64    `json:"seed"`
	Run      string    `json:"run"` // its name in the store
	Engine   string    `json:"engine"`
	Commit   string    `json:"commit"`
	Finished time.Time `json:"finished"`
	// Unreadable is how many images it could not read.
	Unreadable int `json:"unreadable"`
	// Metrics are all that it measured, and what the artifact's columns have of it besides, by their keys.
	Metrics map[string]float64 `json:"metrics"`
}

// seedReports are of the results of a row.
func (p *Planned) seedReports(results []run.Result) []SeedReport {
	all := []SeedReport{}
	for _, result := range results {
		all = append(all, p.seedReport(result))
	}
	return all
}

func (p *Planned) seedReport(result run.Result) SeedReport {
	var u Unreadable
	u.add(result)
	s := SeedReport{
		Seed: result.Seed, Run: result.ID, Engine: result.Engine, Commit: result.Commit, Finished: result.Finished, Unreadable: u.count(),
		Metrics: maps.Clone(result.Metrics),
	}
	if s.Metrics == nil {
		s.Metrics = map[string]float64{}
	}
	for _, c := range p.Artifact.Columns {
		if v, ok := c.Value(result); ok {
			s.Metrics[c.Key()] = v
		}
	}
	return s
}

// rowSettings are what a row itself changes, "key=value": of the scale, and of its method's parts, such as "contrast.weight=.1".
func rowSettings(row plan.Row) []string {
	settings := []string{}
	for _, assignment := range row.Set {
		key, value, _ := strings.Cut(assignment, "=")
		settings = append(settings, scale.Plainly(key)+"="+value)
	}
	for _, assignment := range row.Fields {
		key, value, _ := strings.Cut(assignment, "=")
		name := scale.Plainly(key)
		if fields := plan.PartFields(row.Method(scale.Scales()[0]).WithDefaults(), name); len(fields) > 0 {
			name = fields[0]
		}
		settings = append(settings, name+"="+value)
	}
	return settings
}

// setting is what a row has, at its scale, of a setting as rowSettings names it.
func setting(row plan.Row, key string, s scale.Scale) (v reflect.Value, ok bool) {
	if x, ok := scale.Setting(key); ok {
		return x.Usual(s), true
	}
	method := row.Method(s).WithDefaults()
	if fields := plan.PartFields(method, key); len(fields) > 0 {
		return plan.PartValue(method, fields[0]), true
	}
	role, ok := plan.RoleOf(key)
	if !ok {
		return v, false
	}
	if part := role.Of(method); part != nil {
		return reflect.ValueOf(negative.TypeName(part)), true
	}
	return reflect.ValueOf("none"), true
}

// ValuesOf are those of a row in a column, seed by seed: of this store or, where it has none, shipped.
func (r *Report) ValuesOf(row string, c Column) (values []float64) {
	for _, s := range r.row(row).known() {
		if v, ok := s.Metrics[c.Key()]; ok {
			values = append(values, v)
		}
	}
	return values
}

// Differences are what a row has above another one in a column, of the seeds that both have.
func (r *Report) Differences(row, than string, c Column) (values []float64) {
	others := r.row(than).known()
	for _, s := range r.row(row).known() {
		at := slices.IndexFunc(others, func(o SeedReport) bool { return o.Seed == s.Seed })
		if at < 0 {
			continue
		}
		v, ok := s.Metrics[c.Key()]
		if o, also := others[at].Metrics[c.Key()]; ok && also {
			values = append(values, v-o)
		}
	}
	return values
}

// known is what is known of a row, seed by seed.
func (row RowReport) known() []SeedReport {
	if len(row.Seeds) == 0 {
		return row.Shipped
	}
	return row.Seeds
}

// SeedsCSV writes what every run gave, tidily: a line for each row, seed and metric, with a column for each setting that was changed, of
// all rows or of one, which has its value in every row. Last is where the number is from.
func (r *Report) SeedsCSV(w io.Writer) error {
	var settings []string
	given := map[string]string{}
	for _, assignment := range r.Set {
		key, value, _ := strings.Cut(assignment, "=")
		settings, given[key] = once(settings, key), value
	}
	for _, row := range r.Rows {
		for _, assignment := range row.Set {
			key, _, _ := strings.Cut(assignment, "=")
			settings = once(settings, key)
		}
	}
	out := csv.NewWriter(w)
	out.Write(slices.Concat([]string{"artifact", "row"}, settings,
		[]string{"seed", "metric", "value", "scale", "data", "data hash", "unreadable images", "engine", "commit", "run",
			"source"}))
	for i, row := range r.Rows {
		seeds, data, source := row.Seeds, row.Data, FromYou
		if len(seeds) == 0 && row.shipped.of != nil {
			seeds, data, source = row.Shipped, row.shipped.data(), FromReference
		}
		if len(seeds) == 0 {
			continue
		}
		scale, err := r.Plan.Planner.ScaleOf(r.Plan.Artifact.Rows[i], r.Plan.Scale)
		if err != nil {
			return err
		}
		scale = scale.Resolved()
		var values []string
		for _, key := range settings {
			value := given[key]
			if v, ok := setting(r.Plan.Artifact.Rows[i], key, scale); ok {
				value = fmt.Sprint(v.Interface())
			}
			values = append(values, value)
		}
		for _, s := range seeds {
			for _, metric := range slices.Sorted(maps.Keys(s.Metrics)) {
				out.Write(slices.Concat([]string{r.ID, row.Name}, values, []string{
					strconv.FormatUint(s.Seed, 10), metric, strconv.FormatFloat(s.Metrics[metric], 'g', -1, 64), r.Scale, data.Name,
					data.Hash,
					strconv.Itoa(s.Unreadable), s.Engine, s.Commit, s.Run, source,
				}))
			}
		}
	}
	out.Flush()
	return out.Error()
}
