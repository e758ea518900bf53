package transform

import "math/rand/v2"

// RandAugment says how many operations are drawn for an image, and how strong they are (Cubuk et al., 2020, in ALBEF's
// variant). The zero value applies none.
type RandAugment struct {
	Ops       int `json:"ops"`       // draws an image, with replacement
	Magnitude int `json:"magnitude"` // 0 to 10
}

// Strengths at magnitude 10, and the chance with which a drawn operation is applied.
const (
	maxMagnitude   = 10
	maxShear       = 0.3
	maxDegrees     = 30
	maxTranslation = 10.0 / 256 // of the side: ALBEF moves 10 pixels at 256
	applyChance    = 0.5
)

// operation changes an image; level is magnitude / 10, sign is -1 or 1 and used by the geometric ones.
type operation func(m RGB, level, sign float64)

// operations are ALBEF's ten, in its order.
var operations = [...]operation{
	func(RGB, float64, float64) {}, // Identity
	func(m RGB, _, _ float64) { m.AutoContrast() },
	func(m RGB, _, _ float64) { m.Equalize() },
	func(m RGB, level, _ float64) { m.Brightness(enhancement(level)) },
	func(m RGB, level, _ float64) { m.Sharpness(enhancement(level)) },
	func(m RGB, level, sign float64) { m.ShearX(sign * level * maxShear) },
	func(m RGB, level, sign float64) { m.ShearY(sign * level * maxShear) },
	func(m RGB, level, sign float64) { m.TranslateX(sign * level * maxTranslation * float64(m.Width)) },
	func(m RGB, level, sign float64) { m.TranslateY(sign * level * maxTranslation * float64(m.Height)) },
	func(m RGB, level, sign float64) { m.Rotate(sign * level * maxDegrees) },
}

// enhancement is the factor of Brightness and Sharpness: 0.1 to 1.9 over the magnitudes.
func enhancement(level float64) float64 { return 1.8*level + 0.1 }

// Apply draws Ops operations and applies each with a chance of one half; shears, translations and rotations go either way
// with equal chance. Every draw takes three numbers from rng, whatever comes of it. Magnitude 0 is not "no change":
// Brightness and Sharpness have factor 0.1 there, as in ALBEF.
func (r RandAugment) Apply(rng *rand.Rand, m RGB) {
	level := float64(r.Magnitude) / maxMagnitude
	for range r.Ops {
		op, applied, sign := rng.IntN(len(operations)), rng.Float64() < applyChance, 1.0
		if rng.Float64() < 0.5 {
			sign = -1
		}
		if applied {
			operations[op](m, level, sign)
		}
	}
}
