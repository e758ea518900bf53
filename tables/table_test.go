package tables_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
)

// retrieval is a table of three methods, as the command shows a paper's table.
func retrieval() tables.Table {
	over3 := func(mean, std float64) tables.Value { return tables.Value{Mean: mean, Std: std, N: 3} }
	t := tables.Table{
		Title:   "Table 1: heuristic negative mining",
		Note:    "scale mini, scenes, go:ops_sequential",
		Sources: []string{"paper", "here"},
	}
	for _, group := range []string{"Text Retrieval", "Image Retrieval"} {
		for _, name := range []string{"R@1", "R@5", "R@10"} {
			t.Columns = append(t.Columns, tables.Column{Group: group, Name: name, Unit: "%", Best: tables.Highest})
		}
	}
	t.Rows = []tables.Row{
		{Name: "ALBEF", Cells: []tables.Cell{
			{tables.Number(55.6), over3(7.7, .6)}, {tables.Number(81.8), over3(20.1, .9)}, {tables.Number(89.6), over3(36.4, .44)},
			{tables.Number(41.2), over3(5.1, .2)}, {tables.Number(69.9), over3(18.7, 1.25)}, {tables.Number(80.3), over3(30.9, .7)},
		}},
		{Name: "GRIT-VLP", Status: "2 of 3 seeds", Cells: []tables.Cell{
			{tables.Number(60.9), {Mean: 9.2, Std: .5, N: 2}}, {tables.Number(83.8), {Mean: 23.2, Std: .7, N: 2}}, {tables.Number(90.9)},
			{tables.Number(44.6)}, {tables.Number(72.0)}, {tables.Number(81.9)},
		}},
		{Name: "FALCON", Status: "not yet", Cells: []tables.Cell{{tables.Number(62.6)}}},
	}
	return t
}

func TestTextFoldsBetweenGroups(t *testing.T) {
	var wide, narrow strings.Builder
	must.Do(t, retrieval().Text(&wide, tables.Terminal{}))
	must.Do(t, retrieval().Text(&narrow, tables.Terminal{Width: 60}))
	for _, v := range []struct {
		name   string
		text   string
		blocks int
	}{{"wide", wide.String(), 1}, {"narrow", narrow.String(), 2}} {
		if got := strings.Count(v.text, "GRIT-VLP"); got != v.blocks {
			t.Errorf("%s: GRIT-VLP stands in %d blocks, want %d", v.name, got, v.blocks)
		}
		if got := strings.Count(v.text, "Image Retrieval"); got != 1 {
			t.Errorf("%s: Image Retrieval stands %d times, want once", v.name, got)
		}
	}
	for l := range strings.Lines(narrow.String()) {
		if got := utf8.RuneCountInString(strings.TrimRight(l, "\n")); got > 60 {
			t.Errorf("line of %d characters, want at most 60: %s", got, l)
		}
	}
}

// TestTextFits: whatever the table, no line is wider than asked unless a single column is.
func TestTextFits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table := tables.Table{Sources: []string{"a", "b"}[:rapid.IntRange(0, 2).Draw(rt, "sources")]}
		for range rapid.IntRange(1, 12).Draw(rt, "columns") {
			table.Columns = append(table.Columns, tables.Column{
				Group: rapid.SampledFrom([]string{"", "Text Retrieval", "NLVR2"}).Draw(rt, "group"),
				Name:  rapid.SampledFrom([]string{"R@1", "test-P", "VQA"}).Draw(rt, "name"),
			})
		}
		for range rapid.IntRange(0, 3).Draw(rt, "rows") {
			row := tables.Row{Name: "GRIT-VLP", Status: rapid.SampledFrom([]string{"", "not yet"}).Draw(rt, "status")}
			for range table.Columns {
				row.Cells = append(row.Cells, tables.Cell{{Mean: rapid.Float64Range(0, 100).Draw(rt, "mean"), Std: 1, N: 3}})
			}
			table.Rows = append(table.Rows, row)
		}
		width := rapid.IntRange(60, 140).Draw(rt, "width")
		var b strings.Builder
		if err := table.Text(&b, tables.Terminal{Width: width}); err != nil {
			rt.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			if got := utf8.RuneCountInString(strings.TrimRight(l, "\n")); got > width {
				rt.Errorf("line of %d characters, want at most %d: %s", got, width, l)
			}
		}
	})
}

func TestTextStyle(t *testing.T) {
	var b strings.Builder
	must.Do(t, retrieval().Text(&b, tables.Terminal{Style: true}))
	for _, want := range []string{"\x1b[1m62.6", "\x1b[1m 9.2±0.5\x1b[0m"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in %q", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b[1m55.6") {
		t.Error("55.6 is bold, want only the best of the column")
	}
}

