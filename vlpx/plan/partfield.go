package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// PartField is a field that can be set of a method, or of one of its parts.
type PartField struct {
	role string // of the part, such as contrast; method for a field of the method itself
	scale.Field
}

// wholeMethod is the role of fields that are the method's own.
const wholeMethod = "method"

func (f PartField) String() string { return f.role + "." + f.Name }

// PartFields are those of a method: exported ones of parts that are structs or point to one, and the method's own plain ones.
func PartFields(m negative.Method) (all []PartField) {
	method := reflect.ValueOf(m)
	for i := range method.NumField() {
		name := strings.ToLower(method.Type().Field(i).Name)
		switch part := method.Field(i); {
		case name == "name":
		case part.Kind() != reflect.Interface:
			all = append(all, PartField{wholeMethod, scale.Field{Name: name, Place: []int{i}}})
		case reflect.Indirect(part.Elem()).IsValid():
			all = append(all, inner(name, reflect.Indirect(part.Elem()).Type(), []int{i})...)
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
			all = append(all, PartField{role, scale.Field{Name: strings.ToLower(f.Name), Place: at}})
		}
	}
	return all
}

// follows tells whether a field of a method's part has its value from the setting of the same name: whether the two are the same, and not
// 0.
func (f PartField) follows(x scale.Settable, m negative.Method, s scale.Scale) bool {
	v := f.In(m)
	return !v.IsZero() && reflect.DeepEqual(v.Interface(), x.Of(s).Interface())
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
