package negative

// FixedQuantile is GRIT-VLP's grouping with another quantile of hardness than 1 (FALCON, appendix C.3): each hop of a chain
// takes the entry at that quantile of the anchor's similarities to the remaining entries. 0 takes the least similar. The
// quantile is among the remaining entries, so a search space gives all of its pairs at any quantile.
type FixedQuantile struct {
	Quantile    float64 // in [0, 1]
	SearchSpace int     // as in Grouped
	Queue       int     // as in Grouped
	Readmit     bool    `json:",omitempty"` // as in Grouped
}

// Sized implements [Sized].
func (f FixedQuantile) Sized(s Sizes) any {
	s.group(&f.SearchSpace, &f.Queue)
	return f
}

// Start returns the sampler of a run; the sizes must fit as in Grouped.
func (f FixedQuantile) Start(run Start) (Sampler, error) {
	if err := checkQuantile(f.Quantile); err != nil {
		return nil, err
	}
	g := Grouped{SearchSpace: f.SearchSpace, Queue: f.Queue, Readmit: f.Readmit}
	return g.start(run, func(int) float64 { return f.Quantile })
}

// Quantile is GRIT-VLP's grouping at one fixed level of hardness (FALCON, appendix C.3).
func Quantile(name string, quantile float64, searchSpace, queue int) Method {
	return grit(name, FixedQuantile{Quantile: quantile, SearchSpace: searchSpace, Queue: queue})
}

var easyQuantile = Entry{
	Name:   "Easy quantile",
	Source: "FALCON, section 4.1; METHODS.md 14",
	What:   "mini-batches of pairs of low similarity",
	At:     func(s Sizes) Method { return Quantile("Easy quantile", s.Easy, s.SearchSpace, s.GroupQueue) },
}

var hardQuantile = Entry{
	Name:   "Hard quantile",
	Source: "FALCON, section 4.1; METHODS.md 14",
	What:   "mini-batches of similar pairs, but not of the most similar",
	At:     func(s Sizes) Method { return Quantile("Hard quantile", s.Hard, s.SearchSpace, s.GroupQueue) },
}
