package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
)

// Examples are what tasks keep of a model beside metrics, by the name of its [Kind]. Of a kind that this program does not know they are
// json.RawMessage.
type Examples map[string]any

// Kind is a kind of examples: values of a type, under a name in JSON.
type Kind[T any] struct{ name string }

// kinds read examples by the names of their kinds.
var kinds = map[string]func(text []byte) (any, error){}

// NewKind makes a kind of examples known. A task's file has its kinds as variables. If T has a method Check() error, it is called for what
// is read.
func NewKind[T any](name string) Kind[T] {
	if kinds[name] != nil {
		panic(fmt.Sprintf("eval: two kinds of examples are named %q", name))
	}
	kinds[name] = func(text []byte) (any, error) {
		var value T
		if err := json.Unmarshal(text, &value); err != nil {
			return nil, fmt.Errorf("eval: examples %q: %w", name, err)
		}
		if checked, is := any(value).(interface{ Check() error }); is {
			return value, checked.Check()
		}
		return value, nil
	}
	return Kind[T]{name}
}

// Of returns the examples of the kind; the zero value where there are none.
func (k Kind[T]) Of(e Examples) T {
	value, _ := e[k.name].(T)
	return value
}

// Examples are a value alone; none where it is an empty list or nil.
func (k Kind[T]) Examples(value T) Examples {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Slice, reflect.Map:
		if v.Len() == 0 {
			return nil
		}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
	}
	return Examples{k.name: value}
}

// With returns what was measured with examples of the kind.
func (k Kind[T]) With(m Measured, value T) Measured {
	m.Examples = maps.Clone(m.Examples)
	m.Examples.join(k.Examples(value))
	return m
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *Examples) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*e = nil
	for name, one := range all {
		if err := e.Read(name, one); err != nil {
			return err
		}
	}
	return nil
}

// Read adds the examples of a name from their JSON; null adds none.
func (e *Examples) Read(name string, text json.RawMessage) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	if compact.String() == "null" {
		return nil
	}
	var value any = json.RawMessage(compact.Bytes())
	if read := kinds[name]; read != nil {
		var err error
		if value, err = read(text); err != nil {
			return err
		}
	}
	e.put(name, value)
	return nil
}

func (e *Examples) put(name string, value any) {
	if *e == nil {
		*e = Examples{}
	}
	(*e)[name] = value
}

// join adds what another task gave: to a list under the same name its list, else in place of what was there.
func (e *Examples) join(more Examples) {
	for name, value := range more {
		before, behind := reflect.ValueOf((*e)[name]), reflect.ValueOf(value)
		if before.IsValid() && before.Type() == behind.Type() && behind.Kind() == reflect.Slice {
			value = reflect.AppendSlice(before, behind).Interface()
		}
		e.put(name, value)
	}
}
