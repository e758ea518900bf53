package glofnd

import (
	"fmt"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// lambda compares learned thresholds with what they estimate (GloFND, section 4.3 (ii) and (iii)).
var lambda = paper.Artifact{
	ID:    "glofnd/lambda",
	Title: "Learned thresholds against the exact quantile and FNC's",
	Look: "Whether thresholds differ between anchors, which one threshold for all could not follow, and whether the learned ones lie " +
		"nearer to the exact quantile than those of single mini-batches.",
	Note: "The quantile is over all other training images, of one view each as in evaluation, the paper's over 100,000 samples; it " +
		"reports an MAE of 0.1 and an RMSE of 0.13 of the learned thresholds, 0.21 and 0.28 of FNC's. A row's network has both: what it " +
		"learned, and what mini-batches would give.",
	Data:    images,
	Rows:    numbered([]plan.Row{unimodal("GloFND").As(sogCLRGloFND)}, []float64{0.1, 0.13, 0.21, 0.28}),
	Columns: errorColumns(),
	Unstated: []paper.Unstated{
		{What: "learned thresholds have less than half the error of FNC's", Source: "section 4.3", Why: "both are columns of one row"},
		{What: "thresholds lie between 0.1 and 0.6", Source: "section 4.3", Why: paper.DrawnOnly},
	},
	Table:  paper.Comparison,
	Figure: lambdaFigure,
}

// errorColumns are the errors of the thresholds of images.
func errorColumns() []paper.Column {
	mae, rmse, batchMAE, batchRMSE := eval.ThresholdMetrics(negative.ImageAnchors)
	return []paper.Column{
		{Group: "Learned", Name: "MAE", Metric: string(mae), Lower: true},
		{Group: "Learned", Name: "RMSE", Metric: string(rmse), Lower: true},
		{Group: "In a mini-batch", Name: "MAE", Metric: string(batchMAE), Lower: true},
		{Group: "In a mini-batch", Name: "RMSE", Metric: string(batchRMSE), Lower: true},
	}
}

// lambdaFigure has the distributions of the first seed.
func lambdaFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure(r.FirstSeedOnly(), "Shares of the anchors, of mini-batches all that were drawn.")
	for _, row := range r.Rows {
		if len(row.Results) == 0 {
			continue
		}
		for _, bins := range eval.ThresholdHistograms.Of(row.Results[0].Examples) {
			f.Panels = append(f.Panels, histograms(fmt.Sprintf("%s: anchors are %ss", row.Name, bins.Anchors), bins))
		}
	}
	return paper.Drawn(f)
}

// histograms are the distributions of thresholds as curves, shares a bin.
func histograms(title string, b eval.ThresholdBins) plots.Lines {
	l := plots.Lines{Title: title, XLabel: "threshold (cosine)", YLabel: "share (%)"}
	for _, h := range []struct {
		name   string
		counts []int
	}{{"learned", b.Learned}, {"exact quantile", b.Exact}, {"in a mini-batch", b.InBatch}} {
		all := 0
		for _, n := range h.counts {
			all += n
		}
		if all == 0 {
			continue
		}
		s := plots.Series{Name: h.name}
		for k, n := range h.counts {
			s.X = append(s.X, b.Low+(float64(k)+.5)*(b.High-b.Low)/float64(len(h.counts)))
			s.Mean = append(s.Mean, 100*float64(n)/float64(all))
		}
		l.Series = append(l.Series, s)
	}
	return l
}
