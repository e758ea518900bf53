package regions

import (
	"strings"
	"testing"
)

// An array whose header claims more numbers than it has bytes is refused before they are made room for.
func TestHeaderOfAbsurdShape(t *testing.T) {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (10000000, 10000000), }"
	text := "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + "1234"
	if _, _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "(10000000, 10000000) numbers") {
		t.Errorf("got %v", err)
	}
}

// FuzzParse reads what is no array, or a strange one: an error, or as many numbers as its shape says.
func FuzzParse(f *testing.F) {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"
	whole := "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + "1234"
	for _, text := range []string{whole, strings.Replace(whole, "(1, 1)", "(-1,)", 1), strings.Replace(whole, "<f4", "|O8", 1), whole[:20],
		""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		numbers, shape, err := read(text)
		if err != nil {
			return
		}
		n := 1
		for _, side := range shape {
			n *= side
		}
		if n != len(numbers) {
			t.Errorf("%d numbers of shape %v", len(numbers), shape)
		}
	})
}
