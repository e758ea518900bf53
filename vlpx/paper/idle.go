package paper

import (
	"fmt"
	"slices"
	"strings"
)

// Idle tells, a sentence each, what is set and changes nothing: what all rows come to is the same without it, or what a row comes to without a
// setting of its own. A setting that others cannot do without is not idle.
func (p *Plan) Idle() ([]string, error) {
	var told []string
	var was []string
	set := p.planner.Set
	if len(set) > 0 {
		all, err := p.with(set)
		if err != nil {
			return nil, err
		}
		was = all.identities()
	}
	for i, assignment := range set {
		if len(was) == 0 { // an artifact without runs, which may show the settings themselves
			break
		}
		x, text, err := assigned(assignment)
		if err != nil {
			return nil, err
		}
		if later := slices.IndexFunc(set[i+1:], func(a string) bool { return strings.HasPrefix(a, x.Name+"=") }); later >= 0 {
			told = append(told, fmt.Sprintf("setting %s changes nothing: %s stands behind it", assignment, set[i+1+later]))
			continue
		}
		if x.quiet() {
			continue
		}
		without, err := p.with(slices.Delete(slices.Clone(set), i, i+1))
		if err == nil && slices.Equal(without.identities(), was) {
			told = append(told, fmt.Sprintf("setting %s changes nothing here: %s", assignment, x.idle(text, without.Scale, "nothing that is asked for reads it")))
		}
	}
	for i, row := range p.Experiment.Rows {
		if len(p.Rows[i]) == 0 {
			continue
		}
		idle, err := p.idleOf(row, p.identity(i))
		if err != nil {
			return nil, err
		}
		told = append(told, idle...)
		if k := p.same(i); k >= 0 {
			told = append(told, fmt.Sprintf("%s and %s are the same runs", p.Experiment.Rows[k].Name, row.Name))
		}
	}
	return told, nil
}

// with is the plan of its request with other settings, for its first seed.
func (p *Plan) with(set []string) (*Plan, error) {
	q := p.planner.Request
	q.Set = set
	scale, err := q.Preset()
	if err == nil {
		err = scale.SetAll(set)
	}
	if err != nil {
		return nil, err
	}
	data, err := q.data(scale)
	if err != nil {
		return nil, err
	}
	other := &Plan{Experiment: p.Experiment, Scale: scale, Data: data, Seeds: p.Seeds[:1], Asked: slices.Clone(p.Asked),
		planner: planner{known: p.planner.known, sizes: p.planner.sizes}}
	return other, other.rows(q)
}

// identity is that of the jobs of a row's first seed; none where it has no runs.
func (p *Plan) identity(row int) []string {
	if len(p.Rows[row]) == 0 {
		return nil
	}
	return seeded{jobs: p.Jobs[row]}.identity()
}

func (of seeded) identity() []string {
	var ids []string
	for _, j := range of.jobs[0] {
		ids = append(ids, j.Prefix+j.ID())
	}
	return ids
}

func (p *Plan) identities() (all []string) {
	for i := range p.Rows {
		all = append(all, p.identity(i)...)
	}
	return all
}

// idleOf tells which of a row's own settings change nothing of what it comes to.
func (p *Plan) idleOf(row Row, was []string) (told []string, err error) {
	for i, assignment := range row.Set {
		x, text, err := assigned(assignment)
		if err != nil {
			return nil, err
		}
		less := row
		less.Set = slices.Delete(slices.Clone(row.Set), i, i+1)
		of, err := p.seeded(less, p.Seeds[:1])
		if err != nil || x.quiet() || !slices.Equal(of.identity(), was) {
			continue
		}
		without := p.Scale
		if err := without.SetAll(less.Set); err != nil {
			return nil, err
		}
		method, _, _ := strings.Cut(row.Name, ", "+row.Set[0])
		told = append(told, fmt.Sprintf("setting %s changes nothing of %q: %s", assignment, row.Name, x.idle(text, without, method+" does not read it")))
	}
	return told, nil
}

// quiet tells of a setting that may change nothing without being told of.
func (x Settable) quiet() bool { return x.aside || x.Name == "framework" }

// idle tells why a value makes no difference: it is that of the scale, or it is not read, and who reads it.
func (x Settable) idle(text string, without Scale, unread string) string {
	with := without
	if err := with.Set(x.Name + "=" + text); err == nil && x.Value(with) == x.Value(without) {
		return fmt.Sprintf("it is %s already", x.Value(without))
	}
	if readers := ReadersOf(x).String(); readers != "" {
		return fmt.Sprintf("%s; it is read by %s", unread, readers)
	}
	return unread
}

// same is the row before another one that comes to the same; -1 for none.
func (p *Plan) same(row int) int {
	id := p.identity(row)
	for i := range row {
		if id != nil && slices.Equal(p.identity(i), id) {
			return i
		}
	}
	return -1
}

// repeated refuses a comparison of a row with itself, under two names for settings that make no difference.
func (p *Plan) repeated() error {
	if !p.Experiment.compared() {
		return nil
	}
	for i, row := range p.Experiment.Rows {
		k := p.same(i)
		if k < 0 || len(row.Set)+len(row.Fields)+len(p.Experiment.Rows[k].Set)+len(p.Experiment.Rows[k].Fields) == 0 {
			continue
		}
		var told []string
		for _, of := range []Row{p.Experiment.Rows[k], row} {
			idle, err := p.idleOf(of, p.identity(i))
			if err != nil {
				return err
			}
			told = append(told, idle...)
		}
		return fmt.Errorf("%q and %q are the same runs; leave one of them out%s", p.Experiment.Rows[k].Name, row.Name, strings.Join(append([]string{""}, told...), "; "))
	}
	return nil
}
