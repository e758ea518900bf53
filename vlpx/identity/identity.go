// Package identity tells what a part of a run is: parts of methods, frameworks and tasks are plain data, and their type, its fields and,
// where it is defined outside of this module, its source are part of the run's identity.
package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// What a part of this module does is told by its type and its fields. The code of one that is defined elsewhere, such as in a notebook's cell,
// can change under the same name. So it has one of these keys beside its type in JSON, with a SHA-256 in hexadecimal digits.
const (
	// Source is of the declarations that the part's type reaches.
	Source = "Source"
	// Executable is of the running program, in the place of the declarations where these cannot be told apart from the rest of it; see [Vague].
	Executable = "Executable"
	// Program was of the running program, in runs of older versions.
	Program = "Program"
)

// Named is a part under the name of its type, as JSON is to have it, with its code where it is defined outside of this module.
func Named(part any) (map[string]any, error) {
	named := map[string]any{fmt.Sprintf("%T", part): part}
	if part == nil || !foreign(reflect.TypeOf(part)) {
		return named, nil
	}
	hash, err := running.source(reflect.TypeOf(part))
	if err == nil {
		named[Source] = hash
		return named, nil
	}
	if named[Executable], err = executable(); err != nil {
		return nil, fmt.Errorf("identity: reading the program that defines %T: %w", part, err)
	}
	return named, nil
}

// Vague tells in a sentence why a part is identified by the whole program: nothing where its code is told apart, or is this module's.
func Vague(part any) string {
	if part == nil || !foreign(reflect.TypeOf(part)) {
		return ""
	}
	if _, err := running.source(reflect.TypeOf(part)); err != nil {
		return fmt.Sprintf("%s is identified by the whole program, so it runs anew after any change: %v.", name(reflect.TypeOf(part)), err)
	}
	return ""
}

// foreign reports whether a type is defined outside of this module.
func foreign(t reflect.Type) bool { return !strings.HasPrefix(pointed(t).PkgPath(), ours) }

// ours begins the paths of this module's packages.
const ours = "vlpx.internal/"

// pointed is the type that a pointer points to, or the type itself.
func pointed(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// name is what a reader calls a type.
func name(t reflect.Type) string {
	if t = pointed(t); t.Name() != "" {
		return t.Name()
	}
	return "A part without a name"
}

// Plain tells why a part is not plain data: it has settings that its JSON would not show, so that a run with others would be answered
// with its results.
func Plain(part any) error {
	if part == nil {
		return errors.New("there is none")
	}
	if _, err := json.Marshal(part); err != nil {
		return fmt.Errorf("%w; a part is plain data, so that its settings are part of the run's identity", err)
	}
	if field := hidden(reflect.ValueOf(part)); field != "" {
		return fmt.Errorf("its JSON does not tell what the field %s holds; give it an exported field of a plain type, "+
			"so that its settings are part of the run's identity", field)
	}
	return nil
}

// hidden returns the first field below v that JSON does not identify, "" if there is none: an unexported one, or an interface,
// of which JSON shows the value but not the type.
func hidden(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return hidden(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if field := hidden(v.Index(i)); field != "" {
				return field
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if field := hidden(v.MapIndex(key)); field != "" {
				return field
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() && !f.Anonymous || f.Type.Kind() == reflect.Interface {
				return f.Name
			}
			if field := hidden(v.Field(i)); field != "" {
				return f.Name + "." + field
			}
		}
	}
	return ""
}
