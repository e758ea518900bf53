package tables

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
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
	names, wordy := t.names(), t.wordy()
	for _, s := range t.spans() {
		for c := s.first; c < s.past; c++ {
			heads = append(heads, markdownText(strings.TrimSpace(s.heading+" "+names[c])))
			rules = append(rules, map[bool]string{true: "---", false: "---:"}[wordy[c]])
		}
	}
	row(heads)
	row(rules)
	for _, r := range t.Rows {
		for k, l := range t.lines(r) {
			cells := []string{""}
			if k == 0 {
				cells[0] = markdownText(r.Name)
				if r.Status != "" {
					cells[0] += " *(" + markdownText(r.Status) + ")*"
				}
			}
			if len(t.Sources) > 0 {
				cells = append(cells, markdownText(l.source))
			}
			for c, v := range l.values {
				main, spread := v.text(t.Columns[c].Format)
				text := markdownText(main)
				if v.words != nil {
					text = markdownMarked(*v.words)
				}
				if l.best[c] {
					text = "**" + text + "**"
				}
				if spread != "" {
					text += " " + markdownText(strings.TrimLeft(spread, " "))
				}
				cells = append(cells, text)
			}
			row(cells)
		}
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

// Styles are inline and inherit their colours, so that a notebook's light and dark themes both suit; they also set what the
// style sheets of Jupyter would else decide.
const (
	htmlBox    = "overflow-x:auto;max-width:100%;margin-bottom:0.8em"
	htmlTable  = "border-collapse:collapse;border:none;margin:0;table-layout:auto;font-variant-numeric:tabular-nums;line-height:1.35"
	htmlTitle  = "text-align:left;font-weight:bold;padding:4px 8px;color:inherit;caption-side:top"
	htmlNote   = "margin:4px 8px;max-width:60em;font-size:90%"
	htmlMore   = "margin:4px 8px;cursor:pointer"
	htmlRule   = "1px solid currentColor"
	htmlThin   = "1px solid rgba(128,128,128,.45)"
	htmlPlain  = "background:none" // no stripes: rows are of several lines
	htmlFaint  = "opacity:.7"
	htmlNumber = "text-align:right;white-space:nowrap;padding:1px 8px"
	htmlWords  = "text-align:left;padding:1px 8px;min-width:6em"
	htmlName   = "text-align:left;vertical-align:top;padding:1px 8px;font-weight:normal"
	htmlSource = "text-align:left;white-space:nowrap;padding:1px 8px"
	htmlHead   = "text-align:center;vertical-align:bottom;padding:2px 8px"
)

// HTML writes the table for a notebook or a page, styled in place, in the colours of its surroundings. A table of more letters a line than
// HTMLLetters is folded into several, as Text does; what is wide all the same scrolls in a box of its own.
func (t Table) HTML(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	parts := t.folded(HTMLLetters)
	for i, part := range parts {
		if i == 1 && t.More != "" {
			fmt.Fprintf(&b, "<details>\n<summary style=\"%s\">%s</summary>\n", htmlMore, html.EscapeString(t.More))
		}
		part.html(&b)
	}
	if len(parts) > 1 && t.More != "" {
		b.WriteString("</details>\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// HTMLLetters are as many as fit the width of a notebook's output in JupyterLab, beside its file browser.
const HTMLLetters = 105

// folded is the table in parts of so many letters a line, each with the names of the rows: the first has the title, the last the note.
func (t Table) folded(letters int) []Table {
	var parts []Table
	for i, block := range t.print(Terminal{}).fold(letters) {
		part := t
		first, past := block[0].first, block[len(block)-1].past
		part.Columns, part.Rows = t.Columns[first:past], nil
		for _, r := range t.Rows {
			r.Cells = r.Cells[min(first, len(r.Cells)):min(past, len(r.Cells))]
			part.Rows = append(part.Rows, r)
		}
		if i > 0 {
			part.Title, parts[i-1].Note = "", ""
		}
		parts = append(parts, part)
	}
	return parts
}

func (t Table) html(b *bytes.Buffer) {
	fmt.Fprintf(b, "<div style=\"%s\">\n<table style=\"%s\">\n", htmlBox, htmlTable)
	if t.Title != "" {
		fmt.Fprintf(b, "<caption style=\"%s\">%s</caption>\n", htmlTitle, html.EscapeString(t.Title))
	}
	t.htmlHead(b)
	wordy := t.wordy()
	for i, r := range t.Rows {
		rule := htmlThin
		if i == len(t.Rows)-1 {
			rule = htmlRule
		}
		fmt.Fprintf(b, "<tbody style=\"border-bottom:%s\">\n", rule)
		t.htmlRow(b, r, wordy)
		b.WriteString("</tbody>\n")
	}
	b.WriteString("</table>\n")
	if t.Note != "" {
		fmt.Fprintf(b, "<p style=\"%s\">%s</p>\n", htmlNote, html.EscapeString(t.Note))
	}
	b.WriteString("</div>\n")
}

// htmlHead writes the headings of the groups, if there are any, and those of the columns.
func (t Table) htmlHead(b *bytes.Buffer) {
	left := 1
	if len(t.Sources) > 0 {
		left = 2
	}
	spans := t.spans()
	top := fmt.Sprintf("border-top:%s", htmlRule)
	b.WriteString("<thead>\n")
	if slices.ContainsFunc(spans, func(s span) bool { return s.heading != "" }) {
		fmt.Fprintf(b, "<tr style=\"%s\"><td colspan=\"%d\"></td>", top, left)
		for _, s := range spans {
			if s.heading == "" {
				fmt.Fprintf(b, "<td colspan=\"%d\"></td>", s.past-s.first)
			} else {
				fmt.Fprintf(b, "<th scope=\"colgroup\" colspan=\"%d\" style=\"%s;border-bottom:%s\">%s</th>", s.past-s.first,
					htmlHead, htmlThin,
					html.EscapeString(s.heading))
			}
		}
		b.WriteString("</tr>\n")
		top = ""
	}
	fmt.Fprintf(b, "<tr style=\"%s;border-bottom:%s\"><th scope=\"col\" colspan=\"%d\" style=\"%s;text-align:left\">%s</th>", top,
		htmlRule, left,
		htmlHead, html.EscapeString(t.heading()))
	wordy := t.wordy()
	for c, name := range t.names() {
		style := htmlHead
		if wordy[c] {
			style += ";text-align:left"
		}
		style += whole(name)
		fmt.Fprintf(b, "<th scope=\"col\" style=\"%s\">%s</th>", style, html.EscapeString(name))
	}
	b.WriteString("</tr>\n</thead>\n")
}

// whole is the style that keeps a short name on one line.
func whole(name string) string {
	if utf8.RuneCountInString(name) > 24 {
		return ""
	}
	return ";white-space:nowrap"
}

// htmlRow writes a row's lines.
func (t Table) htmlRow(b *bytes.Buffer, r Row, wordy []bool) {
	lines := t.lines(r)
	for k, l := range lines {
		fmt.Fprintf(b, "<tr style=\"%s\">", htmlPlain)
		if k == 0 {
			fmt.Fprintf(b, "<th scope=\"rowgroup\" rowspan=\"%d\" style=\"%s%s\">%s", len(lines), htmlName, whole(r.Name),
				html.EscapeString(r.Name))
			if r.Status != "" {
				fmt.Fprintf(b, "<br><i style=\"%s\">%s</i>", htmlFaint, html.EscapeString(r.Status))
			}
			b.WriteString("</th>")
		}
		if len(t.Sources) > 0 {
			fmt.Fprintf(b, "<td style=\"%s;%s\">%s</td>", htmlSource, htmlFaint, html.EscapeString(l.source))
		}
		for c, v := range l.values {
			main, spread := v.text(t.Columns[c].Format)
			text := html.EscapeString(main)
			if v.words != nil {
				text = htmlMarked(*v.words)
			}
			if l.best[c] {
				text = "<b>" + text + "</b>"
			}
			if spread != "" {
				text += fmt.Sprintf(" <span style=\"%s\">%s</span>", htmlFaint, html.EscapeString(strings.TrimLeft(spread, " ")))
			}
			style := htmlNumber
			if wordy[c] {
				style = htmlWords
			}
			fmt.Fprintf(b, "<td style=\"%s\">%s</td>", style, text)
		}
		b.WriteString("</tr>\n")
	}
}
