package framework

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"vlpx.internal/vlpx/source"
	"vlpx.internal/vlpx/weights"
)

// Choice is the framework of a run. Its JSON has the name of the framework's type, so that it identifies it, and its source where that
// is defined outside of this module (see [source.Named]).
type Choice struct{ Framework }

// known are the types of frameworks by their names in JSON.
var known = map[string]reflect.Type{}

// Register makes a type of framework known, so that a run's JSON is read back.
func Register(f Framework) { known[fmt.Sprintf("%T", f)] = reflect.TypeOf(f) }

// Sized is the framework of a published checkpoint with its sizes, and how it is used (see [Published]).
func Sized(s weights.Source) (Published, Use, error) {
	var failed error
	for _, name := range slices.Sorted(maps.Keys(known)) {
		of, is := reflect.Zero(known[name]).Interface().(Published)
		if !is {
			continue
		}
		sized, use, err := of.Sized(s)
		if err == nil {
			return sized.(Published), use, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, Use{}, failed
}

// MarshalJSON implements json.Marshaler.
func (c Choice) MarshalJSON() ([]byte, error) {
	if c.Framework == nil {
		return []byte("null"), nil
	}
	forward, err := source.Named(c.Framework)
	if err != nil {
		return nil, fmt.Errorf("framework: %w", err)
	}
	return json.Marshal(forward)
}

// UnmarshalJSON implements json.Unmarshaler. One that is not known, since a program of its own defines it, is left out.
func (c *Choice) UnmarshalJSON(text []byte) error {
	var forward map[string]json.RawMessage
	if err := json.Unmarshal(text, &forward); err != nil {
		return err
	}
	for name, settings := range forward {
		of, ok := known[name]
		if !ok {
			continue
		}
		value := reflect.New(of)
		d := json.NewDecoder(bytes.NewReader(settings))
		d.DisallowUnknownFields()
		if err := d.Decode(value.Interface()); err != nil {
			return fmt.Errorf("framework %s: %w", name, err)
		}
		c.Framework = value.Elem().Interface().(Framework)
	}
	return nil
}

// Plain reports why the framework is none that a run can be identified by.
func (c Choice) Plain() error {
	if err := source.Plain(c.Framework); err != nil {
		return fmt.Errorf("framework: %T: %w", c.Framework, err)
	}
	return nil
}
