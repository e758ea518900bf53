package karpathy

import "vlpx.internal/datasets"

// judgedSet is a Set of which people judged pairs.
type judgedSet struct{ *Set }

var _ datasets.Related = judgedSet{}

// Relation is what people said: an image's own captions are true of it, judged captions of other images are true or false, and so are
// those that a benchmark lists. What a query of [datasets.ECCV] does not list is false. Everything else is unknown.
func (s judgedSet) Relation() datasets.Relation { return judged{s.Set} }

// judged is the relation of a judged set.
type judged struct{ set *Set }

var _ datasets.Benchmarked = judged{}

// Holds implements datasets.Relation.
func (r judged) Holds(i, p int) (holds, known bool) {
	if r.set.imageOf(p) == i {
		return true, true
	}
	holds, known = r.set.judged[pair{i, p}]
	for _, a := range r.set.answers {
		listed, asked := a.Holds(i, p)
		holds = holds || listed
		// What CxC does not list nobody was asked of, mostly.
		known = known || listed || asked && a.benchmark == datasets.ECCV
	}
	return holds, known
}

// Answers implements datasets.Benchmarked.
func (r judged) Answers() map[datasets.Benchmark]datasets.Answers {
	all := map[datasets.Benchmark]datasets.Answers{}
	for _, a := range r.set.answers {
		all[a.benchmark] = a.Answers
	}
	return all
}
