package content

import (
	"io"
	"strings"
	"testing"
)

// endless is a file of one letter without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// A record without end, in quotes or not, is an error soon. Many long ones are not.
func TestRecords(t *testing.T) {
	for _, begins := range []string{"", `b,"`, "\"\n"} {
		r := NewRecords(io.MultiReader(strings.NewReader("caption,graph\n"+begins), endless{}))
		if header, err := r.Read(); err != nil || len(header) != 2 {
			t.Fatalf("%q: got %q (%v)", begins, header, err)
		}
		if record, err := r.Read(); err == nil || !strings.Contains(err.Error(), "longer than 4194304 bytes") {
			t.Errorf("%q: got %.20q (%v)", begins, record, err)
		}
	}
	r, long := NewRecords(strings.NewReader(strings.Repeat("\""+strings.Repeat("a\n", mostOfEntry/4)+"\",b\n", 10))), 0
	for {
		if _, err := r.Read(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		long++
	}
	if long != 10 {
		t.Errorf("read %d records, want 10", long)
	}
}
