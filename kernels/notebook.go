package kernels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Notebook is a Jupyter notebook for this kernel, without outputs.
type Notebook struct{ Cells []Cell }

// Cell is one cell of a notebook. Markdown and Go make one.
type Cell struct {
	kind   string
	source string
}

// Markdown returns a cell of text. White space around it is dropped.
func Markdown(text string) Cell { return Cell{kind: "markdown", source: strings.TrimSpace(text)} }

// Go returns a cell of code: declarations, which later cells see, and after a line "%%" the statements to run. White
// space around it is dropped.
func Go(code string) Cell { return Cell{kind: "code", source: strings.TrimSpace(code)} }

// Encode returns the notebook's file, format 4.5: the very bytes that jupyter nbconvert --clear-output writes, so a
// notebook that was run and cleared shows no difference. Cells are numbered in their ids. A cell with a control character
// or a line separator other than "\n" is an error, and so is invalid UTF-8.
func (n Notebook) Encode() ([]byte, error) {
	file := notebookFile{Cells: make([]any, len(n.Cells)), Format: 4, FormatMinor: 5}
	file.Metadata.Kernelspec = kernelspec{DisplayName: DisplayName, Language: "go", Name: Name}
	for k, cell := range n.Cells {
		if err := cell.check(); err != nil {
			return nil, fmt.Errorf("kernels: cell %d: %w", k+1, err)
		}
		id := fmt.Sprintf("cell-%02d", k+1)
		source := []string{}
		if cell.source != "" {
			source = strings.SplitAfter(cell.source, "\n")
		}
		switch cell.kind {
		case "markdown":
			file.Cells[k] = markdownCell{Kind: cell.kind, ID: id, Source: source}
		case "code":
			file.Cells[k] = codeCell{Kind: cell.kind, ID: id, Outputs: []struct{}{}, Source: source}
		default:
			return nil, fmt.Errorf("kernels: cell %d: no kind; make it with Markdown or Go", k+1)
		}
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(file); err != nil {
		return nil, fmt.Errorf("kernels: %w", err)
	}
	return encoded.Bytes(), nil
}

// check finds the characters that Python and Go treat differently: Python breaks lines at U+2028 and others, too.
func (c Cell) check() error {
	if !utf8.ValidString(c.source) {
		return fmt.Errorf("invalid UTF-8")
	}
	for _, r := range c.source {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("character %U: only newline and tab may be used to lay out text", r)
		}
	}
	return nil
}

// notebookFile is the notebook format 4.5. Fields stand in alphabetical order of their keys, as Jupyter sorts them.
type notebookFile struct {
	Cells       []any    `json:"cells"`
	Metadata    metadata `json:"metadata"`
	Format      int      `json:"nbformat"`
	FormatMinor int      `json:"nbformat_minor"`
}

type metadata struct {
	Kernelspec kernelspec `json:"kernelspec"`
}

type kernelspec struct {
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
	Name        string `json:"name"`
}

type markdownCell struct {
	Kind     string   `json:"cell_type"`
	ID       string   `json:"id"`
	Metadata struct{} `json:"metadata"`
	Source   []string `json:"source"`
}

type codeCell struct {
	Kind           string     `json:"cell_type"`
	ExecutionCount *int       `json:"execution_count"`
	ID             string     `json:"id"`
	Metadata       struct{}   `json:"metadata"`
	Outputs        []struct{} `json:"outputs"`
	Source         []string   `json:"source"`
}