func TestCSVIsTidy(t *testing.T) {
	var b strings.Builder
	table := retrieval()
	table.Rows[0].Cells[5][1].Interval = &[2]float64{29.5, 43.25}
	table.Facts = []string{"set", "commit"}
	table.Rows[0].Facts = [][]string{nil, {"epochs=3", "c0ffee"}}
	must.Do(t, table.CSV(&b))
	records := must.Get(csv.NewReader(strings.NewReader(b.String())).ReadAll())(t)
	if got, want := len(records), 1+3*6*2; got != want {
		t.Errorf("got %d lines, want %d", got, want)
	}
	for at, want := range map[int]string{
		0:  "method,status,group,column,unit,source,mean,std,n,low,high,text,set,commit",
		1:  "ALBEF,,Text Retrieval,R@1,%,paper,55.6,,1,,,,,",
		6:  "ALBEF,,Text Retrieval,R@10,%,here,36.4,0.44,3,,,,epochs=3,c0ffee",
		12: "ALBEF,,Image Retrieval,R@10,%,here,30.9,0.7,3,29.5,43.25,,epochs=3,c0ffee",
		26: "FALCON,not yet,Text Retrieval,R@1,%,here,,,,,,,,",
	} {
		if got := strings.Join(records[at], ","); got != want {
			t.Errorf("line %d: got %s, want %s", at, got, want)
		}
	}
}

