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

// partField is a field that can be set of a method, or of one of its parts.
type PartField struct {
	role  string // of the part, such as contrast; method for a field of the method itself
	Name  string
	place []int // in the method, and then in the part
}

// wholeMethod is the role of fields that are the method's own.
const wholeMethod = "method"

func (f PartField) String() string { return f.role + "." + f.Name }

// partFields are those of a method: exported ones of parts that are structs or point to one, and the method's own plain ones.
func PartFields(m negative.Method) (all []PartField) {
	method := reflect.ValueOf(m)
	for i := range method.NumField() {
		name := method.Type().Field(i).Name
		switch part := method.Field(i); {
		case name == "Name":
		case part.Kind() != reflect.Interface:
			all = append(all, PartField{wholeMethod, strings.ToLower(name), []int{i}})
		case reflect.Indirect(part.Elem()).IsValid():
			t := part.Elem().Type()
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			all = append(all, inner(strings.ToLower(name), t, []int{i})...)
		}
	}
	return all
}

// inner are the fields of a struct, with those of the structs that it embeds.
func inner(role string, t reflect.Type, place []int) (all []PartField) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(place), i)
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			all = append(all, inner(role, f.Type, at)...)
		case f.IsExported() && !f.Anonymous:
			all = append(all, PartField{role, strings.ToLower(f.Name), at})
		}
	}
	return all
}

// in is the field's value in a method.
func (f PartField) In(m negative.Method) reflect.Value {
	v := reflect.ValueOf(m).Field(f.place[0])
	if f.role == wholeMethod {
		return v
	}
	return reflect.Indirect(v.Elem()).FieldByIndex(f.place[1:])
}

// set gives the field another value, in a copy of its part.
func (f PartField) set(m *negative.Method, text string) error {
	v := reflect.ValueOf(m).Elem().Field(f.place[0])
	if f.role == wholeMethod {
		return scale.Assign(v, text)
	}
	part := reflect.New(reflect.Indirect(v.Elem()).Type())
	part.Elem().Set(reflect.Indirect(v.Elem()))
	if err := scale.Assign(part.Elem().FieldByIndex(f.place[1:]), text); err != nil {
		return err
	}
	if v.Elem().Kind() != reflect.Pointer {
		part = part.Elem()
	}
	v.Set(part)
	return nil
}

// changed is the row with a setting of its own: of the scale, of a field of its method's parts, or with another part (see [Row.composed]).
// What a name means is told by its first word where it could be both: "contrast.temperature=.1" or "scale.temperature=.1".
func (row Row) changed(assignment string, own []negative.Method) (Row, error) {
	row.Base = cmp.Or(row.Base, row.Name)
	key, text, ok := strings.Cut(assignment, "=")
	if !ok {
		return row, fmt.Errorf("setting %s: write it as key=value, such as epochs=3", assignment)
	}
	if role, is := RoleOf(key); is && new(scale.Scale).Set(assignment) != nil { // views.jitter.contrast is a number
		with, err := row.composed(role, text, own)
		if err != nil {
			err = fmt.Errorf("setting %s: %w", assignment, err)
		}
		return with, err
	}
	small := scale.Scales()[0].Resolved()
	method := row.Method(small).WithDefaults()
	name := scale.Plainly(key)
	all := scale.Settings()
	at := slices.IndexFunc(all, func(x scale.Settable) bool { return x.Name == name })
	var fields []PartField
	for _, f := range PartFields(method) {
		if (name == f.Name || name == f.String()) && !(at >= 0 && f.follows(all[at], method, small)) {
			fields = append(fields, f)
		}
	}
	switch {
	case at >= 0 && len(fields) > 0:
		return row, fmt.Errorf("setting %s: that is a setting (%s) and a field of %s's %s: write scale.%s or %s, whichever is meant",
			assignment, all[at].Says, row.Name, fields[0].role, name, fields[0])
	case len(fields) > 1:
		return row, fmt.Errorf("setting %s: %s has it in its %s and its %s: write %s or %s, whichever is meant",
			assignment, row.Name, fields[0].role, fields[1].role, fields[0], fields[1])
	case len(fields) == 1:
		if err := fields[0].set(&method, text); err != nil {
			return row, fmt.Errorf("setting %s of %s's %s: %w", assignment, row.Name, fields[0].role, err)
		}
		of := row.With(func(_ scale.Scale, m *negative.Method) {
			if err := fields[0].set(m, text); err != nil {
				panic(fmt.Sprintf("paper: %s: %v", m.Name, err))
			}
		})
		of.Fields = append(slices.Clone(row.Fields), assignment)
		return of.As(fmt.Sprintf("%s, %s=%s", row.Name, name, text)), nil
	}
	x, err := scale.FindSetting(key)
	if err != nil {
		var has []string
		for _, f := range PartFields(method) {
			has = append(has, f.String())
		}
		return row, fmt.Errorf("setting %s: %w. %s has %s besides", assignment, err, row.Name, strings.Join(has, ", "))
	}
	if err := new(scale.Scale).Set(x.Name + "=" + text); err != nil {
		return row, err
	}
	if slices.ContainsFunc(row.Set, func(set string) bool { return strings.HasPrefix(set, x.Name+"=") }) {
		return row, fmt.Errorf("setting %s: %s is set twice; leave one of them out", assignment, x.Name)
	}
	row.Set = append(slices.Clone(row.Set), x.Name+"="+text)
	if strings.HasPrefix(name, "scale.") {
		return row.As(fmt.Sprintf("%s, scale.%s=%s", row.Name, x.Name, text)), nil
	}
	return row.As(fmt.Sprintf("%s, %s=%s", row.Name, x.Name, text)), nil
}

// follows tells whether a field of a method's part has its value from the setting of the same name: whether the two are the same, and not
// 0.
func (f PartField) follows(x scale.Settable, m negative.Method, s scale.Scale) bool {
	v := f.In(m)
	return !v.IsZero() && reflect.DeepEqual(v.Interface(), x.Of(&s).Interface())
}

// ofPart adds to what is wrong with a setting for all that it is one of a method's part, if its first word is a part's.
func ofPart(assignment string, wrong error) error {
	role, _, _ := strings.Cut(scale.Plainly(assignment), ".")
	method := reflect.TypeFor[negative.Method]()
	field, known := method.FieldByNameFunc(func(name string) bool { return strings.ToLower(name) == role })
	if !known || field.Type.Kind() != reflect.Interface {
		return wrong
	}
	return fmt.Errorf("%w. A field of a method's part is set behind the method's name: \"METHOD, %s\"", wrong, assignment)
}
