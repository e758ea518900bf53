package regions

import (
	"fmt"
	"image"
	"math"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/random"
)

const (
	cropSide = 16 // pixels a side of what the network sees
	stem     = 16 // channels of the first convolution
	pooled   = 4  // positions that the second one's maps are brought to, two by two
)

// network is a small convolutional network with random weights that are never trained: two convolutions of 3x3 with stride 2 and ReLU, and
// means of 2x2. It runs on the host, so that its features are the same on every engine. It stands for a detector's, which no program of
// ours has for generated scenes.
type network struct {
	first, second   convolution
	mean, deviation []float32 // of each feature over reference crops, [width]; none while these are measured
}

// newNetwork draws the weights by He's deviation (He et al., 2015), the same ones for all runs.
func newNetwork(width int) *network {
	return &network{first: drawConvolution("first", 3, stem), second: drawConvolution("second", stem, width/pooled)}
}

// convolution is one of 3x3 with stride 2, a border of zeros and ReLU.
type convolution struct {
	in, out int
	weights []float32 // [3, 3, in, out]
}

func drawConvolution(name string, in, out int) convolution {
	c := convolution{in, out, make([]float32, 9*in*out)}
	r := random.Stream(1, "network of regions", name)
	for k := range c.weights {
		c.weights[k] = float32(math.Sqrt(2/float64(9*in)) * r.NormFloat64())
	}
	return c
}

// apply gives [side/2, side/2, out] of x, [side, side, in]. Products are rounded before they are added: otherwise a processor that does
// both at once would give other numbers.
func (c convolution) apply(x []float32, side int) []float32 {
	half := side / 2
	y := make([]float32, half*half*c.out)
	for at := range half * half {
		sum := y[at*c.out : (at+1)*c.out]
		for tap := range 9 {
			row, column := 2*(at/half)+tap/3-1, 2*(at%half)+tap%3-1
			if row < 0 || column < 0 || row >= side || column >= side {
				continue
			}
			for k, v := range x[(row*side+column)*c.in : (row*side+column+1)*c.in] {
				if v == 0 {
					continue
				}
				for o, w := range c.weights[(tap*c.in+k)*c.out : (tap*c.in+k+1)*c.out] {
					sum[o] += float32(v * w)
				}
			}
		}
		for o, v := range sum {
			sum[o] = max(v, 0)
		}
	}
	return y
}

// features writes those of a part of an image, standardised, [width].
func (n *network) features(img image.Image, part image.Rectangle, out []float32) {
	crop := make([]float32, 3*cropSide*cropSide)
	transform.Symmetric.Normalise(transform.Resize(img, part, cropSide), crop)
	maps := n.second.apply(n.first.apply(crop, cropSide), cropSide/2)
	const side = cropSide / 4 // of the maps
	channels := n.second.out
	clear(out)
	for at := range side * side {
		quarter := out[(at/side/2*2+at%side/2)*channels:]
		for o, v := range maps[at*channels : (at+1)*channels] {
			quarter[o] += v / (side * side / pooled)
		}
	}
	for k, mean := range n.mean {
		out[k] = (out[k] - mean) / n.deviation[k]
	}
}

// standardise measures the features of reference crops and brings all to mean 0 and deviation 1 by these.
func (n *network) standardise(reference [][]float32) {
	width := len(reference[0])
	n.mean, n.deviation = make([]float32, width), make([]float32, width)
	for k := range width {
		var sum, squares float64
		for _, x := range reference {
			sum += float64(x[k])
		}
		mean := sum / float64(len(reference))
		for _, x := range reference {
			d := float64(x[k]) - mean
			squares += float64(d * d)
		}
		n.mean[k], n.deviation[k] = float32(mean), float32(math.Sqrt(squares/float64(len(reference))+1e-6))
	}
}

// widthFits tells why the network has no features of such a width.
func widthFits(width int) error {
	if width%pooled != 0 {
		return fmt.Errorf("regions: %d features of a box; take a multiple of %d", width, pooled)
	}
	return nil
}
