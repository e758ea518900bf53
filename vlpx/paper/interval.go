package paper

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/run"
)

// bootstraps has the resamples of test images by the number of images, so that all rows and claims of a report have the same.
type bootstraps map[int]*evidence.Bootstrap

// over is the interval over test images of the mean of shares; nil without any. An image is drawn with all of its captions, since these
// are no independent queries.
func (b bootstraps) over(shares []eval.Share) *[2]float64 {
	if len(shares) == 0 {
		return nil
	}
	images := len(shares[0].Sums)
	if b[images] == nil {
		b[images] = evidence.NewBootstrap(images)
	}
	low, high := b[images].Interval(func(times []float64) float64 {
		metric := 0.
		for _, s := range shares {
			metric += floats.Dot(times, s.Sums) / floats.Dot(times, s.Queries)
		}
		return metric
	})
	return &[2]float64{low, high}
}

// shares are what the test images add to the column's mean over results; nil unless each result has items of the same images, and
// where the column is not of test queries.
func (c Column) shares(results []run.Result) []eval.Share {
	if c.Validation || len(results) == 0 {
		return nil
	}
	var mean []eval.Share
	var captions eval.Numbers // of the first result's images
	for k, result := range results {
		items := eval.QueryItems.Of(result.Examples)
		if items == nil || k > 0 && !slices.Equal(items.Captions, captions) {
			return nil
		}
		shares := items.Shares(c.Metric)
		if len(shares) == 0 {
			return nil
		}
		if k == 0 {
			mean, captions = shares, items.Captions
			continue
		}
		for d, s := range shares {
			floats.Add(mean[d].Sums, s.Sums)
		}
	}
	for _, s := range mean {
		floats.Scale(1/float64(len(results)), s.Sums)
	}
	return mean
}

// difference is the interval over test images of what a claim compares: of the rows' means over results that of the second taken from the
// first, and where there are four, the third from the first and the fourth from the second before. It is nil where a row has no shares or
// the test images differ in number. Rows with test images of their own, as at another density, are as good as drawn apart: what is
// drawn together has nothing in common.
func (b bootstraps) difference(c Column, rows [][]run.Result) *[2]float64 {
	var all []eval.Share
	for k, results := range rows {
		shares := c.shares(results)
		if shares == nil || k > 0 && len(shares[0].Sums) != len(all[0].Sums) {
			return nil
		}
		if k == 1 || k == 2 {
			for _, s := range shares {
				floats.Scale(-1, s.Sums)
			}
		}
		all = append(all, shares...)
	}
	return b.over(all)
}

// intervalNote tells how far other test images would move the means, at most of the rows that were asked for; empty without runs.
func (r *Report) intervalNote() string {
	told, group, older := "", "", 0
	for _, c := range r.Shown() {
		widest := -1.
		for i, row := range r.Rows {
			if s := row.Metrics[c.Key()]; r.Plan.Requested[i] && s.Interval != nil {
				widest = max(widest, (s.Interval[1]-s.Interval[0])/2)
			}
		}
		if widest < 0 {
			continue
		}
		name, separator := c.Name, ", "
		if c.Group != group {
			name, separator = strings.TrimSpace(c.Group+" "+name), "; "
		}
		group = c.Group
		told += fmt.Sprintf("%s%s ±%.1f", separator, name, widest)
	}
	for _, row := range r.Rows {
		for _, result := range row.Results {
			if eval.QueryItems.Of(result.Examples) == nil && retrieves(result) {
				older++
			}
		}
	}
	note := ""
	if told != "" {
		note = fmt.Sprintf(" Other test images would move a mean by, at most of the rows (half of a 95 %% bootstrap interval, images "+
			"with their captions "+
			"drawn together): %s.", strings.TrimLeft(told, ",; "))
	}
	if older > 0 {
		note += fmt.Sprintf(" Results of older versions, which do not tell what each test query gave, so that their rows have no such "+
			"interval: %d.", older)
	}
	return note
}

// retrieves tells whether a result is of retrieval, whose queries can tell what each gave.
func retrieves(r run.Result) bool {
	_, matched := r.Metrics[string(eval.IR1)]
	_, cosine := r.Metrics[eval.CosinePrefix+string(eval.IR1)]
	return matched || cosine
}
