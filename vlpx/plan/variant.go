package plan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// Variant is the row that a text names: a registered method, by its name or an alias, or one of one's own, and changes for this row alone,
// of the scale, of a field of one of the method's parts, or of a part, as in "GRIT-VLP, searchspace=960, epochs=5", "Mine, tauplus=.05" or
// "GRIT-VLP, contrast=Mine". The method's name and the changes are the row's name.
func Variant(text string, own []negative.Method) (Row, error) {
	var registry []Row
	for _, m := range scale.Methods() {
		registry = append(registry, MethodRow(m.Name))
	}
	known, err := Experiment{ID: "the list of methods", Rows: registry}.withOwn(own)
	if err != nil {
		return Row{}, err
	}
	pieces := pieces(text)
	for n := len(pieces); n > 0; n-- { // of one's own methods, a name may have a comma
		row, ok := known.row(strings.Join(pieces[:n], ","))
		if !ok {
			continue
		}
		for _, assignment := range pieces[n:] {
			if row, err = row.changed(strings.TrimSpace(assignment), own); err != nil {
				return Row{}, fmt.Errorf("%s: %w", text, err)
			}
		}
		return row, nil
	}
	var names []string
	for _, r := range known.Rows {
		names = append(names, r.Name)
	}
	return Row{}, scale.Unknown("method", pieces[0], names)
}

// changed is the row with a setting of its own: of the scale, of a field of its method's parts, or with another part (see [Row.composed]).
// What a name means is told by its first word where it could be both: "contrast.temperature=.1" or "scale.temperature=.1".
func (row Row) changed(assignment string, own []negative.Method) (Row, error) {
	wrong := func(err error) (Row, error) { return row, fmt.Errorf("setting %s: %w", assignment, err) }
	key, text, err := scale.Assignment(assignment)
	if err != nil {
		return row, err
	}
	row.Base = cmp.Or(row.Base, row.Name)
	if role, is := RoleOf(key); is && new(scale.Scale).Set(assignment) != nil { // views.jitter.contrast is a number
		with, err := row.composed(role, text, own)
		if err != nil {
			return wrong(err)
		}
		return with, nil
	}
	small := scale.Scales()[0].Resolved()
	method := row.Method(small).WithDefaults()
	name := scale.Plainly(key)
	same, both := scale.Setting(name)
	fields := slices.DeleteFunc(PartFields(method, name), func(field string) bool { // a part that has its value from the setting
		v := PartValue(method, field)
		return both && !v.IsZero() && reflect.DeepEqual(v.Interface(), same.Of(small).Interface())
	})
	switch {
	case both && len(fields) > 0:
		return wrong(fmt.Errorf("that is a setting (%s) and a field of %s: write scale.%s or %s, whichever is meant", same.Says, row.Name,
			name, fields[0]))
	case len(fields) > 1:
		return wrong(fmt.Errorf("%s has %s: write the one that is meant", row.Name, strings.Join(fields, " and ")))
	case len(fields) == 1:
		if err := setPart(&method, fields[0], text); err != nil {
			return wrong(fmt.Errorf("of %s's %w", row.Name, err))
		}
		row = row.With(func(_ scale.Scale, m *negative.Method) {
			if err := setPart(m, fields[0], text); err != nil {
				panic(fmt.Sprintf("plan: %s: %v", m.Name, err))
			}
		})
		row.Fields = append(slices.Clone(row.Fields), name+"="+text)
		return row.As(fmt.Sprintf("%s, %s=%s", row.Name, name, text)), nil
	}
	x, err := scale.FindSetting(key)
	if err != nil {
		return wrong(fmt.Errorf("%w. %s has %s besides", err, row.Name, strings.Join(PartFields(method, ""), ", ")))
	}
	set := x.Name + "=" + text
	if err := new(scale.Scale).Set(set); err != nil {
		return row, err
	}
	if slices.ContainsFunc(row.Set, func(set string) bool { return strings.HasPrefix(set, x.Name+"=") }) {
		return wrong(fmt.Errorf("%s is set twice; leave one of them out", x.Name))
	}
	row.Set = append(slices.Clone(row.Set), set)
	if strings.HasPrefix(name, "scale.") {
		set = "scale." + set
	}
	return row.As(row.Name + ", " + set), nil
}

// pieces are what commas separate, but for those within brackets, as of a list.
func pieces(text string) (all []string) {
	depth, begin := 0, 0
	for i, c := range text {
		switch {
		case strings.ContainsRune("[{", c):
			depth++
		case strings.ContainsRune("]}", c):
			depth--
		case c == ',' && depth <= 0:
			all, begin = append(all, text[begin:i]), i+1
		}
	}
	return append(all, text[begin:])
}

// row is the experiment's row of a name, or of the registered method of that alias.
func (e Experiment) row(name string) (Row, bool) {
	called := func(name string) int {
		return slices.IndexFunc(e.Rows, func(r Row) bool { return strings.EqualFold(r.Name, name) })
	}
	i := called(strings.TrimSpace(name))
	if m, ok := scale.Named(name); ok && i < 0 {
		i = called(m.Name)
	}
	if i < 0 {
		return Row{}, false
	}
	return e.Rows[i], true
}
