package tables

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// LaTeXLetters are as many as a line of a table has in \small on a page of one column, latexLines as many lines as the page has.
	LaTeXLetters = 88
	latexLines   = 46
	// longCell and longName are the numbers of letters above which a column of words, and that of the rows' names, is set in lines.
	longCell = 30
	longName = 40
)

// LaTeX writes the table as a float for a paper: the rules of booktabs, means aligned at their points by siunitx, the best ones bold, each
// with its standard deviation behind it. A comment names the packages, and the note stands below the table. A table of more letters a line
// than LaTeXLetters is several below each other, each with the rows' names, as in HTML; what does not fit a page is continued in floats of
// its own.
func (t Table) LaTeX(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("% Needs in the preamble: \\usepackage{booktabs,siunitx}\n")
	t.latexFloat(&b, "")
	used := 0
	for i, part := range t.folded(LaTeXLetters + max(0, t.longestName()-longName)) {
		lines := part.latexHeight()
		switch {
		case i > 0 && used+lines > latexLines:
			b.WriteString("\\end{table}\n\n")
			t.latexFloat(&b, " (continued)")
			used = 0
		case i > 0:
			b.WriteString("\n  \\medskip\n")
		}
		used += lines
		part.tabular(&b)
	}
	if t.Note != "" {
		fmt.Fprintf(&b, "\n  \\smallskip\n  \\parbox{\\linewidth}{\\footnotesize %s}\n", latexText(t.Note))
	}
	b.WriteString("\\end{table}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// latexFloat begins a float of the table, or one that continues it, which has no label.
func (t Table) latexFloat(b *bytes.Buffer, continued string) {
	b.WriteString("\\begin{table}\n  \\centering\\small\n")
	if t.Title != "" {
		fmt.Fprintf(b, "  \\caption{%s%s}\n", latexText(t.Title), continued)
	}
	if t.Label != "" && continued == "" {
		fmt.Fprintf(b, "  \\label{tab:%s}\n", latexLabel(t.Label))
	}
	b.WriteString("  \\sisetup{detect-weight=true, retain-explicit-plus=true}\n")
}

// latexHeight is how many lines a tabular of the table takes, about.
func (t Table) latexHeight() int {
	lines := 4
	for _, r := range t.Rows {
		lines += len(t.lines(r))
	}
	return lines
}

// latexColumn is how a column is set.
type latexColumn struct {
	numbers bool // all that it holds, so that siunitx aligns them
	spread  bool // a second column has the standard deviations
	format  string
}

// width is the number of columns that the column takes.
func (c latexColumn) width() int {
	if c.spread {
		return 2
	}
	return 1
}

// tabular writes the table without what stands around it.
func (t Table) tabular(b *bytes.Buffer) {
	columns, left := t.latexColumns(), 1
	if len(t.Sources) > 0 {
		left = 2
	}
	format := "l"
	if t.longestName() > longName {
		format = `>{\raggedright\arraybackslash}p{0.4\linewidth}`
	}
	format += strings.Repeat("l", left-1)
	for _, c := range columns {
		format += " " + c.format
	}
	fmt.Fprintf(b, "  \\begin{tabular}{%s}\n    \\toprule\n", format)
	t.latexHead(b, columns, left)
	several := slices.ContainsFunc(t.Rows, func(r Row) bool { return len(t.lines(r)) > 1 })
	for i, r := range t.Rows {
		if i > 0 && several {
			b.WriteString("    \\addlinespace\n")
		}
		for k, l := range t.lines(r) {
			cells := []string{""}
			switch {
			case k == 0:
				cells[0] = latexText(r.Name)
				if r.Status != "" && len(t.lines(r)) == 1 {
					cells[0] += " \\emph{(" + latexText(r.Status) + ")}"
				}
			case k == 1 && r.Status != "":
				cells[0] = "\\quad\\emph{" + latexText(r.Status) + "}"
			}
			if left > 1 {
				cells = append(cells, latexText(l.source))
			}
			for c, v := range l.values {
				cells = append(cells, columns[c].cells(v, t.Columns[c].Format, l.best[c])...)
			}
			fmt.Fprintf(b, "    %s \\\\\n", strings.TrimLeft(strings.Join(cells, " & "), " "))
		}
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}\n")
}

// longestName is the number of letters of the longest name of a row, with its status if that stands beside it.
func (t Table) longestName() int {
	longest := 0
	for _, r := range t.Rows {
		n := utf8.RuneCountInString(r.Name)
		if r.Status != "" && len(t.lines(r)) == 1 {
			n += len(" ()") + utf8.RuneCountInString(r.Status)
		}
		longest = max(longest, n)
	}
	return longest
}

// latexHead writes the headings of the groups, if there are any, and those of the columns.
func (t Table) latexHead(b *bytes.Buffer, columns []latexColumn, left int) {
	if spans := t.spans(); slices.ContainsFunc(spans, func(s span) bool { return s.heading != "" }) {
		heads, rules, at := strings.Repeat("& ", left-1), "", left+1
		for _, s := range spans {
			width := 0
			for _, c := range columns[s.first:s.past] {
				width += c.width()
			}
			if s.heading == "" {
				heads += strings.Repeat("& ", width)
			} else {
				heads += fmt.Sprintf("& \\multicolumn{%d}{c}{%s} ", width, latexText(s.heading))
				rules += fmt.Sprintf(" \\cmidrule(lr){%d-%d}", at, at+width-1)
			}
			at += width
		}
		fmt.Fprintf(b, "    %s\\\\\n   %s\n", heads, rules)
	}
	heads := latexText(t.heading()) + strings.Repeat(" &", left-1)
	for c, name := range t.names() {
		text := "{" + latexText(name) + "}"
		if columns[c].spread {
			text = fmt.Sprintf("\\multicolumn{2}{c}{%s}", latexText(name))
		}
		heads += " & " + text
	}
	fmt.Fprintf(b, "    %s \\\\\n    \\midrule\n", heads)
}

var plainNumber = regexp.MustCompile(`^([+-]?)(\d+)(?:\.(\d+))?$`)

// latexColumns tells of each column how it is set.
func (t Table) latexColumns() []latexColumn {
	columns, wordy := make([]latexColumn, len(t.Columns)), t.wordy()
	for c := range columns {
		one, sign, before, after, longest := latexColumn{numbers: true}, "", 1, 0, 0
		for _, r := range t.Rows {
			for s := range max(1, len(t.Sources)) {
				v := r.value(c, s)
				if v.missing() {
					continue
				}
				main, spread := v.text(t.Columns[c].Format)
				longest = max(longest, utf8.RuneCountInString(main))
				one.spread = one.spread || spread != ""
				parts := plainNumber.FindStringSubmatch(main)
				if parts == nil {
					one.numbers = false
					continue
				}
				if parts[1] != "" {
					sign = "-"
				}
				before, after = max(before, len(parts[2])), max(after, len(parts[3]))
			}
		}
		switch {
		case one.numbers:
			one.format = fmt.Sprintf("S[table-format=%s%d.%d]", sign, before, after)
		case wordy[c] && longest > longCell:
			one.format = fmt.Sprintf(`>{\raggedright\arraybackslash}p{%.2f\linewidth}`, 0.7/float64(len(t.Columns)))
		case wordy[c]:
			one.format = "l"
		default:
			one.format = "r"
		}
		if one.spread {
			one.format += "@{\\,}l"
		}
		columns[c] = one
	}
	return columns
}

// cells are what a value is in its column and, where it has one, in that of the spreads.
func (c latexColumn) cells(v Value, format string, best bool) []string {
	main, spread := v.text(format)
	text := latexText(main)
	switch {
	case v.words != nil:
		text = latexMarked(*v.words)
	case v.missing():
		text = "{--}"
	case !c.numbers:
		text = latexSigns.ReplaceAllString(text, `$1$$$2$$`)
	}
	if best {
		text = "\\bfseries " + text
	}
	if !c.spread {
		return []string{text}
	}
	if spread != "" {
		spread = "{\\scriptsize " + strings.Replace(strings.TrimLeft(spread, " "), "±", `$\pm$`, 1) + "}"
	}
	return []string{text, spread}
}

// latexSigns are signs before digits, which are minus and plus only in formulas.
var latexSigns = regexp.MustCompile(`(^|\s)([+-]\d+(?:\.\d+)?)`)

// latexMarked are the words of a sentence, the changed ones underlined.
func latexMarked(words []Word) string {
	var all []string
	for _, w := range words {
		text := latexText(w.Text)
		if w.Changed {
			text = "\\underline{" + text + "}"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// latexLabel keeps the letters and digits of a label; what is between them becomes a hyphen each.
func latexLabel(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, s), "-")
}

// latexSpecial are letters that mean something to LaTeX, or that its usual fonts lack.
var latexSpecial = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "~", `\textasciitilde{}`,
	"^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "`", `\textasciigrave{}`, `"`, "''",
	"[", "{[}", "]", "{]}", "*", "{*}", // behind a line's end they would be its option
	"–", "--", "—", "---", "…", `\dots{}`, "±", `$\pm$`, "×", `$\times$`, "·", `$\cdot$`, "−", "$-$", "→", `$\to$`, "≤", `$\leq$`,
	"≥", `$\geq$`,
	"≈", `$\approx$`, "≠", `$\neq$`, "∅", `$\emptyset$`, "∞", `$\infty$`, "√", `$\surd$`, "²", "$^2$", "³", "$^3$",
	"α", `$\alpha$`, "β", `$\beta$`, "γ", `$\gamma$`, "δ", `$\delta$`, "ε", `$\epsilon$`, "η", `$\eta$`, "θ", `$\theta$`, "κ", `$\kappa$`,
	"λ", `$\lambda$`, "μ", `$\mu$`, "ν", `$\nu$`, "π", `$\pi$`, "ρ", `$\rho$`, "σ", `$\sigma$`, "τ", `$\tau$`, "φ", `$\phi$`, "χ", `$\chi$`,
	"ψ", `$\psi$`, "ω", `$\omega$`, "Δ", `$\Delta$`, "Σ", `$\Sigma$`,
)

// latexText keeps a text from being read as markup.
func latexText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	return latexSpecial.Replace(strings.Join(strings.Fields(s), " "))
}
