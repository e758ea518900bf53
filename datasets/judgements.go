package datasets

// WithJudgements is a set with what people said of further pairs: whether the caption of a pair, an index into [Pairs], is true of an
// image. What they said goes before what else the relation knows of a pair; an image's own captions stay true of it. Where the set's
// relation is not known, its equal captions tell the rest (see [WithEqualCaptions]).
//
//   - said: by image and pair.
func WithJudgements(s Set, said map[[2]int]bool) Set {
	s = WithEqualCaptions(s)
	r := judged{said: said}
	for _, p := range Pairs(s) {
		r.own = append(r.own, p.Image)
	}
	if related, ok := s.(Related); ok {
		r.before = related.Relation()
	}
	view := judging{s}
	if b, ok := r.before.(Benchmarked); ok {
		return carry(view, judgedRelated{judgedBenchmarked{r, b}}, s)
	}
	return carry(view, judgedRelated{r}, s)
}

// judging has the images and captions of a set.
type judging struct{ Set }

func (j judging) whole() Set { return j.Set }

// Shards are the set's.
func (j judging) Shards() []int { return shards(j.Set) }

type judgedRelated struct{ relation Relation }

// Relation is what people said, and what was known before.
func (j judgedRelated) Relation() Relation { return j.relation }

// judged is the relation by what people said.
type judged struct {
	own    []int // image of each pair
	said   map[[2]int]bool
	before Relation // nil where nothing was known
}

// Holds implements Relation.
func (j judged) Holds(i, p int) (holds, known bool) {
	if j.own[p] == i {
		return true, true
	}
	if holds, known = j.said[[2]int{i, p}]; known || j.before == nil {
		return holds, known
	}
	return j.before.Holds(i, p)
}

// judgedBenchmarked is judged on a set with answers of benchmarks, which stay what they are.
type judgedBenchmarked struct {
	judged
	answered Benchmarked
}

// Answers implements Benchmarked.
func (j judgedBenchmarked) Answers() map[Benchmark]Answers { return j.answered.Answers() }
