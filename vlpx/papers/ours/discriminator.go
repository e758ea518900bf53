package ours

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// ownThreshold is the one at which our rows convert: where false negatives are dense, a Con-D that learned from them says "matched" of a
// true pair with less than one half.
const ownThreshold = 0.3

// albefConD is ALBEF, fine-tuned for retrieval, as a discriminator.
var albefConD = plan.MethodRow("ALBEF").As("Con-D of ALBEF").Tuned(scale.DistilledTuning)

// discriminators compares judges of MAFA's connections by the relation. All students are MAFA.
var discriminators = paper.Artifact{
	ID:    "vlpx/con-d",
	Title: "Discriminators of connections against the exact relation",
	Look: "Which part of the hard negatives that are true pairs each Con-D finds, how many of its new positives are wrong, and at " +
		"which threshold. All are of the last epoch and among the hardest negatives, where telling is hardest. The rows between " +
		"no judge and the relation tell what finding more is worth.",
	Rows: []plan.Row{
		plan.MethodRow("MAFA").As("S-ITC under GRIT; fine-tuned (MAFA's)"),
		judgedBy("ALBEF; fine-tuned", albefConD, negative.PublishedECM()),
		judgedBy("ALBEF; as pre-trained", plan.MethodRow("ALBEF"), negative.PublishedECM()),
		plan.MethodRow("S-ITC").As("S-ITC under GRIT; fine-tuned; threshold .3").Mining(negative.ECM{Low: ownThreshold,
			High: ownThreshold}),
		judgedBy("ALBEF; fine-tuned; threshold .3", albefConD, negative.ECM{Low: ownThreshold, High: ownThreshold}),
		plan.MethodRow("MAFA (Oracle)").As("the relation"),
		plan.MethodRow("S-ITC").As("none (S-ITC)"),
	},
	Columns: slices.Concat(paper.MinedColumns(), []paper.Column{amongHardest}, paper.Retrieval(), []paper.Column{paper.ColumnOf(eval.TRMAP),
		paper.ColumnOf(eval.IRMAP), paper.ColumnOf(eval.TR1True)}, paper.OwnColumns(), judgedAUC()),
	Claims: slices.Concat(
		[]paper.Claim{
			{Better: "ALBEF; fine-tuned; threshold .3", Than: "S-ITC under GRIT; fine-tuned; threshold .3",
				In: paper.Mined(negative.ConDPrecision)},
			{Better: "ALBEF; fine-tuned; threshold .3", Than: "S-ITC under GRIT; fine-tuned; threshold .3",
				In: paper.Mined(negative.ConDRecall)},
			{Better: "the relation", Than: "none (S-ITC)", In: paper.Cosine(eval.TRMAP)},
			{Better: "the relation", Than: "none (S-ITC)", In: paper.ColumnOf(eval.TRMAP)},
		},
		paper.AboveByCosine("S-ITC under GRIT; fine-tuned (MAFA's)", "none (S-ITC)"),
		paper.AboveByCosine("ALBEF; fine-tuned; threshold .3", "none (S-ITC)"),
		paper.AboveByCosine("the relation", "none (S-ITC)"),
	),
	Table:  paper.Comparison,
	Figure: thresholdCurves,
}

// amongHardest is how well a judge tells true from false pairs among the negatives that are hardest to tell.
var amongHardest = paper.Column{Group: "New positives", Name: "AUC", Metric: negative.ConDAUC, Unit: "%"}

// judgedBy is MAFA with another Con-D.
func judgedBy(name string, discriminator plan.Row, e negative.ECM) plan.Row {
	row := plan.MethodRow("S-ITC").As(name).Mining(e)
	row.Reference = &discriminator
	return row
}

// thresholdCurves are precision and recall of each learned discriminator at every threshold, in the last epoch, over seeds.
func thresholdCurves(r *paper.Report) (plots.Drawing, error) {
	panels := []plots.Lines{{Title: "Precision", YLabel: "new positives that are true (%)"},
		{Title: "Recall", YLabel: "true pairs found (%)"}}
	for i, row := range r.Rows {
		if r.Plan.Artifact.Rows[i].Reference == nil {
			continue
		}
		var curves [2][][]float64 // precision and recall of each seed
		for _, result := range row.Results {
			if c := result.Epochs[len(result.Epochs)-1].Observed.Judgements(); c != nil {
				precision, recall := c.At()
				curves[0], curves[1] = append(curves[0], precision), append(curves[1], recall)
			}
		}
		for k := range panels {
			panels[k].XLabel = "threshold"
			if s := overSeeds(row.Name, negative.JudgedAt(), curves[k]); s != nil {
				panels[k].Series = append(panels[k].Series, *s)
			}
		}
	}
	f := r.NewFigure(r.SpreadNote("bands"), "Last epoch.")
	for _, p := range panels {
		if len(p.Series) > 0 {
			f.Panels = append(f.Panels, p)
		}
	}
	return paper.Drawn(f)
}

// overSeeds is the mean curve of those of several seeds; nil where no point is a number for all of them.
func overSeeds(name string, x []float64, curves [][]float64) *plots.Series {
	s := plots.Series{Name: name, X: x}
	some := false
	for k := range x {
		var values []float64
		for _, curve := range curves {
			values = append(values, curve[k])
		}
		mean, std := stat.MeanStdDev(values, nil)
		some = some || !math.IsNaN(mean)
		s.Mean, s.Std = append(s.Mean, mean), append(s.Std, std)
	}
	if !some {
		return nil
	}
	return &s
}
