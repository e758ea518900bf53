package eval

import (
	"fmt"
	"math"
	"slices"
)

// direction is a place in directions: images ask for their captions, or captions for their images.
type direction int

var directions = [2]struct{ name, heading string }{{"TR", TextRetrieval}, {"IR", ImageRetrieval}}

// cutoffs are the K of R@K, in each view that has recalls.
var cutoffs = []int{1, 5, 10}

// measure is a number that each query gives by how its right candidates rank. The mean over the queries of a direction is a metric. The
// entry of a measure in a view is all that a metric needs: its names, unit and headings follow from it, and so do its values by cosine and
// re-ranked, and the queries' own numbers for intervals.
type measure struct {
	name, column string    // behind TR or IR, such as "@1"; below the direction's heading, such as "R@1"
	unit         string    // "%" for a share from 0 to 1
	lower        bool      // lower is better
	what         [2]string // of images that ask, and of captions that ask
	// One of two: by the rank, from 1, of the best right candidate; or by the ranks of all right ones, ascending.
	best func(rank int) float64
	all  func(ranks []int) float64
}

// view is a choice of the candidates that are right for a query.
type view struct {
	name, column string                          // behind the names and the columns of its recalls
	recall       func(d direction, k int) string // what R@k is; nil for a view without recalls
	others       []measure
}

// The views of a ranking, in the order of tables.
var (
	ownView = &view{recall: counting("images with one of their captions", "captions with their image"),
		others: []measure{{name: " rank", column: "mean rank", lower: true, best: func(rank int) float64 { return float64(rank) },
			what: [2]string{"mean over images of the rank of their best caption, from 1",
				"mean over captions of the rank of their image, from 1"}}}}
	// Its rank is the place of the best own candidate among the wrong ones that score exactly as high.
	tiedView = &view{name: " tied",
		others: []measure{{name: " tied", column: "tied", unit: "%", lower: true, best: behind(1),
			what: [2]string{"images whose best caption scores exactly as high as another image's, and ranks behind it",
				"captions whose image scores exactly as high as another image, and ranks behind it"}}}}
	trueView = &view{name: " true", column: ", all true",
		recall: counting("images with a caption that is true of them", "captions with an image they are true of"),
		others: []measure{{name: " mAP", column: "mAP", unit: "%", all: func(ranks []int) float64 { return precision(ranks, math.MaxInt) },
			what: [2]string{"mean average precision over all captions true of an image",
				"mean average precision over all images a caption is true of"}}}}
	falseView = &view{name: " false",
		others: []measure{{name: "@1 false", column: "R@1, against false", unit: "%", best: within(1),
			what: [2]string{"images whose best caption outranks every caption false of them",
				"captions whose image outranks every image they are false of"}}}}
	precisionView = &view{name: " ECCV", others: []measure{
		{name: " mAP@R", column: "mAP@R", unit: "%", all: func(ranks []int) float64 { return precision(ranks, len(ranks)) },
			what: [2]string{"image queries of ECCV with R listed captions: mean average precision down to place R",
				"caption queries of ECCV with R listed images: mean average precision down to place R"}},
		{name: " R-Precision", column: "R-Precision", unit: "%", all: rPrecision,
			what: [2]string{"image queries of ECCV with R listed captions: share of these among the first R",
				"caption queries of ECCV with R listed images: share of these among the first R"}}}}
	eccvView = &view{name: " ECCV", column: ", ECCV",
		recall: counting("image queries of ECCV with a listed caption", "caption queries of ECCV with a listed image")}
	cxcView = &view{name: " CxC", column: ", CxC",
		recall: counting("image queries of CxC with a listed caption", "caption queries of CxC with a listed image")}
	foldView = &view{name: " 1K", column: ", 1K", recall: func(d direction, k int) string {
		return fmt.Sprintf("%s@%d among 1,000 images and their captions, mean over the folds of the split", directions[d].name, k)
	}}

	views = []*view{ownView, tiedView, trueView, falseView, precisionView, eccvView, cxcView, foldView}
)

// sums are metrics of the six recalls of own captions, whatever other cutoffs there are: the sum of these over a number.
var sums = []struct {
	Info
	of   [][]Metric // by direction
	over float64
}{
	{Info{TRMean, directions[0].heading, "mean", "%", false, "mean of TR@1, TR@5 and TR@10"}, [][]Metric{{TR1, TR5, TR10}}, 3},
	{Info{IRMean, directions[1].heading, "mean", "%", false, "mean of IR@1, IR@5 and IR@10"}, [][]Metric{{IR1, IR5, IR10}}, 3},
	{Info{RMean, BothRetrievals, "mean", "%", false, "mean of the six recalls"}, [][]Metric{{TR1, TR5, TR10}, {IR1, IR5, IR10}}, 6},
	{Info{RSum, BothRetrievals, "RSum", "", false, "sum of the six recalls"}, [][]Metric{{TR1, TR5, TR10}, {IR1, IR5, IR10}}, 1},
}

