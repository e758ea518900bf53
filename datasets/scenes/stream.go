package scenes

import "math/rand/v2"

// purpose tells apart the random streams of one scene, so that a change to what one draws leaves the others alone.
type purpose uint64

const (
	forObjects purpose = iota
	forCaptions
	forReplacing
	forPixels
	forQuestions
	forStatements
)

// stream is the random stream of scene i of a split (its place among splitNames) for one purpose.
func stream(seed uint64, split int, what purpose, i int) *rand.Rand {
	key := mix(mix(seed) + uint64(split)<<8 + uint64(what))
	return rand.New(rand.NewPCG(key, mix(key+uint64(i))))
}

// mix is the finaliser of SplitMix64 (Steele et al., 2014) after one step of its counter. It spreads neighbouring seeds
// and indices over all 64 bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
