package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

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
