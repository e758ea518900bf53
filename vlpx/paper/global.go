package paper

import (
	"cmp"
	"math"

	"vlpx.internal/vlpx/negative"
)

// Global are the settings of the contrasts that set an anchor against its negatives in the whole data, and of the negatives that are left out
// (METHODS.md 7 to 10).
type Global struct {
	Gamma float64 // weight of a mini-batch's estimate in SogCLR and iSogCLR
	// Fading is the share of the epochs over which FastCLIP's weight falls from 1 to Faded.
	Fading, Faded float64
	// Temperature is SogCLR's and FastCLIP-v1's constant, and every anchor's at first in iSogCLR and FastCLIP-v2; 0 for the framework's.
	Temperature float64
	Individual  Individual // iSogCLR's temperatures; Least and Most are its alone
	FastCLIP2   FastCLIP2
	Rho         float64 // of FastCLIP-v3
	Alpha       float64 // share of an anchor's negatives that GloFND and FNC take for false
	Begin       float64 // share of the epochs after which negatives are left out
	FromBatch   bool    // GloFND's thresholds begin with the mini-batch's quantile
}

// Individual are the settings of iSogCLR's temperatures.
type Individual struct {
	Least, Most, Rho, Rate float64
}

// FastCLIP2 are the settings of FastCLIP-v2's temperatures.
type FastCLIP2 struct {
	Rho, Rate float64
}

// publishedGlobal are those for images and captions on CC3M, of 37 epochs: SogCLR's and iSogCLR's of iSogCLR's authors, GloFND's with a
// constant temperature (METHODS.md 7 to 10).
func publishedGlobal() Global {
	return Global{
		Gamma: 0.8, Fading: 18. / 37, Faded: 0.2, Temperature: 0.03,
		Individual: Individual{Least: 0.005, Most: 1, Rho: 6, Rate: 0.03}, FastCLIP2: FastCLIP2{Rho: 7, Rate: 0.0133}, Rho: 6.5,
		Alpha: 5e-4, Begin: 15. / 37,
	}
}

// first is the temperature that every anchor has at first.
func (s Scale) first() float64 {
	return cmp.Or(s.Global.Temperature, s.Temperature, publishedTemperature)
}

// begin is the epoch from which negatives are left out.
func (g Global) begin(epochs int) float64 { return math.Floor(g.Begin * float64(epochs)) }

// sogCLR is SogCLR at this scale, with the plain matching.
func (s Scale) sogCLR() negative.Method {
	return s.globally(negative.SogCLR{Gamma: s.Global.Gamma, Temperature: s.Global.Temperature})
}

func (s Scale) iSogCLR() negative.Contrast {
	g := s.Global
	return negative.ISogCLR{Gamma: g.Gamma, Temperature: s.first(), Least: g.Individual.Least, Most: g.Individual.Most,
		Rho: g.Individual.Rho, Rate: g.Individual.Rate, Beta: 0.9}
}

func (s Scale) fastCLIP(version int) negative.Contrast {
	g := s.Global
	c := negative.FastCLIP{Version: version, Gamma: g.Faded, Decay: math.Ceil(g.Fading * float64(s.Epochs))}
	switch version {
	case 1:
		c.Temperature = g.Temperature
	case 2:
		c.Temperature, c.Rho, c.Rate = s.first(), g.FastCLIP2.Rho, g.FastCLIP2.Rate
	case 3:
		c.Rho = g.Rho
	}
	return c
}

func (s Scale) thresholds() negative.LeftOut {
	return negative.Thresholds{Alpha: s.Global.Alpha, Learn: s.Global.begin(s.Epochs), FromBatch: s.Global.FromBatch}
}

func (s Scale) batchQuantile() negative.LeftOut {
	return negative.BatchQuantile{Alpha: s.Global.Alpha, Use: s.Global.begin(s.Epochs)}
}

// globally is a method that differs from the plain one in its contrast.
func (s Scale) globally(c negative.Contrast) negative.Method {
	return negative.Method{Contrast: c}.WithDefaults()
}

// without is SogCLR that leaves negatives out.
func (s Scale) without(l negative.LeftOut) negative.Method {
	m := s.sogCLR()
	m.LeftOut = l
	return m
}
