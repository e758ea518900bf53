package machine

import "testing"

func TestFieldAndKilobytes(t *testing.T) {
	const text = "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz: fast\nMemTotal:       16 kB\nmodel name\t: other\n"
	if got, want := Field(text, "model name"), "Some CPU @ 2.00GHz: fast"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := kilobytes(Field(text, "MemTotal")); got != 16384 {
		t.Errorf("got %d bytes, want 16384", got)
	}
	if got := kilobytes(Field(text, "SwapTotal")); got != 0 {
		t.Errorf("got %d bytes for a line that is not there, want 0", got)
	}
}
