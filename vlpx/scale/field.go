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

// Assignment is the key and the value of "key=value".
func Assignment(text string) (key, value string, err error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		err = fmt.Errorf("setting %s: write it as key=value, such as epochs=3", text)
	}
	return key, value, err
}

// Plainly is a name as it is looked for: "Weight decay", "weight_decay" and "weight-decay" are weightdecay.
func Plainly(key string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(key))
}

// Names reports whether a key, as Plainly has it, is a name or the last word of a name with dots.
func Names(key, name string) bool { return key == name || strings.HasSuffix(name, "."+key) }

// FieldNames are the fields of a struct that can be set, in lower case, those of structs that it embeds among them. None of what is no
// struct.
func FieldNames(root any) (names []string) {
	v := reflect.Indirect(reflect.ValueOf(root))
	if v.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.IsExported() && !f.Anonymous {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return names
}

// FieldOf is the field of a struct by its name in any case, and whether there is one. A dot leads into a struct that a field holds, as in
// schedule.rate, also by an interface or a pointer.
func FieldOf(root any, name string) (v reflect.Value, ok bool) {
	v = reflect.ValueOf(root)
	for word := range strings.SplitSeq(name, ".") {
		for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v, ok = fieldNamed(v, word); !ok {
			return v, false
		}
	}
	return v, true
}

func fieldNamed(v reflect.Value, word string) (reflect.Value, bool) {
	if v.Kind() != reflect.Struct {
		return v, false
	}
	f, ok := v.Type().FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, word) && token.IsExported(name) })
	if !ok || f.Anonymous {
		return v, false
	}
	v, err := v.FieldByIndexErr(f.Index)
	return v, err == nil
}

// SetField gives a field that [FieldOf] finds the value that a text says, in the struct behind a pointer. What an interface or a pointer on
// the way holds is copied first, so that others who hold it keep theirs. The error leaves all as it was.
func SetField(root any, name, text string) error {
	return setWithin(anyNumber, reflect.ValueOf(root).Elem(), strings.Split(name, "."), text)
}

func setWithin(of span, v reflect.Value, words []string, text string) error {
	if len(words) == 0 {
		return assign(of, v, text)
	}
	if v.Kind() != reflect.Interface && v.Kind() != reflect.Pointer {
		field, ok := fieldNamed(v, words[0])
		if !ok {
			return fmt.Errorf("%s has no field %s", v.Type(), words[0])
		}
		return setWithin(of, field, words[1:], text)
	}
	held := reflect.New(v.Elem().Type())
	held.Elem().Set(v.Elem())
	if err := setWithin(of, held.Elem(), words, text); err != nil {
		return err
	}
	if v.Kind() == reflect.Interface {
		held = held.Elem()
	}
	v.Set(held)
	return nil
}

// assign gives a value what a text says, if its numbers are in a span; the error leaves it as it was.
func assign(of span, field reflect.Value, text string) error {
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
		return nil
	case reflect.Float32, reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || field.OverflowFloat(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q is not a number", text)
		}
		if err := of.check(reflect.ValueOf(v)); err != nil {
			return err
		}
		field.SetFloat(v)
		return nil
	}
	value := reflect.New(field.Type()) // of its own: what JSON gives up in the middle of it has changed by then
	// To JSON null is a value of any type, which changes nothing.
	if err := json.Unmarshal([]byte(text), value.Interface()); err != nil || strings.TrimSpace(text) == "null" {
		return fmt.Errorf("%q is not %s", text, called(field.Type()))
	}
	if err := of.check(value.Elem()); err != nil {
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
