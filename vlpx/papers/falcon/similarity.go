package falcon

import (
	"slices"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/train"
)

// figure5 shows the similarities that the scheduler adds to one hardness (FALCON, Figure 5).
var figure5 = paper.Artifact{
	ID:      "falcon/figure5",
	Title:   "Distributions of I2T and T2I similarities over training",
	Gallery: true,
	Look: "Whether the two have like scales, which is why FALCON adds them: if one were much wider than the other, it alone would " +
		"decide which pairs are hard.",
	Rows:   []plan.Row{plan.MethodRow("FALCON")},
	Table:  similarityTable,
	Figure: similarityFigure,
}

// similarityTable tells where the similarities lie, over all seeds.
func similarityTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("Cosines between the pairs of some anchors and all others, by the embeddings of the epoch: mean ± " +
		"standard deviation, from histograms. The first epoch is not scheduled.")
	t.Heading = "epoch"
	t.Columns = []tables.Column{{Name: "I2T", Format: "%.3f"}, {Name: "T2I", Format: "%.3f"}}
	t.Rows = r.Rows[0].Unfinished()
	for _, record := range measuredEpochs(paper.Pooled(r.Rows[0].Results)) {
		t.Rows = append(t.Rows, tables.Row{Name: paper.EpochNumber(record), Cells: []tables.Cell{
			{paper.SpreadOf(histogram(record.Observed.Scheduling().I2T).moments())},
			{paper.SpreadOf(histogram(record.Observed.Scheduling().T2I).moments())},
		}})
	}
	return t, nil
}

// similarityFigure has a panel for each direction, of the first seed, over the same cosines.
func similarityFigure(r *paper.Report) (plots.Drawing, error) {
	epochs := paper.SomeEpochs(measuredEpochs(r.FirstSeed()))
	if len(epochs) == 0 {
		return nil, nil
	}
	i2t := plots.Lines{Title: "Image to text (I2T)", XLabel: "cosine", YLabel: "density", Ordered: true}
	t2i := plots.Lines{Title: "Text to image (T2I)", XLabel: "cosine", YLabel: "density", Ordered: true}
	first, past := populated(epochs)
	for _, record := range epochs {
		name := "epoch " + paper.EpochNumber(record)
		i2t.Series = append(i2t.Series, histogram(record.Observed.Scheduling().I2T).series(name, first, past))
		t2i.Series = append(t2i.Series, histogram(record.Observed.Scheduling().T2I).series(name, first, past))
	}
	f := r.NewFigure(r.FirstSeedOnly())
	f.Panels, f.SameRange = []plots.Panel{i2t, t2i}, true
	return f, nil
}

// measuredEpochs are the epochs with similarities; of an epoch that is not scheduled, too.
func measuredEpochs(epochs []train.Record) []train.Record {
	var measured []train.Record
	for _, record := range epochs {
		if s := record.Observed.Scheduling(); s != nil && histogram(s.I2T).moments().N > 0 && histogram(s.T2I).moments().N > 0 {
			measured = append(measured, record)
		}
	}
	return measured
}

// populated is the range [first, past) of bins that hold at least a thousandth of the cosines in some epoch and direction, with
// a bin more on either side.
func populated(epochs []train.Record) (first, past int) {
	var bins []int
	for _, record := range epochs {
		for _, h := range []histogram{record.Observed.Scheduling().I2T, record.Observed.Scheduling().T2I} {
			total := h.moments().N
			for bin, n := range h {
				if 1000*n >= total {
					bins = append(bins, max(0, bin-1), min(bin+2, len(h)))
				}
			}
		}
	}
	return slices.Min(bins), slices.Max(bins)
}

// histogram counts cosines in bins of equal width from -1 to 1.
type histogram []int

func (h histogram) width() float64 { return 2 / float64(len(h)) }

// cosine is the middle of a bin.
func (h histogram) cosine(bin int) float64 { return -1 + (float64(bin)+0.5)*h.width() }

// moments take every cosine for the middle of its bin.
func (h histogram) moments() negative.Moments {
	var m negative.Moments
	for bin, n := range h {
		m.Merge(negative.Moments{N: n, Mean: h.cosine(bin)})
	}
	return m
}

// series is the density, which integrates to one over all bins, from bin first up to past.
func (h histogram) series(name string, first, past int) plots.Series {
	s := plots.Series{Name: name}
	total := float64(h.moments().N)
	for bin := first; bin < past; bin++ {
		s.X = append(s.X, h.cosine(bin))
		s.Mean = append(s.Mean, float64(h[bin])/total/h.width())
	}
	return s
}
