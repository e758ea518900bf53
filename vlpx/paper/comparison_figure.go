package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// swept is a comparison whose rows are methods at several values of a numeric setting, or of two.
type swept struct {
	setting     string // along the axis; the values of another one have a curve each
	logarithmic bool
	places      []place // curve by curve, each from its lowest value on
	across      bool    // some curves are lines across
}

// logarithmicFrom is the ratio of the largest to the smallest value of a setting from which its axis is logarithmic.
const logarithmicFrom = 8

// comparisonFigure draws a sweep of settings as lines over them, and other rows as Bars.
func comparisonFigure(r *Report) (plots.Drawing, error) {
	s, ok, err := r.sweep()
	if err != nil {
		return nil, err
	}
	if ok {
		var about []string
		if s.across {
			about = append(about, fmt.Sprintf("Lines across are of methods that %s does nothing to.", s.setting))
		}
		return r.linesOver(s.setting, s.logarithmic, s.places, r.sweptColumns(), about...)
	}
	return Bars(r)
}

// sweptColumns are the columns that a sweep is drawn in, unless they were chosen: not all recalls, which go together.
func (r *Report) sweptColumns() []Column {
	if r.chosen {
		return r.Plan.Artifact.Columns
	}
	usual := []string{string(eval.TR1), string(eval.IR1), Cosine(eval.TRMAP).Metric, Cosine(eval.IRMAP).Metric, train.FalseInBatch,
		train.FalseHardest}
	all := slices.Concat(Retrieval(), OwnColumns())
	return slices.DeleteFunc(slices.Clone(r.Plan.Artifact.Columns), func(c Column) bool {
		return !slices.Contains(usual, c.Metric) && slices.ContainsFunc(all, func(other Column) bool { return other.Metric == c.Metric })
	})
}

// variant is a row of a comparison by its parts.
type variant struct {
	row    int
	method string             // its name without settings
	words  []string           // settings that are no numbers, as asked for
	values map[string]float64 // of all settings that a row of the comparison has and that are numbers, as far as this row has them
}

// variants are the rows by their parts, and the numeric settings that they have, in the order in which they are named.
func (r *Report) variants() (all []variant, settings []string, err error) {
	rows := r.Plan.Artifact.Rows
	for i, row := range rows {
		v := variant{row: i, method: cmp.Or(row.Base, row.Name), values: map[string]float64{}}
		for _, assignment := range rowSettings(row) {
			key, text, _ := strings.Cut(assignment, "=")
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				v.words = append(v.words, assignment)
			} else {
				settings = once(settings, key)
			}
		}
		all = append(all, v)
	}
	if len(settings) == 0 {
		return all, nil, nil
	}
	for _, v := range all {
		scale, err := r.Plan.Planner.ScaleOf(rows[v.row], r.Plan.Scale)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range settings {
			switch field, _ := setting(rows[v.row], name, scale.Resolved()); {
			case field.CanInt():
				v.values[name] = float64(field.Int())
			case field.CanFloat():
				v.values[name] = field.Float()
			}
		}
	}
	return all, settings, nil
}

// sweep tells whether the rows of a comparison are a sweep: where they differ in one or two numeric settings, and most of them lie on
// curves of three values or on several of two. A lone row of a method that the setting does nothing to is a line across.
func (r *Report) sweep() (s swept, ok bool, err error) {
	all, settings, err := r.variants()
	if err != nil || len(settings) == 0 {
		return s, false, err
	}
	distinct := map[string]int{}
	varied := slices.DeleteFunc(settings, func(setting string) bool {
		seen := map[float64]bool{}
		for _, v := range all {
			if value, has := v.values[setting]; has {
				seen[value] = true
			}
		}
		distinct[setting] = len(seen)
		return len(seen) < 2
	})
	if len(varied) == 0 || len(varied) > 2 {
		return s, false, nil
	}
	slices.SortStableFunc(varied, func(a, b string) int { return cmp.Compare(distinct[b], distinct[a]) })
	s.setting = varied[0]
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range all {
		if value, has := v.values[s.setting]; has {
			low, high = min(low, value), max(high, value)
		}
	}
	s.logarithmic = low > 0 && high/low >= logarithmicFrom
	slices.SortStableFunc(all, func(a, b variant) int { return cmp.Compare(a.values[s.setting], b.values[s.setting]) })

	var names []string
	curves := map[string][]variant{}
	for _, v := range all {
		name := strings.Join(append([]string{v.method}, v.words...), ", ")
		if len(varied) > 1 {
			if value, has := v.values[varied[1]]; has {
				name += fmt.Sprintf(", %s=%g", varied[1], value)
				if r.unset(v.row, varied[1]) {
					name += " (default)"
				}
			}
		}
		if curves[name] == nil {
			names = append(names, name)
		}
		curves[name] = append(curves[name], v)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(foremost(curves[a]), foremost(curves[b])) })
	on, longest := 0, 0
	for _, name := range names {
		curve := curves[name]
		if n := len(curve); n > 1 {
			on, longest = on+n, max(longest, n)
		}
		if _, has := curve[0].values[s.setting]; len(curve) == 1 && (!has || r.untouched(curve[0].row, s.setting, low, high)) {
			s.places, s.across = append(s.places, place{r.Rows[curve[0].row], name, low}, place{r.Rows[curve[0].row], name, high}), true
			continue
		}
		for _, v := range curve {
			s.places = append(s.places, place{r.Rows[v.row], name, v.values[s.setting]})
		}
	}
	return s, (longest > 2 || on > longest) && 2*on >= len(all), nil
}

// unset tells that a setting's zero stands in a row for its usual value.
func (r *Report) unset(row int, setting string) bool {
	x, ok := scale.Setting(setting)
	if !ok || x.Zero == 0 {
		return false
	}
	s, err := r.Plan.Planner.ScaleOf(r.Plan.Artifact.Rows[row], r.Plan.Scale)
	return err == nil && x.Of(s).IsZero()
}

// foremost is the row of a curve that was asked for first.
func foremost(curve []variant) int {
	return slices.MinFunc(curve, func(a, b variant) int { return cmp.Compare(a.row, b.row) }).row
}

// untouched tells whether a setting does nothing to a row: at other values, which it may not even take, its runs are the same.
func (r *Report) untouched(row int, setting string, values ...float64) bool {
	return len(r.Plan.Rows[row]) > 0 && !slices.ContainsFunc(values, func(value float64) bool {
		other := r.Plan.Artifact.Rows[row]
		other.Set = append(slices.Clone(other.Set), setting+"="+strconv.FormatFloat(value, 'f', -1, 64))
		of, err := r.Plan.RunsOf(other, r.Plan.Seeds[:1])
		return err != nil || of.Runs[0].ID() != r.Plan.Rows[row][0].ID()
	})
}
