package content

import (
	"encoding/csv"
	"io"
)

// Records reads CSV, of which a record has 4 MiB at most.
type Records struct {
	*csv.Reader
	entry *entry
}

// NewRecords reads records from a file.
func NewRecords(r io.Reader) *Records {
	e := &entry{r: r, most: mostOfEntry}
	return &Records{csv.NewReader(e), e}
}

// Read is csv.Reader's.
func (r *Records) Read() ([]string, error) {
	r.entry.read = 0
	return r.Reader.Read()
}
