package negative

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// FastCLIP is the global contrast whose loss is an anchor's mean exponential in the mini-batch over u, its average: at first order the
// logarithm of u (Wei et al., 2024; METHODS.md 9). The versions differ in the temperature:
//
//   - 0: the framework's, which learns by this loss.
//   - 1: constant.
//   - 2: one for each sample and kind of anchors, moved by Adam.
//   - 3: the framework's, which learns by the robust loss, in which Rho keeps it up.
type FastCLIP struct {
	Version int
	Gamma   float64 // weight of a mini-batch's estimate in the end, above 0 and up to 1; there is no default
	Decay   float64 // epochs over which it falls from 1 to Gamma, see [CosineGamma]
	// Temperature is version 1's, 0 for the framework's, and each sample's at first in version 2.
	Temperature float64 `json:",omitempty"`
	Rho         float64 `json:",omitempty"` // of versions 2 and 3, in nats
	Rate        float64 `json:",omitempty"` // at which version 2's temperatures move
}

// Bounds of version 2's temperatures, and its Adam (METHODS.md 9).
const (
	leastTemperature, mostTemperature = 0.01, 1
	temperatureBeta1                  = 0.9
	temperatureBeta2                  = 0.999
	temperatureClip                   = 5
)

// global is what the versions estimate.
func (c FastCLIP) global() global {
	return global{first: firstSample, relative: true, bounded: c.Version == 2, epsilon: 1e-14}
}

// Validate reports which value is out of its range.
func (c FastCLIP) Validate() error {
	if c.Version < 0 || c.Version > 3 {
		return fmt.Errorf("negative: FastCLIP's version %d; there are 0, 1, 2 and 3", c.Version)
	}
	if err := validAverage("FastCLIP", c.Gamma, c.Decay); err != nil {
		return err
	}
	if c.Version != 2 {
		return validConstant("FastCLIP", c.Temperature)
	}
	if !(c.Temperature >= leastTemperature && c.Temperature <= mostTemperature && c.Rate >= 0) {
		return fmt.Errorf("negative: FastCLIP-v2 with temperatures of %g at first, at a rate of %g; take one from %g to %d, and a rate "+
			"of 0 or more",
			c.Temperature, c.Rate, leastTemperature, mostTemperature)
	}
	return nil
}

// Reads implements Reading.
func (FastCLIP) Reads() []field.Name { return []field.Name{field.Index} }

// ListsNegatives implements Listing.
func (FastCLIP) ListsNegatives() {}

// Attracts implements Attracting.
func (FastCLIP) Attracts() {}

// Declare implements Stateful: u for each sample and kind of anchors, and in version 2 its bound, the temperature and Adam's moments.
func (c FastCLIP) Declare(state *model.Scope, run Start) error {
	var further map[string]float64
	if c.Version == 2 {
		further = map[string]float64{temperature: c.Temperature, slope: 0, variance: 0}
	}
	return c.global().declare(state, run, further)
}

// ITC implements Contrast. The temperatures of a step are those before it.
func (c FastCLIP) ITC(f Features) Contrasted {
	tau := f.Temperature
	if c.Version == 1 {
		tau = f.constant(c.Temperature)
	}
	kinds, estimates, taus := f.Anchors(), map[string]estimate{}, map[string]*Node{}
	gamma := CosineGamma(f.Progress, c.Gamma, c.Decay)
	loss := sides(kinds, func(a Anchors) *Node {
		taus[a.Of] = tau
		if c.Version == 2 {
			state, index := f.samples(a)
			taus[a.Of] = InsertAxes(SamplesOf(state, temperature, index).Get(), -1, -1)
		}
		e := c.global().of(f, a, taus[a.Of], gamma)
		estimates[a.Of] = e
		return Div(e.mean, c.global().divisor(e))
	})
	switch c.Version {
	case 2:
		for _, a := range kinds {
			c.move(f, a, estimates[a.Of])
		}
	case 3:
		robust := sides(kinds, func(a Anchors) *Node { return c.robust(f, estimates[a.Of]) })
		loss = Add(Mul(loss, StopGradient(tau)), Mul(tau, MulScalar(robust, 0.5)))
	}
	return f.contrasted(loss, func(a Anchors) *Node { return taus[a.Of] })
}

// robust is what version 3 has besides, over the temperature: Rho and the logarithm of u, of anchors that have negatives, [batch, views].
// GloFND's copy, which leaves negatives out, adds an epsilon to u.
func (c FastCLIP) robust(f Features, e estimate) *Node {
	u := MaxScalar(e.u, 1e-30)
	if f.Left != nil {
		u = c.global().divisor(e)
	}
	return Mul(e.has, AddScalar(Log(u), c.Rho))
}

// move changes version 2's temperatures of the mini-batch by Adam, whose betas are 0 in epoch 0.
func (c FastCLIP) move(f Features, a Anchors, e estimate) {
	state, index := f.samples(a)
	taus, means, variances := SamplesOf(state, temperature, index), SamplesOf(state, slope, index), SamplesOf(state, variance, index)
	epoch := Floor(f.Progress)
	begun := MinScalar(epoch, 1)
	step := adam{beta1: MulScalar(begun, temperatureBeta1), beta2: MulScalar(begun, temperatureBeta2), epsilon: 1e-8}
	gradient := ClipScalar(e.slope(c.global().divisor(e), c.Rho), -temperatureClip, temperatureClip)
	mean, variance, move := step.of(gradient, means.Get(), variances.Get(), epoch)
	means.Set(e.withNegatives(mean, means.Get()))
	variances.Set(e.withNegatives(variance, variances.Get()))
	moved := ClipScalar(Sub(taus.Get(), MulScalar(move, c.Rate)), leastTemperature, mostTemperature)
	taus.Set(e.withNegatives(moved, taus.Get()))
}

var fastCLIPv0 = Entry{
	Name:   "FastCLIP-v0",
	Source: "Wei et al., 2024; METHODS.md 9",
	What:   "moving averages that fade in, and a temperature that learns by them",
	At:     func(s Sizes) Method { return s.fastCLIP(0) },
}

var fastCLIPv1 = Entry{
	Name:   "FastCLIP-v1",
	Source: "Wei et al., 2024; METHODS.md 9",
	What:   "moving averages that fade in, at a constant temperature",
	At:     func(s Sizes) Method { return s.fastCLIP(1) },
}

var fastCLIPv2 = Entry{
	Name:   "FastCLIP-v2",
	Source: "Wei et al., 2024; METHODS.md 9",
	What:   "moving averages that fade in, and a temperature for each anchor",
	At:     func(s Sizes) Method { return s.fastCLIP(2) },
}

var fastCLIPv3 = Entry{
	Name:    "FastCLIP-v3",
	Aliases: []string{"FastCLIP"},
	Source:  "Wei et al., 2024; METHODS.md 9",
	What:    "moving averages that fade in, and a temperature that learns by a robust loss",
	At:      func(s Sizes) Method { return s.fastCLIP(3) },
}

func (s Sizes) fastCLIP(version int) Method {
	g := s.Global
	c := FastCLIP{Version: version, Gamma: g.Faded, Decay: math.Ceil(g.Fading * float64(s.Epochs))}
	switch version {
	case 1:
		c.Temperature = g.Temperature
	case 2:
		c.Temperature, c.Rho, c.Rate = s.first(), g.FastCLIP2.Rho, g.FastCLIP2.Rate
	case 3:
		c.Rho = g.Rho
	}
	return contrasting(c)
}
