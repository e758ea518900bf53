package scale

import (
	"encoding/json"
	"fmt"
	"go/token"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Field is a field that a key sets: of a struct, or of one that stands in it.
type Field struct {
	Name  string
	Place []int // its index, behind those of the fields that it stands in
}

// fieldOf finds the exported field of a struct by its name in any case, such as schedule.rate.
func fieldOf(t reflect.Type, name string) (Field, bool) {
	f := Field{Name: name}
	for _, word := range strings.Split(name, ".") {
		if t.Kind() != reflect.Struct {
			return f, false
		}
		in, ok := t.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, word) && token.IsExported(field) })
		if !ok {
			return f, false
		}
		f.Place, t = append(f.Place, in.Index...), in.Type
	}
	return f, true
}

// In is the field's value in a struct. What an interface or a pointer on the way holds is a struct.
func (f Field) In(root any) reflect.Value {
	v := reflect.ValueOf(root)
	for _, i := range f.Place {
		for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// Set gives the field of a struct behind a pointer the value that a text says. What an interface or a pointer on the way holds is copied
// first, so that others who hold it keep theirs. The error leaves all as it was.
func (f Field) Set(root any, text string) error {
	return set(reflect.ValueOf(root).Elem(), f.Place, text)
}

func set(v reflect.Value, place []int, text string) error {
	switch {
	case len(place) == 0:
		return assign(v, text)
	case v.Kind() == reflect.Interface:
		held := reflect.New(v.Elem().Type()).Elem()
		held.Set(v.Elem())
		err := set(held, place, text)
		if err == nil {
			v.Set(held)
		}
		return err
	case v.Kind() == reflect.Pointer:
		held := reflect.New(v.Type().Elem())
		held.Elem().Set(v.Elem())
		err := set(held.Elem(), place, text)
		if err == nil {
			v.Set(held)
		}
		return err
	}
	return set(v.Field(place[0]), place[1:], text)
}

// assign gives a value what a text says; the error leaves it as it was.
func assign(field reflect.Value, text string) error {
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
		return nil
	case reflect.Float32, reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || field.OverflowFloat(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q is not a number", text)
		}
		field.SetFloat(v)
		return nil
	}
	value := reflect.New(field.Type()) // of its own: what JSON gives up in the middle of it has changed by then
	// To JSON null is a value of any type, which changes nothing.
	if err := json.Unmarshal([]byte(text), value.Interface()); err != nil || strings.TrimSpace(text) == "null" {
		return fmt.Errorf("%q is not %s", text, called(field.Type()))
	}
	if err := bounded(value.Elem(), mostOfAll); err != nil {
		return err
	}
	field.Set(value.Elem())
	return nil
}

// called is what a value of a type is.
func called(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	case reflect.Array:
		return fmt.Sprintf("a list of %d, such as %s", t.Len(), example(t))
	case reflect.Slice:
		return "a list, such as " + example(t)
	}
	return "a value in JSON, such as " + example(t)
}

// example is a value of a type as it is written.
func example(t reflect.Type) string {
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.Slice {
		v = reflect.MakeSlice(t, 2, 2)
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return "none"
	}
	return string(text)
}
