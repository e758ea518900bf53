package plots

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

// Markdown writes the table in GitHub's dialect, the best values bold. It has no groups, so a group's heading stands before
// each of its columns.
func (t Table) Markdown(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", markdownText(t.Title))
	}
	row := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	heads, rules := []string{markdownText(t.heading())}, []string{"---"}
	if len(t.Sources) > 0 {
		heads, rules = append(heads, ""), append(rules, "---")
	}
	names := t.names()
	for _, s := range t.spans() {
		for c := s.first; c < s.past; c++ {
			heads = append(heads, markdownText(strings.TrimSpace(s.heading+" "+names[c])))
			rules = append(rules, "---:")
		}
	}
	row(heads)
	row(rules)
	for _, l := range t.lines() {
		cells := []string{markdownText(l.name)}
		if l.status != "" {
			cells[0] += " *(" + markdownText(l.status) + ")*"
		}
		if len(t.Sources) > 0 {
			cells = append(cells, markdownText(l.source))
		}
		for c, v := range l.values {
			main, spread := v.text(t.Columns[c].Format)
			text := markdownText(main)
			if l.best[c] {
				text = "**" + text + "**"
			}
			if spread != "" {
				text += " " + markdownText(spread)
			}
			cells = append(cells, text)
		}
		row(cells)
	}
	if t.Note != "" {
		fmt.Fprintf(&b, "\n%s\n", markdownText(t.Note))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// markdownText keeps a text from being read as markup or as the end of a cell.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", "\n", " ").Replace(s)
}

const (
	htmlTable  = "border-collapse:collapse;font-variant-numeric:tabular-nums;line-height:1.35"
	htmlRule   = "1px solid currentColor"
	htmlFaint  = "opacity:.65"
	htmlNumber = "text-align:right;white-space:nowrap;padding:1px 8px"
	htmlName   = "text-align:left;vertical-align:top;padding:1px 8px"
	htmlHead   = "text-align:center;padding:2px 8px"
)

// HTML writes the table as one <table> element with its styles inline, fit for a notebook's output in light or dark.
func (t Table) HTML(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	esc := html.EscapeString
	fmt.Fprintf(&b, "<table style=\"%s\">\n", htmlTable)
	if t.Title != "" {
		fmt.Fprintf(&b, "<caption style=\"text-align:left;font-weight:bold;padding:4px 8px\">%s</caption>\n", esc(t.Title))
	}
	left := 1
	if len(t.Sources) > 0 {
		left = 2
	}
	fmt.Fprintf(&b, "<thead>\n<tr><th colspan=\"%d\" style=\"border-top:%s\"></th>", left, htmlRule)
	for _, s := range t.spans() {
		fmt.Fprintf(&b, "<th colspan=\"%d\" style=\"border-top:%s;%s\">%s</th>", s.past-s.first, htmlRule, htmlHead, esc(s.heading))
	}
	fmt.Fprintf(&b, "</tr>\n<tr style=\"border-bottom:%s\"><th colspan=\"%d\" style=\"%s\">%s</th>", htmlRule, left, htmlName, esc(t.heading()))
	for _, name := range t.names() {
		fmt.Fprintf(&b, "<th style=\"%s\">%s</th>", htmlHead, esc(name))
	}
	b.WriteString("</tr>\n</thead>\n")

	lines := t.lines()
	perRow := 1
	if len(t.Rows) > 0 {
		perRow = len(lines) / len(t.Rows)
	}
	for i, l := range lines {
		if i%perRow == 0 {
			fmt.Fprintf(&b, "<tbody style=\"border-bottom:%s\">\n", htmlRule)
		}
		b.WriteString("<tr>")
		if i%perRow == 0 {
			fmt.Fprintf(&b, "<td rowspan=\"%d\" style=\"%s\">%s", perRow, htmlName, esc(l.name))
			if l.status != "" {
				fmt.Fprintf(&b, "<br><i style=\"%s\">%s</i>", htmlFaint, esc(l.status))
			}
			b.WriteString("</td>")
		}
		if len(t.Sources) > 0 {
			fmt.Fprintf(&b, "<td style=\"%s;%s\">%s</td>", htmlName, htmlFaint, esc(l.source))
		}
		for c, v := range l.values {
			main, spread := v.text(t.Columns[c].Format)
			text := esc(main)
			if l.best[c] {
				text = "<b>" + text + "</b>"
			}
			if spread != "" {
				text += fmt.Sprintf(" <span style=\"%s\">%s</span>", htmlFaint, esc(spread))
			}
			fmt.Fprintf(&b, "<td style=\"%s\">%s</td>", htmlNumber, text)
		}
		b.WriteString("</tr>\n")
		if i%perRow == perRow-1 {
			b.WriteString("</tbody>\n")
		}
	}
	if t.Note != "" {
		fmt.Fprintf(&b, "<tfoot><tr><td colspan=\"%d\" style=\"%s;%s\">%s</td></tr></tfoot>\n", left+len(t.Columns), htmlName, htmlFaint, esc(t.Note))
	}
	b.WriteString("</table>\n")
	_, err := w.Write(b.Bytes())
	return err
}
