package plan

import (
	"fmt"
	"reflect"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// PartFields are the fields that can be set of a method, each behind the part that it is of, as in contrast.weight, or behind "method".
// Only those that a key names; all of them for an empty one.
func PartFields(m negative.Method, key string) (names []string) {
	add := func(name string) {
		if key == "" || scale.Names(key, name) {
			names = append(names, name)
		}
	}
	for _, role := range scale.FieldNames(m) {
		switch part, _ := scale.FieldOf(m, role); {
		case role == "name":
		case part.Kind() != reflect.Interface:
			add("method." + role)
		default:
			for _, name := range scale.FieldNames(part.Interface()) {
				add(role + "." + name)
			}
		}
	}
	return names
}

// PartValue is the value of one of PartFields; not valid for another method's.
func PartValue(m negative.Method, name string) reflect.Value {
	v, _ := scale.FieldOf(m, strings.TrimPrefix(name, "method."))
	return v
}

// setPart gives one of PartFields the value that a text says.
func setPart(m *negative.Method, name, text string) error {
	if err := scale.SetField(m, strings.TrimPrefix(name, "method."), text); err != nil {
		role, _, _ := strings.Cut(name, ".")
		return fmt.Errorf("%s: %w", role, err)
	}
	return nil
}

// ofPart adds to what is wrong with a setting for all that it is one of a method's part, if its first word is a part's.
func ofPart(assignment string, wrong error) error {
	role, _, _ := strings.Cut(scale.Plainly(assignment), ".")
	if part, known := scale.FieldOf(negative.Method{}, role); !known || part.Kind() != reflect.Interface {
		return wrong
	}
	return fmt.Errorf("%w. A field of a method's part is set behind the method's name: \"METHOD, %s\"", wrong, assignment)
}
