package weights

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
)

// Positions brings the learned positions of a ViT, [1 + grid*grid, width] with the class token first, to another number of
// patches a side, as ALBEF does when an image grows: bicubically, pixel centres aligned, without anti-aliasing, borders repeated. The
// class token's stays. The result has the type of positions, float32 or float64.
func Positions(positions *tensors.Tensor, side int) (*tensors.Tensor, error) {
	return resized(positions, side, bicubic)
}

// CornerPositions is Positions with the centres of the corners' pixels aligned, as LAVIS's clip_vit.py does.
func CornerPositions(positions *tensors.Tensor, side int) (*tensors.Tensor, error) {
	return resized(positions, side, cornered)
}

// resized are positions at so many patches a side, each a mix of others.
func resized(positions *tensors.Tensor, side int, mix func(sources, places int) [][4]tap) (*tensors.Tensor, error) {
	dims := positions.Shape().Dimensions
	if len(dims) != 2 || side < 1 {
		return nil, fmt.Errorf("weights: positions of shape %v for %d patches a side; want [1 + patches, width]", dims, side)
	}
	grid, width := int(math.Round(math.Sqrt(float64(dims[0]-1)))), dims[1]
	if grid < 1 || grid*grid != dims[0]-1 {
		return nil, fmt.Errorf("weights: %d positions are not one of a class token and a square of patches", dims[0])
	}
	if grid == side {
		return positions, nil
	}
	wide, err := As(positions, dtypes.Float64)
	if err != nil {
		return nil, fmt.Errorf("weights: positions: %w", err)
	}
	from, err := tensors.CopyFlatData[float64](wide)
	if err != nil {
		return nil, err
	}
	to := make([]float64, (1+side*side)*width)
	copy(to, from[:width])
	rows := mix(grid, side)
	for y, down := range rows {
		for x, across := range rows {
			out := to[(1+y*side+x)*width:][:width]
			for _, v := range down {
				for _, h := range across {
					in := from[(1+v.at*grid+h.at)*width:][:width]
					for d := range out {
						out[d] += v.weight * h.weight * in[d]
					}
				}
			}
		}
	}
	return As(tensors.FromFlatDataAndDimensions(to, 1+side*side, width), positions.DType())
}

// tap is a source and its weight.
type tap struct {
	at     int
	weight float64
}

// bicubic tells of which sources each of the given number of places is made, where the borders of both lie on each other.
func bicubic(sources, places int) [][4]tap {
	return cubic(sources, places, func(place int) float64 { return (float64(place)+0.5)*float64(sources)/float64(places) - 0.5 })
}

// cornered is bicubic where the first and the last ones lie on each other; a single place lies on the first.
func cornered(sources, places int) [][4]tap {
	return cubic(sources, places, func(place int) float64 { return float64(place) * float64(sources-1) / float64(max(1, places-1)) })
}

// cubic tells of which sources each place is made that lies where at says.
func cubic(sources, places int, at func(place int) float64) [][4]tap {
	const a = -0.75                                                     // PyTorch's
	near := func(x float64) float64 { return ((a+2)*x-(a+3))*x*x + 1 }  // up to a distance of 1
	far := func(x float64) float64 { return ((a*x-5*a)*x+8*a)*x - 4*a } // from 1 to 2
	taps := make([][4]tap, places)
	for i := range taps {
		x := at(i)
		left := math.Floor(x)
		t := x - left
		for k, weight := range [4]float64{far(t + 1), near(t), near(1 - t), far(2 - t)} {
			taps[i][k] = tap{min(max(int(left)-1+k, 0), sources-1), weight}
		}
	}
	return taps
}
