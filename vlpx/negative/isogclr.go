package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// ISogCLR is SogCLR with a temperature for each sample and kind of anchors, which moves against its gradient in a distributionally robust
// loss: the temperature falls where the negatives are alike, and rises where some stand out (Qiu et al., 2023; METHODS.md 8).
type ISogCLR struct {
	Gamma float64 // as in SogCLR
	Decay float64 `json:",omitempty"` // as in SogCLR
	// Temperature is every sample's at first; Least and Most bound it.
	Temperature, Least, Most float64
	Rho                      float64 // how far from uniform an anchor's weights may be, in nats
	Rate                     float64 // at which temperatures move
	// Beta is the weight of the newest gradient in the mean by which a temperature moves, 0.9 in the published codes.
	Beta float64
	// As is the code that is followed.
	As Code `json:",omitempty"`
}

// form is that of views or of images and captions, and the bound of a temperature's gradient, 0 for none.
func (c ISogCLR) form(views bool) (of form, clip float64) {
	switch {
	case c.As == ByLibAUC:
		return SogCLR{As: ByLibAUC}.form(views), 0
	case views:
		return form{global: global{first: firstEpoch}}, 3
	}
	return SogCLR{As: ByISogCLR}.form(views), 5
}

// Validate reports which value is out of its range.
func (c ISogCLR) Validate() error {
	if err := validAverage("iSogCLR", c.Gamma, c.Decay); err != nil {
		return err
	}
	if err := c.As.valid(); err != nil {
		return err
	}
	if !(c.Least > 0 && c.Least <= c.Temperature && c.Temperature <= c.Most) {
		return fmt.Errorf("negative: iSogCLR with temperatures of %g at first, from %g to %g; take bounds above 0 around the first",
			c.Temperature, c.Least, c.Most)
	}
	if !(c.Rate >= 0 && c.Beta > 0 && c.Beta <= 1) {
		return fmt.Errorf("negative: iSogCLR with temperatures at a rate of %g and Beta %g; take a rate of 0 or more, and Beta above 0 "+
			"and up to 1", c.Rate, c.Beta)
	}
	return nil
}

// Reads implements Reading.
func (ISogCLR) Reads() []field.Name { return []field.Name{field.Index} }

// ListsNegatives implements Listing.
func (ISogCLR) ListsNegatives() {}

// Attracts implements Attracting.
func (ISogCLR) Attracts() {}

// Declare implements Stateful: as SogCLR's, and for each sample and kind of anchors a temperature and the mean of its gradients.
func (c ISogCLR) Declare(state *model.Scope, run Start) error {
	of, _ := c.form(run.ofViews())
	return of.declare(state, run, map[string]float64{temperature: c.Temperature, slope: 0})
}

// ITC implements Contrast. The temperatures of a step are those before it.
func (c ISogCLR) ITC(f Features) Contrasted {
	of, clip := c.form(f.Views)
	gamma, before := CosineGamma(f.Progress, c.Gamma, c.Decay), map[string]*Node{}
	loss := of.loss(f.Anchors(), func(a Anchors) estimate {
		state, index := f.samples(a)
		taus, slopes := SamplesOf(state, temperature, index), SamplesOf(state, slope, index)
		tau := InsertAxes(taus.Get(), -1, -1)
		before[a.Of] = tau
		e := of.of(f, a, tau, gamma)
		gradient := e.slope(e.u, c.Rho)
		if clip > 0 {
			gradient = ClipScalar(gradient, -clip, clip)
		}
		mean := e.withNegatives(Add(MulScalar(slopes.Get(), 1-c.Beta), MulScalar(gradient, c.Beta)), slopes.Get())
		slopes.Set(mean)
		taus.Set(e.withNegatives(ClipScalar(Sub(taus.Get(), MulScalar(mean, c.Rate)), c.Least, c.Most), taus.Get()))
		return e
	})
	return f.contrasted(loss, func(a Anchors) *Node { return before[a.Of] })
}

// slope is the gradient of a robust loss by the samples' temperatures, the mean over their views, without gradient, [batch]; 0 for a sample
// that has no negatives (METHODS.md 8.1).
//
//   - u: the average under the logarithm, [batch, views].
func (e estimate) slope(u *Node, rho float64) *Node {
	log := Add(Log(MaxScalar(u, 1e-30)), InsertAxes(e.b, -1))
	return StopGradient(e.meanOfViews(Sub(AddScalar(log, rho), e.weighed(e.exponent)), ZerosLike(e.b)))
}

var iSogCLR = Entry{
	Name:   "iSogCLR",
	Source: "Qiu et al., 2023; METHODS.md 8",
	What:   "SogCLR with a temperature of its own for each anchor",
	At: func(s Sizes) Method {
		of := s.Global.Individual
		return contrasting(ISogCLR{Gamma: s.Global.Gamma, Temperature: s.first(), Least: of.Least, Most: of.Most, Rho: of.Rho,
			Rate: of.Rate, Beta: 0.9})
	},
}
