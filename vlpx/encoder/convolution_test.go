package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// maps are pixels [batch, height, width, channels] that are read one by one.
type maps struct {
	values                  []float32
	height, width, channels int
}

// at is a value, or what stands around the maps.
func (m maps) at(image, y, x, channel int, around float64) float64 {
	if y < 0 || x < 0 || y >= m.height || x >= m.width {
		return around
	}
	return float64(m.values[((image*m.height+y)*m.width+x)*m.channels+channel])
}

func TestConvolutionAgainstLoop(t *testing.T) {
	const batch, in, out = 2, 3, 4
	for _, c := range []struct{ height, width, size, stride int }{
		{5, 4, 1, 1}, {5, 5, 1, 2}, {6, 6, 3, 1}, {6, 6, 3, 2}, {7, 5, 3, 2}, {9, 8, 7, 2}, {8, 8, 3, 3}, {7, 7, 5, 3}, {2, 2, 7, 2},
		{1, 1, 3, 2},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			m := maps{normals(rand.New(rand.NewPCG(8, 8)), batch*c.height*c.width*in), c.height, c.width, in}
			x := shaped(m.values, batch, c.height, c.width, in)
			rows, columns := (c.height+c.stride-1)/c.stride, (c.width+c.stride-1)/c.stride
			n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
				y := Convolution(s.In("c"), in[0], c.size, c.stride, out, false)
				y.AssertDims(batch, rows, columns, out)
				return []*Node{y}
			}, x)
			kernels := n.get("/c/" + Weights)
			var want []float64
			for b := range batch {
				for row := range rows {
					for column := range columns {
						for o := range out {
							var sum float64
							for i := range c.size {
								for j := range c.size {
									for k := range in {
										y, x := row*c.stride+i-(c.size-1)/2, column*c.stride+j-(c.size-1)/2
										sum += m.at(b, y, x, k, 0) * float64(kernels[((i*c.size+j)*in+k)*out+o])
									}
								}
							}
							want = append(want, sum)
						}
					}
				}
			}
			near(t, "convolution", n.run(x)[0], want, 1e-4)
		})
	}
}

// A pool of negative values is negative, also at the border.
func TestPoolsAgainstLoops(t *testing.T) {
	const batch, channels = 2, 2
	for _, side := range []int{1, 4, 5, 8} {
		values := normals(rand.New(rand.NewPCG(9, 9)), batch*side*side*channels)
		for i := range values {
			values[i] -= 5
		}
		m, x := maps{values, side, side, channels}, shaped(values, batch, side, side, channels)
		n := newNetwork(t, func(_ *model.Scope, in []*Node) []*Node {
			out := []*Node{maxPool(in[0])}
			if side > 1 {
				out = append(out, averagePool(in[0], 2))
			}
			return append(out, averagePool(in[0], 1))
		}, x)
		var largest, mean []float64
		for b := range batch {
			for place := range (side + 1) / 2 * ((side + 1) / 2) {
				row, column := place/((side+1)/2)*2, place%((side+1)/2)*2
				for c := range channels {
					most := math.Inf(-1)
					for i := row - 1; i <= row+1; i++ {
						for j := column - 1; j <= column+1; j++ {
							most = math.Max(most, m.at(b, i, j, c, math.Inf(-1)))
						}
					}
					largest = append(largest, most)
				}
			}
			for place := range side / 2 * (side / 2) {
				row, column := place/(side/2)*2, place%(side/2)*2
				for c := range channels {
					mean = append(mean, (m.at(b, row, column, c, 0)+m.at(b, row, column+1, c, 0)+m.at(b, row+1, column, c, 0)+
						m.at(b, row+1, column+1, c, 0))/4)
				}
			}
		}
		got := n.run(x)
		near(t, fmt.Sprintf("largest of %d", side), got[0], largest, 0)
		if side > 1 {
			near(t, fmt.Sprintf("mean of %d", side), got[1], mean, 1e-6)
		}
		near(t, "mean of single pixels", got[len(got)-1], values, 0)
	}
}

// Of equal values the first has the gradient, and at zero a rectifier has none.
func TestGradientsOfEqualValues(t *testing.T) {
	x := shaped([]float32{3, 3, 3, 3}, 1, 2, 2, 1)
	n := newNetwork(t, func(_ *model.Scope, in []*Node) []*Node {
		return []*Node{Gradient(ReduceAllSum(maxPool(in[0])), in[0])[0], Gradient(ReduceAllSum(relu(AddScalar(in[0], -3))), in[0])[0]}
	}, x)
	got := n.run(x)
	near(t, "largest", got[0], []float64{1, 0, 0, 0}, 0)
	near(t, "rectifier", got[1], []float64{0, 0, 0, 0}, 0)
}
