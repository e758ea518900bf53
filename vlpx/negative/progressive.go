package negative

// Progressive is GRIT-VLP's grouping with a quantile of hardness that moves linearly from epoch 1, the first grouped one, to
// the last (FALCON, section 4.1 and appendix C.3): Progressive-Hardening where From < To, Progressive-Softening where
// From > To. The published text has lost the ranges.
type Progressive struct {
	From        float64 // quantile of epoch 1, in [0, 1]
	To          float64 // quantile of the last epoch, in [0, 1]; a run of two epochs stays at From
	SearchSpace int     // as in Grouped
	Queue       int     // as in Grouped
	Readmit     bool    `json:",omitempty"` // as in Grouped
}

// Sized implements [Sized].
func (p Progressive) Sized(s Sizes) any {
	s.group(&p.SearchSpace, &p.Queue)
	return p
}

// Start returns the sampler of a run; the sizes must fit as in Grouped.
func (p Progressive) Start(run Start) (Sampler, error) {
	for _, q := range []float64{p.From, p.To} {
		if err := checkQuantile(q); err != nil {
			return nil, err
		}
	}
	g := Grouped{SearchSpace: p.SearchSpace, Queue: p.Queue, Readmit: p.Readmit}
	return g.start(run, func(epoch int) float64 { return p.at(epoch, run.Epochs) })
}

// at is the quantile of an epoch from 1 on.
func (p Progressive) at(epoch, epochs int) float64 {
	if epochs <= 2 {
		return p.From
	}
	done := float64(epoch-1) / float64(epochs-2)
	return p.From*(1-done) + p.To*done
}

// ProgressiveQuantile is GRIT-VLP's grouping at a level of hardness that moves from one quantile to another over training:
// Progressive-Hardening where it rises, Progressive-Softening where it falls (FALCON, section 4.1).
func ProgressiveQuantile(name string, from, to float64, searchSpace, queue int) Method {
	return grit(name, Progressive{From: from, To: to, SearchSpace: searchSpace, Queue: queue})
}

var hardening = Entry{
	Name:    "Progressive-Hardening",
	Aliases: []string{"Hardening"},
	Source:  "FALCON, section 4.1; METHODS.md 14",
	What:    "mini-batches of pairs that become more similar over training",
	At: func(s Sizes) Method {
		return ProgressiveQuantile("Progressive-Hardening", s.Soft, 1, s.SearchSpace, s.GroupQueue)
	},
}

var softening = Entry{
	Name:    "Progressive-Softening",
	Aliases: []string{"Softening"},
	Source:  "FALCON, section 4.1; METHODS.md 14",
	What:    "mini-batches of pairs that become less similar over training",
	At: func(s Sizes) Method {
		return ProgressiveQuantile("Progressive-Softening", 1, s.Soft, s.SearchSpace, s.GroupQueue)
	},
}
