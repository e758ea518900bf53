package tables_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
)

func TestLaTeX(t *testing.T) {
	table := retrieval()
	table.Title, table.Label, table.Columns = "50 % of A_B", "falcon/table1", table.Columns[:2]
	for r := range table.Rows {
		table.Rows[r].Cells = table.Rows[r].Cells[:min(2, len(table.Rows[r].Cells))]
	}
	const want = `% Needs in the preamble: \usepackage{booktabs,siunitx}
\begin{table}
  \centering\small
  \caption{50 \% of A\_B}
  \label{tab:falcon-table1}
  \sisetup{detect-weight=true, retain-explicit-plus=true}
  \begin{tabular}{ll S[table-format=2.1]@{\,}l S[table-format=2.1]@{\,}l}
    \toprule
    & & \multicolumn{4}{c}{Text Retrieval (\%)} \\
    \cmidrule(lr){3-6}
    method & & \multicolumn{2}{c}{R@1} & \multicolumn{2}{c}{R@5} \\
    \midrule
    ALBEF & paper & 55.6 &  & 81.8 &  \\
    & here (n=3) & 7.7 & {\scriptsize $\pm$0.6} & 20.1 & {\scriptsize $\pm$0.9} \\
    \addlinespace
    GRIT-VLP & paper & 60.9 &  & \bfseries 83.8 &  \\
    \quad\emph{2 of 3 seeds} & here (n=2) & \bfseries 9.2 & {\scriptsize $\pm$0.5} & \bfseries 23.2 & {\scriptsize $\pm$0.7} \\
    \addlinespace
    FALCON \emph{(not yet)} & paper & \bfseries 62.6 &  & {--} &  \\
    \bottomrule
  \end{tabular}

  \smallskip
  \parbox{\linewidth}{\footnotesize scale mini, scenes, go:ops\_sequential}
\end{table}
`
	if got := latexOf(t, table); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Numbers that differ in sign and size are aligned by siunitx, a column that has anything else is not: there signs are in formulas.
func TestLaTeXColumns(t *testing.T) {
	table := tables.Table{
		Heading: "claim",
		Columns: []tables.Column{{Name: "difference", Format: "%+.2f"}, {Name: "p"}, {Name: "over images"}, {Name: "verdict"},
			{Name: "sentence"}},
		Rows: []tables.Row{
			{Name: "[A] *", Cells: []tables.Cell{{tables.Number(-12.5)}, {{Text: "< 0.001"}}, {{Text: "-1.5 to +2"}}, {{Text: "no effect"}},
				{tables.Words(tables.Word{Text: "a"}, tables.Word{Text: "dog", Changed: true})}}},
			{Name: "B", Cells: []tables.Cell{{tables.Number(3)}, {{Mean: math.NaN(), N: 1}}, {}, {{Text: "x"}},
				{{Text: strings.Repeat("long ", 7)}}}},
		},
	}
	got := latexOf(t, table)
	for _, want := range []string{
		`\begin{tabular}{l S[table-format=-2.2] r r l >{\raggedright\arraybackslash}p{0.14\linewidth}}`,
		`{[}A{]} {*} & -12.50 & \textless{} 0.001 & $-1.5$ to $+2$ & no effect & a \underline{dog} \\`,
		`B & +3.00 & {--} & {--} & x & long long`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// A table that is too wide for a page is several, under one caption and over one note.
func TestWideTableFoldsInLaTeX(t *testing.T) {
	table := tables.Table{Title: "Wide", Note: "the note", Rows: []tables.Row{{Name: "first row"}, {Name: "second row"}}}
	for c := range 24 {
		table.Columns = append(table.Columns, tables.Column{Group: fmt.Sprint("group ", c/6), Name: "column"})
		for r := range table.Rows {
			table.Rows[r].Cells = append(table.Rows[r].Cells, tables.Cell{{Mean: float64(100*r + c), Std: 1, N: 3}})
		}
	}
	got := latexOf(t, table)
	parts := strings.Count(got, `\begin{tabular}`)
	if parts < 2 || strings.Count(got, "first row") != parts || strings.Count(got, `\caption`) != 1 || strings.Count(got, "the note") != 1 {
		t.Errorf("%d tables in\n%s", parts, got)
	}
	for c := range 24 {
		if want := fmt.Sprintf("%.1f &", 100+float64(c)); strings.Count(got, want) != 1 {
			t.Errorf("%s stands %d times, want once", want, strings.Count(got, want))
		}
	}
}

// A table that is too long for a page beside its other parts goes on in a float of its own, under the same caption and without a label.
func TestLongTableContinuesInLaTeX(t *testing.T) {
	table := tables.Table{Title: "Long", Label: "long", Note: "the note"}
	for c := range 24 {
		table.Columns = append(table.Columns, tables.Column{Group: fmt.Sprint("group ", c/6), Name: "column"})
	}
	for range 30 {
		row := tables.Row{Name: "row"}
		for range table.Columns {
			row.Cells = append(row.Cells, tables.Cell{tables.Number(100)})
		}
		table.Rows = append(table.Rows, row)
	}
	got := latexOf(t, table)
	parts := strings.Count(got, `\begin{tabular}`)
	if parts < 2 || strings.Count(got, `\begin{table}`) != parts || strings.Count(got, `\caption{Long (continued)}`) != parts-1 ||
		strings.Count(got, `\label`) != 1 || strings.LastIndex(got, `\begin{table}`) > strings.Index(got, "the note") {
		t.Errorf("%d parts in %d floats, want one each, and the note in the last", parts, strings.Count(got, `\begin{table}`))
	}
}

// FuzzLaTeX: no text is read as markup, or adds a cell or a line.
func FuzzLaTeX(f *testing.F) {
	for _, seed := range []string{`a & b \\ c`, "50% {of} $x_1^2$ ~#", "a\n\n%b", `\end{tabular}`, "[x]", "*", "é ∅ ± τ", "-5 to +7",
		"\x00\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		table := tables.Table{
			Title: text, Note: text, Label: text, Heading: text, Sources: []string{text, "b"},
			Columns: []tables.Column{{Group: text, Name: text, Unit: text}, {Group: "g", Name: "c", Best: tables.Highest}, {Name: "d"}},
			Rows: []tables.Row{
				{Name: text, Status: text, Cells: []tables.Cell{{{Text: text}}, {tables.Number(1), {Mean: 2, Std: .5, N: 3}}}},
				{Name: "b", Cells: []tables.Cell{{tables.Number(2)}, {tables.Number(2)},
					{tables.Words(tables.Word{Text: text, Changed: true})}}},
			},
		}
		latexOf(t, table)
	})
}

// latexOf is a table in LaTeX, whose braces and formulas close, which uses nothing but what this package means to, and whose lines have as
// many cells as their table has columns.
func latexOf(t *testing.T, table tables.Table) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, table.LaTeX(&b))
	columns, formula, depth := 0, false, 0
	for k, line := range strings.Split(b.String(), "\n") {
		if k == 0 && strings.HasPrefix(line, "%") {
			continue
		}
		if at := strings.Index(line, `\begin{tabular}{`); at >= 0 {
			columns = len(regexp.MustCompile(`[lrS]|p\{`).FindAllString(
				regexp.MustCompile(`\[[^]]*]|@\{\\,}|\\linewidth|>\{\\raggedright\\arraybackslash}`).ReplaceAllString(
					line[at+len(`\begin{tabular}{`):], ""), -1))
		}
		cells := 1
		for _, token := range regexp.MustCompile(`\\multicolumn\{\d+}|\\[a-zA-Z]+|\\.|[{}$&%#_^~]`).FindAllString(line, -1) {
			switch token {
			case "{":
				depth++
			case "}":
				if depth--; depth < 0 {
					t.Fatalf("line %d closes more braces than there are: %s", k+1, line)
				}
			case "$":
				formula = !formula
			case "&":
				cells++
			case "%", "#", "_", "~":
				t.Fatalf("line %d has a bare %s: %s", k+1, token, line)
			case "^":
				if !formula {
					t.Fatalf("line %d has a power outside of a formula: %s", k+1, line)
				}
			default:
				if width, ok := strings.CutPrefix(token, `\multicolumn{`); ok {
					n := must.Get(strconv.Atoi(strings.TrimSuffix(width, "}")))(t)
					cells += n - 1
				}
			}
		}
		if depth != 0 || formula {
			t.Fatalf("line %d leaves %d braces open, or a formula: %s", k+1, depth, line)
		}
		if strings.HasSuffix(line, `\\`) && cells != columns {
			t.Fatalf("line %d has %d cells for %d columns: %s", k+1, cells, columns, line)
		}
	}
	if got, want := strings.Count(b.String(), `\begin{`), strings.Count(b.String(), `\end{`); got != want {
		t.Fatalf("%d environments begin and %d end", got, want)
	}
	return b.String()
}