// rankingMetrics lists the metrics of all views.
func rankingMetrics() []Info {
	var all []Info
	for _, v := range views {
		all = append(all, infos(v.recalls())...)
		if v == ownView {
			for _, s := range sums {
				all = append(all, s.Info)
			}
		}
		for _, m := range v.others {
			all = append(all, infos([]measure{m})...)
		}
	}
	return all
}

// infos describes measures, first those of images that ask.
func infos(of []measure) []Info {
	var all []Info
	for d, asks := range directions {
		for _, m := range of {
			all = append(all, Info{m.metric(direction(d)), asks.heading, m.column, m.unit, m.lower, m.what[d]})
		}
	}
	return all
}

// counting says what R@k is by the queries that count.
func counting(images, captions string) func(direction, int) string {
	return func(d direction, k int) string {
		place := "ranked first"
		if k > 1 {
			place = fmt.Sprintf("among the first %d", k)
		}
		return [2]string{images, captions}[d] + " " + place
	}
}

// recalls are the measures R@K of a view.
func (v *view) recalls() []measure {
	var all []measure
	for _, k := range cutoffs {
		if v.recall != nil {
			all = append(all, measure{name: fmt.Sprintf("@%d%s", k, v.name), column: fmt.Sprintf("R@%d%s", k, v.column), unit: "%",
				what: [2]string{v.recall(0, k), v.recall(1, k)}, best: within(k)})
		}
	}
	return all
}

// measures are all of a view.
func (v *view) measures() []measure { return append(v.recalls(), v.others...) }

// needsAll reports whether a measure needs more than the best rank.
func (v *view) needsAll() bool {
	return slices.ContainsFunc(v.others, func(m measure) bool { return m.all != nil })
}

// add adds the metrics of a direction to a result, by the ranks of each query's right candidates: all ranks, or the best ones where no
// measure needs more. It returns the queries' own numbers as [Items] has them. Without queries there is no metric.
func (v *view) add(r Result, d direction, queries [][]int) map[Metric][]int {
	lists := map[Metric][]int{}
	if len(queries) == 0 {
		return lists
	}
	for _, m := range v.measures() {
		var total float64
		list := make([]int, len(queries))
		for q, ranks := range queries {
			if m.best != nil {
				total, list[q] = total+m.best(ranks[0]), ranks[0]
			} else {
				x := m.all(ranks)
				total, list[q] = total+x, inMillionths(x)
			}
		}
		r[m.metric(d)], lists[v.list(m, d)] = m.scale()*total/float64(len(queries)), list
	}
	return lists
}

// list names the list of [Items] that a measure's numbers are in: ranks, or what queries give, in millionths.
func (v *view) list(m measure, d direction) Metric {
	if m.best != nil {
		return Metric(directions[d].name + " rank" + v.name)
	}
	return m.metric(d)
}

// adds is what an entry of that list adds to the metric over a number.
func (m measure) adds(entry int, over float64) float64 {
	if m.best != nil {
		return m.scale() / over * m.best(entry)
	}
	return m.scale() / over * float64(entry) / millionths
}

func (m measure) metric(d direction) Metric { return Metric(directions[d].name + m.name) }

// scale is a query's largest number in the metric's unit.
func (m measure) scale() float64 {
	if m.unit == "%" {
		return 100
	}
	return 1
}

// within is 1 for a rank among the first k.
func within(k int) func(rank int) float64 {
	return func(rank int) float64 {
		if rank <= k {
			return 1
		}
		return 0
	}
}

// behind is 1 for a rank that is not among the first k.
func behind(k int) func(rank int) float64 {
	return func(rank int) float64 { return 1 - within(k)(rank) }
}

// precision is the mean over the right candidates of the precision down to each; 0 for those behind a place.
func precision(ranks []int, place int) float64 {
	var p float64
	for k, rank := range ranks {
		if rank <= place {
			p += float64(k+1) / float64(rank) / float64(len(ranks))
		}
	}
	return p
}

// rPrecision is the share of the R right candidates among the first R.
func rPrecision(ranks []int) float64 {
	first := 0
	for _, rank := range ranks {
		if rank <= len(ranks) {
			first++
		}
	}
	return float64(first) / float64(len(ranks))
}
