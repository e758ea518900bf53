package judgements

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vlpx.internal/datasets/content"
)

// Columns that Parse needs; a table may have others, in any order.
const (
	Split   = "split"
	Image   = "image"
	Caption = "caption"
	// Of is the image that the caption was written for.
	Of = "caption of"
	// True is what a person says: yes, no, or nothing yet.
	True = "true"
)

// Columns are those that Parse needs.
func Columns() []string { return []string{Split, Image, Caption, Of, True} }

// Row is what was said of a pair.
type Row struct {
	Line                      int // in the file, from 1
	Split, Image, Caption, Of string
	True                      bool
}

// longest bounds the rows of a table: far more than people judge.
const longest = 10_000_000

// Parse reads a table, whose texts are as [Cell] has them. Rows in which nobody has said anything yet are left out. Beside yes and no it
// takes y, n, true, false, 1 and 0, in any case, as spreadsheets write them.
func Parse(r io.Reader) (rows []Row, err error) {
	reader := content.NewRecords(r)
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("no header; its first line names the columns " + strings.Join(Columns(), ", "))
	}
	if err != nil {
		return nil, inWords(err)
	}
	header = slices.Clone(header)
	header[0] = strings.TrimPrefix(header[0], "\uFEFF") // spreadsheets begin a file so
	at := map[string]int{}
	for _, name := range Columns() {
		i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
		if i < 0 {
			return nil, fmt.Errorf("line 1: no column %q among %q; it needs %s", name, header, strings.Join(Columns(), ", "))
		}
		at[name] = i
	}
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, inWords(err)
		}
		line, _ := reader.FieldPos(0)
		row := Row{line, uncell(record[at[Split]]), uncell(record[at[Image]]), uncell(record[at[Caption]]), uncell(record[at[Of]]), false}
		var said bool
		if row.True, said, err = answer(record[at[True]]); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if !said {
			continue
		}
		if len(rows) == longest {
			return nil, fmt.Errorf("line %d: more than %d judgements; split the data", line, longest)
		}
		rows = append(rows, row)
	}
}

// answer reads what a person says; said is false where that is nothing.
func answer(text string) (yes, said bool, err error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "":
		return false, false, nil
	case "yes", "y", "true", "1":
		return true, true, nil
	case "no", "n", "false", "0":
		return false, true, nil
	}
	return false, false, fmt.Errorf("the column %q says %q; write yes or no, or leave it empty", True, text)
}

// inWords is an error of package csv with what to do.
func inWords(err error) error {
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return fmt.Errorf("line %d: %w; write it as comma-separated values in UTF-8", wrong.Line, wrong.Err)
	}
	return err
}