// TestHTMLEscapes: hostile names stay text, and the element is well formed.
func TestHTMLEscapes(t *testing.T) {
	table := retrieval()
	table.Title = `<script>alert("a & b")</script>`
	table.Rows[0].Name = "A<B>"
	var b strings.Builder
	must.Do(t, table.HTML(&b))
	if strings.Contains(b.String(), "<script>") || !strings.Contains(b.String(), "A&lt;B&gt;") {
		t.Errorf("names are not escaped: %s", b.String())
	}
	d := xml.NewDecoder(strings.NewReader(b.String()))
	d.Strict = false
	d.AutoClose = []string{"br"}
	cells := 0
	for {
		token, err := d.Token()
		if token == nil {
			if err.Error() != "EOF" {
				t.Error(err)
			}
			break
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "td" {
			cells++
		}
	}
	if want := 1 + 5*(1+6); cells != want { // above the names, and five lines of a source and six values
		t.Errorf("got %d cells, want %d", cells, want)
	}
}

// TestOnlySourcesThatSpeakHaveALine: a source without a value in a row has no line there, nor in a block of columns where it has none.
func TestOnlySourcesThatSpeakHaveALine(t *testing.T) {
	table := tables.Table{
		Sources: []string{"paper", "here"},
		Columns: []tables.Column{{Group: "one", Name: "a"}, {Group: "two", Name: "b"}},
		Rows: []tables.Row{
			{Name: "ALBEF", Cells: []tables.Cell{{tables.Number(1), tables.Number(2)}, {{}, tables.Number(3)}}},
			{Name: "InfoNCE", Status: "1 of 2 seeds", Cells: []tables.Cell{{{}, tables.Number(4)}}},
		},
	}
	var b strings.Builder
	must.Do(t, table.Text(&b, tables.Terminal{Width: 26}))
	want := `
                       one
                       ───
method                  a
──────────────────────────
ALBEF           paper  1.0
                here   2.0
InfoNCE         here   4.0
  1 of 2 seeds
──────────────────────────

                       two
                       ───
method                  b
──────────────────────────
ALBEF           here   3.0
InfoNCE         here     –
  1 of 2 seeds
──────────────────────────
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got%swant%s", got, want)
	}
}

// TestWordsBeginAtTheLeft of their column, numbers end at the right of theirs.
func TestWordsBeginAtTheLeft(t *testing.T) {
	table := tables.Table{Columns: []tables.Column{{Name: "verdict"}, {Name: "epochs"}}, Rows: []tables.Row{
		{Name: "first", Cells: []tables.Cell{{{Text: "supported"}}, {{Text: "5"}}}},
		{Name: "second", Cells: []tables.Cell{{{Text: "open"}}, {{Text: "12"}}}},
	}}
	var b strings.Builder
	must.Do(t, table.Text(&b, tables.Terminal{}))
	for _, want := range []string{"method  verdict    epochs\n", "second  open           12\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestMissingAndText(t *testing.T) {
	table := tables.Table{
		Heading: "parameter",
		Columns: []tables.Column{{Name: "value"}},
		Rows: []tables.Row{
			{Name: "learning rate", Cells: []tables.Cell{{{Text: "1e-4"}}}},
			{Name: "queue", Status: "unused", Cells: []tables.Cell{{{Mean: math.NaN(), N: 3}}}},
		},
	}
	var b strings.Builder
	must.Do(t, table.Markdown(&b))
	want := "| parameter | value |\n| --- | ---: |\n| learning rate | 1e-4 |\n| queue *(unused)* | – |\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTableRejects(t *testing.T) {
	for _, v := range []struct {
		table tables.Table
		want  string
	}{
		{tables.Table{Title: "x"}, `table "x" has no columns`},
		{tables.Table{Columns: make([]tables.Column, 1), Rows: []tables.Row{{Name: "r", Cells: make([]tables.Cell, 2)}}},
			`row "r" has 2 cells for 1 columns`},
		{tables.Table{Columns: []tables.Column{{Name: "c"}}, Rows: []tables.Row{{Name: "r", Cells: []tables.Cell{make(tables.Cell, 2)}}}},
			`row "r", column "c": 2 values for 1 sources`},
		{tables.Table{Columns: []tables.Column{{Name: "c"}}, Rows: []tables.Row{{Name: "r", Facts: [][]string{{"fact"}}}}},
			`row "r": 1 facts of 1 sources for 0 of 1`},
	} {
		var b strings.Builder
		for name, err := range map[string]error{
			"Text": v.table.Text(&b, tables.Terminal{}), "Markdown": v.table.Markdown(&b), "HTML": v.table.HTML(&b), "CSV": v.table.CSV(&b),
			"LaTeX": v.table.LaTeX(&b),
		} {
			if err == nil || !strings.Contains(err.Error(), v.want) {
				t.Errorf("%s: got %v, want %q", name, err, v.want)
			}
		}
		if b.Len() > 0 {
			t.Errorf("%d characters written before the error", b.Len())
		}
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestTablePassesWriteErrorsOn(t *testing.T) {
	table := retrieval()
	for name, err := range map[string]error{
		"Text": table.Text(full{}, tables.Terminal{}), "Markdown": table.Markdown(full{}), "HTML": table.HTML(full{}),
		"CSV": table.CSV(full{}), "LaTeX": table.LaTeX(full{}),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: got %v, want %v", name, err, errFull)
		}
	}
}

// FuzzMarkdown: no text in a cell adds a cell or a line.
func FuzzMarkdown(f *testing.F) {
	f.Add("a|b")
	f.Add("a\n|\\|")
	f.Fuzz(func(t *testing.T, name string) {
		table := tables.Table{Columns: []tables.Column{{Name: "c"}},
			Rows: []tables.Row{{Name: name, Cells: []tables.Cell{{tables.Number(1)}}}}}
		var b strings.Builder
		must.Do(t, table.Markdown(&b))
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != 3 {
			t.Fatalf("got %d lines, want 3: %q", len(lines), b.String())
		}
		bare := strings.NewReplacer(`\\`, "", `\|`, "").Replace(lines[2])
		if got := strings.Count(bare, "|"); got != 3 {
			t.Errorf("got %s bars, want 3: %s", strconv.Itoa(got), lines[2])
		}
	})
}

// A table too wide for a notebook's output is several in HTML, each with the rows' names: the title above, the note below all of them,
// every value once.
func TestWideTableFoldsInHTML(t *testing.T) {
	table := tables.Table{Title: "Wide", Note: "the note", Rows: []tables.Row{{Name: "first row"}, {Name: "second row"}}}
	for c := range 30 {
		table.Columns = append(table.Columns, tables.Column{Group: fmt.Sprint("group ", c/6), Name: "a column"})
		for r := range table.Rows {
			table.Rows[r].Cells = append(table.Rows[r].Cells, tables.Cell{tables.Number(float64(100*r + c))})
		}
	}
	var b bytes.Buffer
	must.Do(t, table.HTML(&b))
	text := b.String()
	parts := strings.Count(text, "<table")
	if parts < 3 || strings.Count(text, "first row") != parts || strings.Count(text, "Wide") != 1 || strings.Count(text, "the note") != 1 {
		t.Errorf("%d tables, %d with the first row's name, %d titles, %d notes", parts, strings.Count(text, "first row"),
			strings.Count(text, "Wide"), strings.Count(text, "the note"))
	}
	if strings.Index(text, "Wide") > strings.Index(text, "first row") ||
		strings.LastIndex(text, "second row") > strings.Index(text, "the note") {
		t.Error("the title is not above, or the note not below all of it")
	}
	for c := range 30 {
		if want := fmt.Sprintf("%.1f", 100+float64(c)); strings.Count(text, want) != 1 {
			t.Errorf("%s stands %d times in the tables, want once", want, strings.Count(text, want))
		}
	}
}

// What More names is closed behind it: all parts but the first, and nothing where there is one part.
func TestMoreColumnsInHTML(t *testing.T) {
	for columns, want := range map[int]int{2: 0, 30: 1} {
		table := tables.Table{More: "the other columns", Rows: []tables.Row{{Name: "row"}}}
		for range columns {
			table.Columns = append(table.Columns, tables.Column{Name: "a column"})
		}
		var b bytes.Buffer
		must.Do(t, table.HTML(&b))
		first, rest, _ := strings.Cut(b.String(), "<details>")
		if strings.Count(first, "<table") != 1 || strings.Count(rest, "the other columns</summary>") != want ||
			strings.Count(rest, "</details>") != want {
			t.Errorf("%d columns: got %s", columns, b.String())
		}
	}
}
