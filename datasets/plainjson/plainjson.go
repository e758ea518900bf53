// Package plainjson reads JSON that people write, and tells what is wrong with it in the words of the file instead of those of Go.
package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Unmarshal reads JSON into a value. What is wrong is told with the line and column where reading stopped, and by the file's own words
// instead of Go's types.
func Unmarshal(text []byte, into any) error {
	return InText(text, json.Unmarshal(text, into))
}

// InText tells what is wrong with JSON as [Unmarshal] does; other errors stay as they are.
func InText(text []byte, err error) error {
	at, ok := offset(err)
	if !ok || at < 1 || at > int64(len(text)) {
		return InWords(err)
	}
	before := text[:at-1] // the decoder has read the byte that it tells of
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, InWords(err))
}

// InWords tells what is wrong with JSON without Go's types; other errors stay as they are.
func InWords(err error) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	if kind.Field == "" {
		return mistake{fmt.Sprintf("%s where %s belongs", article(kind.Value), wanted(kind.Type)), err}
	}
	return mistake{fmt.Sprintf("%q is %s; %s belongs there", kind.Field, article(kind.Value), wanted(kind.Type)), err}
}

// mistake is an error in other words.
type mistake struct {
	words string
	err   error
}

func (m mistake) Error() string { return m.words }
func (m mistake) Unwrap() error { return m.err }

// offset is the byte behind which a decoder stopped.
func offset(err error) (int64, bool) {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind):
		return kind.Offset, true
	case errors.As(err, &syntax):
		return syntax.Offset, true
	}
	return 0, false
}

// article names a kind of JSON value, as package json does, with its article: "number 1.5" is the number 1.5.
func article(value string) string {
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "number":
		return "a number"
	}
	return "the " + value
}

// wanted names what a Go type takes of JSON.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, not negative,"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Pointer:
		return wanted(t.Elem())
	}
	return "an object"
}
