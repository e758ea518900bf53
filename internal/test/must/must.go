// Package must ends a test at an error that it is not about, x := must.Get(open(name))(t), and tells of one that says the wrong thing,
// must.Fail(t, must.Err(open(name)), "no such file").
package must

import (
	"fmt"
	"strings"
	"testing"
)

// Do ends the test at an error.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get is a call's value; the test ends at its error.
func Get[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return value
	}
}

// Get2 is Get for calls with two values.
func Get2[T, U any](value T, other U, err error) func(testing.TB) (T, U) {
	return func(t testing.TB) (T, U) {
		t.Helper()
		Do(t, err)
		return value, other
	}
}

// Fail tells of an error that is not there or does not say what it should. About is a format with its values: which case it is.
func Fail(t testing.TB, err error, says string, about ...any) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), says) {
		return
	}
	of := ""
	if len(about) > 0 {
		of = fmt.Sprintf(about[0].(string), about[1:]...) + ": "
	}
	t.Errorf("%sgot %v, want an error that says %q", of, err, says)
}

// Err is the error of a call with a value.
func Err[T any](_ T, err error) error { return err }

// Err2 is the error of a call with two values.
func Err2[T, U any](_ T, _ U, err error) error { return err }
