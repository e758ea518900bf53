package negative

import (
	"cmp"
	"math"
)

// Sizes are what a scale gives the methods.
type Sizes struct {
	Epochs                  int
	SearchSpace, GroupQueue int     // of the grouped samplers, in pairs
	MomentumQueue           int     // of ALBEF, in pairs
	Temperature             float64 // of ITC at first; 0 for the published 0.07
	Smoothing               float64 // alpha of S-ITC; 0 for the published code's 0.5
	// Easy and Hard are the fixed quantiles of FALCON's table 1; Progressive-Hardening goes from Soft to 1, Progressive-Softening back.
	Easy, Hard, Soft float64
	Scheduler        Scheduled // FALCON's; its search space is SearchSpace where it names none
	Global           GlobalSettings
	Writing          WritingSettings
}

// PublishedTemperature is ALBEF's first temperature, and that of all papers here.
const PublishedTemperature = 0.07

// first is the temperature that every anchor has at first.
func (s Sizes) first() float64 {
	return cmp.Or(s.Global.Temperature, s.Temperature, PublishedTemperature)
}

// begin is the epoch from which negatives are left out.
func (s Sizes) begin() float64 { return math.Floor(s.Global.Begin * float64(s.Epochs)) }

// GlobalSettings are those of the contrasts that set an anchor against its negatives in the whole data, and of the negatives that are left
// out (METHODS.md 7 to 10).
type GlobalSettings struct {
	Gamma float64 // weight of a mini-batch's estimate in SogCLR and iSogCLR
	// Fading is the share of the epochs over which FastCLIP's weight falls from 1 to Faded.
	Fading, Faded float64
	// Temperature is SogCLR's and FastCLIP-v1's constant, and every anchor's at first in iSogCLR and FastCLIP-v2; 0 for the framework's.
	Temperature float64
	Individual  IndividualSettings // iSogCLR's temperatures; Least and Most are its alone
	FastCLIP2   FastCLIP2Settings
	Rho         float64 // of FastCLIP-v3
	Alpha       float64 // share of an anchor's negatives that GloFND and FNC take for false
	Begin       float64 // share of the epochs after which negatives are left out
	FromBatch   bool    // GloFND's thresholds begin with the mini-batch's quantile
}

// IndividualSettings are those of iSogCLR's temperatures.
type IndividualSettings struct {
	Least, Most, Rho, Rate float64
}

// FastCLIP2Settings are those of FastCLIP-v2's temperatures.
type FastCLIP2Settings struct {
	Rho, Rate float64
}

// PublishedGlobal are those for images and captions on CC3M, of 37 epochs: SogCLR's and iSogCLR's of iSogCLR's authors, GloFND's with a
// constant temperature (METHODS.md 7 to 10).
func PublishedGlobal() GlobalSettings {
	return GlobalSettings{
		Gamma: 0.8, Fading: 18. / 37, Faded: 0.2, Temperature: 0.03,
		Individual: IndividualSettings{Least: 0.005, Most: 1, Rho: 6, Rate: 0.03}, FastCLIP2: FastCLIP2Settings{Rho: 7, Rate: 0.0133},
		Rho:   6.5,
		Alpha: 5e-4, Begin: 15. / 37,
	}
}

// WritingSettings are those of TAGS-DC: of negatives that are retrieved and written, and of what is learned of them (METHODS.md 12.5).
type WritingSettings struct {
	Pool, Hard int // retrieved negatives that are scored, and the hardest of them, that are kept
	// Masks, Refills and Keep are K, L and m: a caption's maskings, the refills of each, and the hardest sentences, that are kept.
	Masks, Refills, Keep int
	Temperature          float64 // of refilling
	Rate                 float64 // of masking
	// MLM, ISTM, WoD and WoC are the lambdas.
	MLM, ISTM, WoD, WoC float64
	// Further is the epochs of the second stage, which goes on from the first, and FurtherRate its learning rate.
	Further     int
	FurtherRate float64
}

// PublishedWriting is that of Flickr30K and the base setting (TAGS-DC, table 5).
func PublishedWriting() WritingSettings {
	return WritingSettings{
		Pool: 399, Hard: 31, Masks: 20, Refills: 20, Keep: 31, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 1e-3, WoD: 1e-3, WoC: 1e-3,
		Further: 1, FurtherRate: 1e-5,
	}
}

// Sized is a part that takes from the scale the sizes which it does not name. A zero in it then means the scale's, as for the papers'
// methods.
type Sized interface {
	// Sized returns the part with the sizes that it lacks.
	Sized(Sizes) any
}

// Sized is the method with its parts at a scale's sizes, where they name none.
func (m Method) Sized(s Sizes) Method {
	for _, r := range Roles() {
		if part, sized := r.Of(m).(Sized); sized {
			r.Put(&m, part.Sized(s))
		}
	}
	return m
}

// group fills in what a grouped sampler lacks. A queue goes with the search space that it is cut into.
func (s Sizes) group(searchSpace, queue *int) {
	if *searchSpace == 0 && *queue == 0 {
		*searchSpace, *queue = s.SearchSpace, s.GroupQueue
	}
}
