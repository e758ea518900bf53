package plots

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

// Text writes the table in aligned columns. A table that is too wide is folded into blocks, each with the row names.
func (t Table) Text(w io.Writer, terminal Terminal) error {
	if err := t.check(); err != nil {
		return err
	}
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
		p.out.WriteString(p.styled(faint, t.Note) + "\n")
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
	lines                []line
	labels               []string // row name or status, one a line
	names                []string // column headings
	main, spread         []int    // widths of the two parts of a column's values
	labelWidth, srcWidth int
	style                bool
	out                  strings.Builder
}

const gap = "  "

func (t Table) print(terminal Terminal) *printer {
	p := &printer{table: t, lines: t.lines(), names: t.names(), style: terminal.Style, labelWidth: utf8.RuneCountInString(t.heading())}
	perRow := 1
	if len(t.Rows) > 0 {
		perRow = len(p.lines) / len(t.Rows)
	}
	p.labels = make([]string, len(p.lines))
	for i, l := range p.lines {
		if i%perRow > 0 {
			continue
		}
		p.labels[i] = l.name
		switch {
		case l.status == "":
		case perRow > 1:
			p.labels[i+1] = "  " + l.status
		default:
			p.labels[i] += " (" + l.status + ")"
		}
	}
	p.main, p.spread = make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for i, l := range p.lines {
		p.labelWidth = max(p.labelWidth, utf8.RuneCountInString(p.labels[i]))
		p.srcWidth = max(p.srcWidth, utf8.RuneCountInString(l.source))
		for c, v := range l.values {
			main, spread := v.text(t.Columns[c].Format)
			p.main[c] = max(p.main[c], utf8.RuneCountInString(main))
			p.spread[c] = max(p.spread[c], utf8.RuneCountInString(spread))
		}
	}
	for c, name := range p.names {
		p.main[c] = max(p.main[c], utf8.RuneCountInString(name)-p.spread[c])
	}
	return p
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
			out.WriteString(gap + centred(p.names[c], p.main[c]+p.spread[c]))
		}
	}
	out.WriteString("\n" + strings.Repeat("─", total) + "\n")
	for i, l := range p.lines {
		out.WriteString(padded(p.labels[i], p.labelWidth))
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
	out.WriteString(strings.Repeat("─", total) + "\n")
}

func (p *printer) value(l line, c int) string {
	main, spread := l.values[c].text(p.table.Columns[c].Format)
	text := strings.Repeat(" ", max(0, p.main[c]-utf8.RuneCountInString(main))) + main + padded(spread, p.spread[c])
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

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func centred(s string, width int) string {
	spare := max(0, width-utf8.RuneCountInString(s))
	return strings.Repeat(" ", (spare+1)/2) + s + strings.Repeat(" ", spare/2)
}
