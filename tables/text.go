package tables

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Terminal says how a table is printed for reading in a terminal. The zero value is plain text of any width.
type Terminal struct {
	Width int  // characters a line; a wider table is folded between groups of columns. 0 for no limit
	Style bool // bold for the best values, faint for what is missing, by ANSI escapes
}

const (
	bold  = "\x1b[1m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// Text writes the table in aligned columns. A table that is too wide has the words of columns that break in several lines; where there are
// none, it is folded into blocks, each with the row names, which take half of the width at most.
func (t Table) Text(w io.Writer, terminal Terminal) error {
	if err := t.check(); err != nil {
		return err
	}
	t = t.broken(terminal.Width).namesBroken(terminal.Width)
	p := t.print(terminal)
	if t.Title != "" {
		p.out.WriteString(p.styled(bold, t.Title) + "\n")
	}
	for i, block := range p.fold(terminal.Width) {
		if i > 0 {
			p.out.WriteByte('\n')
		}
		p.block(block)
	}
	if t.Note != "" {
		for _, l := range broken(t.Note, terminal.Width) {
			p.out.WriteString(p.styled(faint, l) + "\n")
		}
	}
	b := bufio.NewWriter(w)
	for l := range strings.Lines(p.out.String()) {
		b.WriteString(strings.TrimRight(l, " \n"))
		b.WriteByte('\n')
	}
	return b.Flush()
}

// printer lays a table out in characters.
type printer struct {
	table                Table
	lines                [][]line // of each row
	names                []string // column headings
	wordy                []bool
	main, spread         []int // widths of the two parts of a column's values
	labelWidth, srcWidth int
	style                bool
	out                  strings.Builder
}

const gap = "  "

func (t Table) print(terminal Terminal) *printer {
	p := &printer{table: t, names: t.names(), wordy: t.wordy(), style: terminal.Style, labelWidth: utf8.RuneCountInString(t.heading())}
	p.main, p.spread = make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for _, r := range t.Rows {
		lines := t.lines(r)
		p.lines = append(p.lines, lines)
		name, below := t.label(r)
		p.labelWidth = max(p.labelWidth, utf8.RuneCountInString(name), utf8.RuneCountInString(below))
		for _, l := range lines {
			p.srcWidth = max(p.srcWidth, utf8.RuneCountInString(l.source))
			for c, v := range l.values {
				main, spread := v.text(t.Columns[c].Format)
				p.main[c] = max(p.main[c], utf8.RuneCountInString(main))
				p.spread[c] = max(p.spread[c], utf8.RuneCountInString(spread))
			}
		}
	}
	for c, name := range p.names {
		p.main[c] = max(p.main[c], utf8.RuneCountInString(name)-p.spread[c])
	}
	return p
}

// label is a row's name and what stands below it: its status, which is beside the name where a row is but one line.
func (t Table) label(r Row) (name, below string) {
	switch {
	case r.Status == "":
		return r.Name, ""
	case len(t.Sources) == 0:
		return r.Name + " (" + r.Status + ")", ""
	}
	return r.Name, "  " + r.Status
}

// columns is the number of characters of the columns of a span, without the gap before them.
func (p *printer) columns(s span) int {
	width := -len(gap)
	for c := s.first; c < s.past; c++ {
		width += len(gap) + p.main[c] + p.spread[c]
	}
	return width
}

// width is the number of characters of a span, without the gap before it: of its columns or of its heading.
func (p *printer) width(s span) int { return max(p.columns(s), utf8.RuneCountInString(s.heading)) }

func (p *printer) left() int {
	if p.srcWidth == 0 {
		return p.labelWidth
	}
	return p.labelWidth + len(gap) + p.srcWidth
}

// fold splits the groups of columns into blocks that fit; a group that is too wide by itself is split between its columns.
func (p *printer) fold(width int) [][]span {
	if width <= 0 {
		return [][]span{p.table.spans()}
	}
	var blocks [][]span
	used := 0
	add := func(s span) {
		need := len(gap) + p.width(s)
		if len(blocks) == 0 || used+need > width {
			blocks, used = append(blocks, nil), p.left()
		}
		last := len(blocks) - 1
		blocks[last] = append(blocks[last], s)
		used += need
	}
	for _, s := range p.table.spans() {
		for first := s.first; first < s.past; {
			piece := span{s.heading, first, s.past}
			for piece.past > first+1 && p.left()+len(gap)+p.width(piece) > width {
				piece.past--
			}
			add(piece)
			first = piece.past
		}
	}
	return blocks
}

func (p *printer) block(spans []span) {
	out := &p.out
	total := p.left()
	for _, s := range spans {
		total += len(gap) + p.width(s)
	}
	if slices.ContainsFunc(spans, func(s span) bool { return s.heading != "" }) {
		out.WriteString(strings.Repeat(" ", p.left()))
		for _, s := range spans {
			out.WriteString(gap + p.styled(bold, centred(s.heading, p.width(s))))
		}
		out.WriteByte('\n')
		out.WriteString(strings.Repeat(" ", p.left()))
		for _, s := range spans {
			rule := " "
			if s.heading != "" {
				rule = "─"
			}
			out.WriteString(gap + strings.Repeat(rule, p.width(s)))
		}
		out.WriteByte('\n')
	}
	out.WriteString(padded(p.table.heading(), p.left()))
	for _, s := range spans {
		out.WriteString(strings.Repeat(" ", p.width(s)-p.columns(s)))
		for c := s.first; c < s.past; c++ {
			out.WriteString(gap + p.name(c))
		}
	}
	out.WriteString("\n" + strings.Repeat("─", total) + "\n")
	for i, r := range p.table.Rows {
		p.row(r, spoken(p.lines[i], spans[0].first, spans[len(spans)-1].past), spans)
	}
	out.WriteString(strings.Repeat("─", total) + "\n")
}

// row writes a row's lines, its name on the first and its status on the second, which may have no values.
func (p *printer) row(r Row, lines []line, spans []span) {
	out := &p.out
	name, below := p.table.label(r)
	for k := range max(len(lines), 1+min(1, len(below))) {
		out.WriteString(padded([]string{name, below, ""}[min(k, 2)], p.labelWidth))
		if k >= len(lines) {
			out.WriteByte('\n')
			continue
		}
		l := lines[k]
		if p.srcWidth > 0 {
			out.WriteString(gap + p.styled(faint, padded(l.source, p.srcWidth)))
		}
		for _, s := range spans {
			out.WriteString(strings.Repeat(" ", p.width(s)-p.columns(s)))
			for c := s.first; c < s.past; c++ {
				out.WriteString(gap + p.value(l, c))
			}
		}
		out.WriteByte('\n')
	}
}

// name is the heading of a column.
func (p *printer) name(c int) string {
	if p.wordy[c] {
		return padded(p.names[c], p.main[c]+p.spread[c])
	}
	return centred(p.names[c], p.main[c]+p.spread[c])
}

func (p *printer) value(l line, c int) string {
	main, spread := l.values[c].text(p.table.Columns[c].Format)
	text := padded(main, p.main[c]+p.spread[c])
	if !p.wordy[c] {
		text = strings.Repeat(" ", max(0, p.main[c]-utf8.RuneCountInString(main))) + main + padded(spread, p.spread[c])
	}
	switch {
	case l.best[c]:
		return p.styled(bold, text)
	case l.values[c].missing():
		return p.styled(faint, text)
	default:
		return text
	}
}

func (p *printer) styled(code, text string) string {
	if !p.style {
		return text
	}
	return code + text + plain
}

// broken breaks a text between words into lines of so many characters, unless a word is longer; 0 for one line.
func broken(s string, width int) []string {
	if width <= 0 {
		return []string{s}
	}
	var lines []string
	for _, word := range strings.Fields(s) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func centred(s string, width int) string {
	spare := max(0, width-utf8.RuneCountInString(s))
	return strings.Repeat(" ", (spare+1)/2) + s + strings.Repeat(" ", spare/2)
}
