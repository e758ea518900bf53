package transform

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// GaussianBlur blurs images by a random width (SimCLR; Chen et al., 2020, A). The zero value blurs none.
type GaussianBlur struct {
	Chance float64    `json:"chance"` // with which an image is blurred
	Sigma  [2]float64 `json:"sigma"`  // least and largest standard deviation in pixels, between which it is uniform
}

// maxSigma bounds the kernel: it reaches reach standard deviations, and so at most 3*maxSigma pixels to each side.
const (
	maxSigma = 16
	reach    = 3
)

// Apply draws whether and how far, and blurs the image. It takes two numbers from rng, and none where the settings are zero.
func (b GaussianBlur) Apply(rng *rand.Rand, m RGB) {
	if b == (GaussianBlur{}) {
		return
	}
	if applied, sigma := rng.Float64() < b.Chance, between(rng, b.Sigma[0], b.Sigma[1]); applied {
		m.Blur(sigma)
	}
}

func (b GaussianBlur) validate() error {
	if !chance(b.Chance) || b != (GaussianBlur{}) && !(0 < b.Sigma[0] && b.Sigma[0] <= b.Sigma[1] && b.Sigma[1] <= maxSigma) {
		return fmt.Errorf("transform: Blur is %+v; the chance lies in 0 to 1, and sigma has two values, 0 < least <= largest <= %d "+
			"pixels, or leave it out",
			b, maxSigma)
	}
	return nil
}

// Blur convolves the image with a Gaussian of a standard deviation in pixels, which ends three of them from its centre. The outermost
// pixels go on beyond the edges.
//
// The kernel is separable, and its weights are whole numbers that sum to 1<<16. Between the two passes values have eight more bits.
func (m RGB) Blur(sigma float64) {
	weights := gaussian(sigma)
	radius, stride := len(weights)-1, 3*m.Width
	if radius == 0 {
		return
	}
	wide, across := make([]uint32, stride+6*radius), make([]uint32, len(m.Pix))
	for y := range m.Height {
		row := m.row(y)
		for i := range wide {
			x := i - 3*radius
			wide[i] = uint32(row[min(max(x, (x%3+3)%3), stride-3+(x%3+3)%3)])
		}
		out := across[y*stride : (y+1)*stride]
		for i := range out {
			out[i] = weights[0]*wide[i+3*radius] + 1<<7
		}
		for k, weight := range weights[1:] {
			left, right := wide[3*(radius-k-1):], wide[3*(radius+k+1):]
			right = right[:len(out)]
			left = left[:len(out)]
			for i := range out {
				out[i] += weight * (left[i] + right[i])
			}
		}
		for i, v := range out {
			out[i] = v >> 8
		}
	}
	sum := make([]uint32, stride)
	at := func(y int) []uint32 { y = min(max(y, 0), m.Height-1); return across[y*stride : (y+1)*stride] }
	for y := range m.Height {
		for i, v := range at(y) {
			sum[i] = weights[0]*v + 1<<23
		}
		for k, weight := range weights[1:] {
			above, below := at(y - k - 1)[:len(sum)], at(y + k + 1)[:len(sum)]
			for i := range sum {
				sum[i] += weight * (above[i] + below[i])
			}
		}
		row := m.row(y)
		for i, v := range sum {
			row[i] = uint8(v >> 24)
		}
	}
}

// gaussian are the weights of a pixel and of those at one, two and more pixels from it, each of which counts twice, 1<<16 in all.
func gaussian(sigma float64) []uint32 {
	radius := int(math.Ceil(reach * sigma))
	exact, sum := make([]float64, radius+1), 0.0
	for k := range exact {
		exact[k] = math.Exp(-float64(k*k) / (2 * sigma * sigma))
		sum += exact[k]
		if k > 0 {
			sum += exact[k]
		}
	}
	weights, left := make([]uint32, radius+1), uint32(1<<16)
	for k := radius; k > 0; k-- {
		weights[k] = uint32(math.Round(exact[k] / sum * (1 << 16)))
		left -= 2 * weights[k]
	}
	weights[0] = left
	return weights
}
