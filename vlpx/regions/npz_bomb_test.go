package regions

import (
	"encoding/binary"
	"strings"
	"testing"
)

// npy is an array of the npy format with a header and data.
func npy(header, data string) []byte {
	long := binary.LittleEndian.AppendUint32([]byte("\x93NUMPY\x02\x00"), uint32(len(header)))
	return append(append(long, header...), data...)
}

// An array whose header claims more numbers than it has bytes is refused before they are made room for, however the header is laid out.
func TestHeaderOfAbsurdShape(t *testing.T) {
	const want = "its header tells of"
	for header, want := range map[string]string{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (10000000, 10000000), }":    want,
		"{'descr': '<f4', 'fortran_order': False, 'shape' : (10000000, 10000000), }":   want,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (\t10000000,\n10000000), }": want,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (+10000000, +10000000), }":  want,
		"{'descr': '<f8', 'fortran_order': False, 'shape': (80,), }":                   want,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-10000000, -10000000), }":  "-10000000",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1e7, 1e7), }":              "1e7",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }":                    "",
	} {
		switch _, shape, err := read(npy(header, "12345678")); {
		case want == "" && err != nil:
			t.Errorf("%s: %v", header, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v (%v), want %q", header, shape, err, want)
		}
	}
}

// FuzzParse reads what is no array, or a strange one: an error, or as many numbers as its shape says.
func FuzzParse(f *testing.F) {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }"
	whole := "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + "1234"
	for _, text := range []string{whole, strings.Replace(whole, "(1, 1)", "(-1,)", 1), strings.Replace(whole, "<f4", "|O8", 1), whole[:20],
		strings.Replace(whole, "': (1, 1)", "' :(99999999,)", 1), ""} {
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
