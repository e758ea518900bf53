package plots

import (
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// title stands above a drawing, centred, in lines that fit.
type title struct {
	text   string
	face   Typeface
	height vg.Length // with the gap below; zero without a title
}

func newTitle(s string, face Typeface, width vg.Length) title {
	if s == "" {
		return title{}
	}
	style := face.headline(titleSize)
	lines := balanced(s, style, width)
	return title{lines, face, style.Height(lines) + 0.6*titleSize}
}

// draw writes the title at the top of c.
func (t title) draw(c draw.Canvas) {
	style := t.face.headline(titleSize)
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	c.FillText(style, vg.Point{X: c.Center().X, Y: c.Max.Y}, t.text)
}

// leading is the distance of the lines of a paragraph, in sizes of its font.
const leading = 1.15

// paragraph writes lines downwards from a point; gonum's own lines hang the lower the more there are.
func paragraph(c draw.Canvas, style text.Style, at vg.Point, lines string) {
	style.YAlign = draw.YTop
	for line := range strings.SplitSeq(lines, "\n") {
		c.FillText(style, at, line)
		at.Y -= leading * style.Font.Size
	}
}

// paragraphHeight is the room of a paragraph.
func paragraphHeight(style text.Style, lines string) vg.Length {
	return leading * style.Font.Size * vg.Length(lineCount(lines))
}

func lineCount(lines string) int { return 1 + strings.Count(lines, "\n") }

// wrapped breaks a text between words so that no line is wider than asked, unless a word is.
func wrapped(s string, style text.Style, width vg.Length) string {
	var lines []string
	for _, word := range strings.Fields(s) {
		if last := len(lines) - 1; last >= 0 && style.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}

// balanced is wrapped in no more lines, but in lines of about the same width.
func balanced(s string, style text.Style, width vg.Length) string {
	best := wrapped(s, style, width)
	for narrower := width; narrower > width/3; narrower -= style.Font.Size {
		lines := wrapped(s, style, narrower)
		if strings.Count(lines, "\n") > strings.Count(best, "\n") || style.Width(lines) > width {
			break
		}
		best = lines
	}
	return best
}

const ellipsis = "…"

// fitted is wrapped with every line within the width and no more than so many lines: a word that is too wide and a text that
// is too long end in an ellipsis.
func fitted(s string, style text.Style, width vg.Length, lines int) string {
	all := strings.Split(wrapped(s, style, width), "\n")
	for k, line := range all[:min(lines, len(all))] {
		if cut := k == lines-1 && len(all) > lines; cut || style.Width(line) > width {
			all[k] = ellipted(line, style, width)
		}
	}
	return strings.Join(all[:min(lines, len(all))], "\n")
}

// ellipted is the longest beginning of a line that leaves room for an ellipsis, and that.
func ellipted(line string, style text.Style, width vg.Length) string {
	runes := []rune(line)
	for len(runes) > 0 && style.Width(string(runes)+ellipsis) > width {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ,.;:") + ellipsis
}
