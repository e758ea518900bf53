package tags

import (
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// figure1 sets the score of the hardest negative against the positive's: of a mini-batch, of the whole split, and of what is written
// (TAGS-DC, Figure 1).
var figure1 = paper.Artifact{
	ID:    "tags/figure1",
	Title: "Positive against hardest-negative score: in-batch, whole set, generated",
	Look: "Whether the hardest negative of a mini-batch and of the whole split stay below their positive, and the written ones do " +
		"not; and which of these are no negatives at all. Above the line a negative beats its caption.",
	Note: "The paper scores Flickr30K by CLIP and prints that about 40 % of the whole set's hardest negatives are above their positive, " +
		"that 18 % are more than .05 below, and that all generated ones are above. Here a row's own model scores, from 0 to 1, and " +
		"UNITER writes by its masked words as it is. The split is one caption of each of its images.",
	Rows:    []plan.Row{on(baseline), on(tags)},
	Columns: hardness(),
	Claims: []paper.Claim{
		{Better: baseline, Than: tags, In: harder("written", writtenScore), Source: "ours"},
	},
	Unstated: []paper.Unstated{{What: "written negatives are harder than the whole set's hardest", Source: "section 1",
		Why: "both are columns of one row"}},
	Table:  paper.Comparison,
	Figure: scoresFigure,
}

type score func(eval.Sentence) (score float64, there bool)

func batchScore(s eval.Sentence) (float64, bool)   { return s.BatchScore, true }
func splitScore(s eval.Sentence) (float64, bool)   { return s.SplitScore, true }
func writtenScore(s eval.Sentence) (float64, bool) { return s.WrittenScore, s.Written != "" }

// sources are where negatives are from.
var sources = []struct {
	name string
	of   score
}{{"in the mini-batch", batchScore}, {"in the whole split", splitScore}, {"written", writtenScore}}

// hardness are the columns: for each source the share of hardest negatives above their positive, and of those far below.
func hardness() []paper.Column {
	var columns []paper.Column
	for _, s := range sources {
		columns = append(columns, harder(s.name, s.of))
	}
	for _, s := range sources {
		columns = append(columns, share("More than .05 below", s.name, s.of, func(gap float64) bool { return gap < -0.05 }))
	}
	return append(columns, paper.Column{Group: "True", Name: "of the written", Metric: string(eval.HardestTrue), Unit: "%", Lower: true})
}

// harder is the column of the share of hardest negatives above their positive.
func harder(name string, of score) paper.Column {
	return share("Above the positive", name, of, func(gap float64) bool { return gap > 0 })
}

// share is the column of the share of captions whose negative's score has a gap to the positive's.
func share(group, name string, of score, is func(gap float64) bool) paper.Column {
	return paper.Column{Group: group, Name: name, Metric: group + ", " + name, Unit: "%", Of: func(r run.Result) (float64, bool) {
		all, some := 0, 0
		for _, s := range eval.Sentences.Of(r.Examples) {
			if score, there := of(s); there {
				all++
				if is(score - s.CaptionScore) {
					some++
				}
			}
		}
		return 100 * float64(some) / float64(max(all, 1)), all > 0
	}}
}

// scoresFigure has a panel a row, of the first seed; what is written is apart by its truth.
func scoresFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure(r.FirstSeedOnly(), "A point a caption of the test split; on the line both score alike.")
	f.Known = nil
	for _, row := range r.Rows {
		if len(row.Results) == 0 {
			continue
		}
		sentences := eval.Sentences.Of(row.Results[0].Examples)
		if len(sentences) == 0 {
			continue
		}
		panel := plots.Scatter{Title: row.Name, XLabel: "score of the caption", YLabel: "score of the hardest negative", Diagonal: true}
		add := func(name string, of score, is func(eval.Sentence) bool) {
			g := plots.PointGroup{Name: name}
			for _, s := range sentences {
				if y, there := of(s); there && is(s) {
					g.X, g.Y = append(g.X, s.CaptionScore), append(g.Y, y)
				}
			}
			if len(g.X) > 0 {
				panel.Groups = append(panel.Groups, g)
			}
		}
		all := func(eval.Sentence) bool { return true }
		add("hardest in the mini-batch", batchScore, all)
		add("hardest in the whole split", splitScore, all)
		add("written", writtenScore, func(s eval.Sentence) bool { return !s.Known || !s.True })
		add("written and true", writtenScore, func(s eval.Sentence) bool { return s.Known && s.True })
		f.Panels = append(f.Panels, panel)
	}
	return paper.Drawn(f)
}
