package lab

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"vlpx.internal/vlpx/paper"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS      string
	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"style":      func() template.CSS { return template.CSS(pageCSS) },
		"fonts":      fontFaces,
		"sign":       func(v paper.Verdict) string { return verdictSigns[v] },
		"class":      func(v paper.Verdict) string { return strings.ReplaceAll(string(v), " ", "-") },
		"meaning":    func(v paper.Verdict) string { return verdictMeanings[v] },
		"verdicts":   func() []paper.Verdict { return verdictOrder },
		"difference": func(d *float64) string { return number("%+.2f", d) },
		"size":       func(d *float64) string { return number("%.2f", d) },
		"interval":   interval,
		"p":          probability,
		"tally":      tally,
		"most":       most,
		"seeds":      func(s []uint64) string { return listed(s, ", ") },
	}).Parse(pageHTML))

	verdictOrder = []paper.Verdict{paper.Supported, paper.Contradicted, paper.Equivalent, paper.Undecided, paper.Secondary,
		paper.Exploratory, paper.Untested}
	// verdictSigns go before the words, for a reader who looks a column over.
	verdictSigns = map[paper.Verdict]string{paper.Supported: "✓", paper.Contradicted: "✗", paper.Equivalent: "=", paper.Undecided: "?",
		paper.Secondary: "·", paper.Exploratory: "~", paper.Untested: "–"}

	verdictMeanings = map[paper.Verdict]string{
		paper.Supported:    "the difference points where the claim says, with a corrected p < 0.05.",
		paper.Contradicted: "it points the other way, with a corrected p < 0.05.",
		paper.Equivalent:   "by two one-sided tests the rows differ by less than a point, with a corrected p < 0.05.",
		paper.Undecided:    "none of these, which is no evidence against the paper.",
		paper.Secondary:    "not among the table’s primary claims: the interval, which is not corrected, is for it, against it, or open.",
		paper.Exploratory:  "fewer than five seeds: a difference with its interval, and no verdict.",
		paper.Untested:     "a method, a column or further seeds are missing, or some seeds lack what the claim compares.",
	}
)

// HTML writes the page, whole or, with an error, not at all.
func (p *Page) HTML(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Claims are those of all of the paper's artifacts on the page.
func (p PagePaper) Claims() []paper.Finding {
	var all []paper.Finding
	for _, s := range p.Sections {
		all = append(all, s.Claims...)
	}
	return all
}

// tally counts the claims with a verdict.
func tally(v paper.Verdict, claims []paper.Finding) int {
	n := 0
	for _, f := range claims {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// number formats a number with a minus that is as wide as a plus.
func number(format string, v *float64) string {
	if v == nil {
		return "–"
	}
	return strings.Replace(fmt.Sprintf(format, *v), "-", "−", 1)
}

// interval has the ends of an interval.
func interval(ends *[2]float64) string {
	if ends == nil {
		return "–"
	}
	return number("%+.2f", &ends[0]) + " to " + number("%+.2f", &ends[1])
}

func probability(p *float64) string {
	if p != nil && *p < .001 {
		return "< 0.001"
	}
	return number("%.3f", p)
}

// most lists what most runs have first, with the number of runs of each.
func most(runs map[string]int) string {
	names := slices.SortedFunc(maps.Keys(runs), func(a, b string) int {
		if runs[a] != runs[b] {
			return runs[b] - runs[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, runs[name])
	}
	return strings.Join(names, ", ")
}
