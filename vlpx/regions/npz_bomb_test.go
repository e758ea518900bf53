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
