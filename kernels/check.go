package kernels

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/plainjson"
)

// Check returns an error unless the file is a regular one of 64 MiB at most and a notebook as nbconvert reads it, which tells what is wrong
// late and by stacks of Python.
func Check(notebook string) error {
	text, err := content.ReadFile(notebook)
	if err != nil {
		return err
	}
	if !isNotebook(text) || filepath.Ext(notebook) != ".ipynb" {
		return errors.New("it is no notebook; give a .ipynb file that Jupyter or kernels.Notebook wrote")
	}
	if err := readable(text); err != nil {
		return fmt.Errorf("%w; open it in Jupyter and save it again, or mend the file", err)
	}
	return nil
}

// isNotebook tells whether a text is JSON of a notebook of some format.
func isNotebook(text []byte) bool {
	var file struct {
		Format int `json:"nbformat"`
	}
	return json.Unmarshal(text, &file) == nil && file.Format > 0
}

// deepest bounds how deep lists and objects lie in each other: Python takes some hundreds, and outputs of plots have a few dozen.
const deepest = 100

// latest is the notebook format that nbconvert reads and writes. Those before it it reads by rules of their own.
const latest = 4

// readable tells why nbconvert would not read a notebook.
func readable(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("the notebook has bytes that are no UTF-8")
	}
	if deep := depth(text); deep > deepest {
		return fmt.Errorf("the notebook has lists and objects that lie in each other %d deep; at most they do so %d deep", deep, deepest)
	}
	if at := halfCharacter(text); at >= 0 {
		return fmt.Errorf("line %d of the notebook has %s, half of a character, which no file can have in UTF-8",
			1+bytes.Count(text[:at], []byte("\n")), text[at:at+escapeLen])
	}
	var format struct {
		Format int `json:"nbformat"`
	}
	if err := plainjson.Unmarshal(text, &format); err != nil || format.Format < latest {
		return err
	}
	var file struct {
		Format   int  `json:"nbformat"`
		Minor    *int `json:"nbformat_minor"`
		Metadata *struct {
			Kernelspec map[string]any `json:"kernelspec"`
		} `json:"metadata"`
		Cells *[]checkedCell `json:"cells"`
	}
	if err := plainjson.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("the notebook: %w", err)
	}
	switch {
	case file.Format > latest:
		return fmt.Errorf("the notebook is of format %d, and %d is the latest that nbconvert reads", file.Format, latest)
	case file.Minor == nil || file.Metadata == nil || file.Cells == nil:
		return errors.New("the notebook lacks nbformat_minor, metadata or cells")
	}
	for i, c := range *file.Cells {
		if err := c.check(); err != nil {
			return fmt.Errorf("cell %d of the notebook: %w", i+1, err)
		}
	}
	return nil
}

// checkedCell is what every cell has.
type checkedCell struct {
	Kind     string            `json:"cell_type"`
	Metadata *struct{}         `json:"metadata"`
	Source   json.RawMessage   `json:"source"`
	Outputs  *[]map[string]any `json:"outputs"`         // of code
	Count    json.RawMessage   `json:"execution_count"` // of code
}

// check tells what is wrong with a cell.
func (c checkedCell) check() error {
	var source lines
	switch {
	case c.Kind != "code" && c.Kind != "markdown" && c.Kind != "raw":
		return fmt.Errorf("its cell_type is %q; code, markdown and raw are those there are", c.Kind)
	case c.Metadata == nil:
		return errors.New("it lacks metadata")
	case len(c.Source) == 0 || string(c.Source) == "null" || json.Unmarshal(c.Source, &source) != nil:
		return errors.New("its source is no text, nor a list of lines")
	case c.Kind == "code" && (c.Outputs == nil || len(c.Count) == 0):
		return errors.New("it lacks outputs or execution_count")
	}
	return nil
}

// escapeLen is the length of the escape of a unit of UTF-16 in JSON, such as \u00e9.
const escapeLen = 6

// halfCharacter is where some JSON has the escape of half a surrogate pair without the other half; -1 for nowhere.
func halfCharacter(text []byte) int {
	unit := func(at int) rune {
		if at+escapeLen > len(text) || text[at] != '\\' || text[at+1] != 'u' {
			return -1
		}
		v, err := strconv.ParseUint(string(text[at+2:at+escapeLen]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(v)
	}
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		first := unit(at)
		switch {
		case !utf16.IsSurrogate(first):
			at++ // what is escaped may be a backslash
		case utf16.DecodeRune(first, unit(at+escapeLen)) == utf8.RuneError:
			return at
		default:
			at += 2*escapeLen - 1
		}
	}
	return -1
}

// depth is how deep lists and objects lie in each other in some JSON.
func depth(text []byte) (deepest int) {
	deep, tokens := 0, json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := tokens.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			deep++
		case json.Delim(']'), json.Delim('}'):
			deep--
		}
		deepest = max(deepest, deep)
	}
}
