package encoder_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
)

// BenchmarkResNetStep takes forward and backward passes of small networks on mini-batches of 128 images of 32 pixels, on ONNX Runtime,
// and tells the images a second.
func BenchmarkResNetStep(b *testing.B) {
	const batch, side = 128, 32
	backend := enginetest.Open(b, "onnx:cpu")
	for _, r := range []encoder.ResNet{
		{Layers: []int{1, 1, 1}, Width: 16, Stem: 2},
		{Layers: []int{1, 1, 1}, Width: 32, Stem: 2},
		{Layers: []int{1, 1, 1}, Width: 16},
		{Layers: []int{1, 1, 1}, Width: 32},
		{Layers: []int{1, 1, 1}, Width: 64},
		{Layers: []int{2, 2, 2}, Width: 32},
		{Layers: []int{1, 1, 1}, Width: 16, Stem: 1},
		{Layers: []int{2, 2, 2, 2}, Width: 64},
	} {
		r.Image, r.Basic = side, true
		b.Run(fmt.Sprintf("blocks=%v,width=%d,stem=%d", r.Layers, r.Width, r.Stem), func(b *testing.B) {
			store := model.NewStore()
			exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, x *Node) []*Node {
				s.Store().SetTraining(x.Graph(), true)
				loss := ReduceAllMean(Square(r.Encode(s, x, false)))
				var weights []*Node
				for v := range s.IterVariables() {
					if v.Trainable {
						weights = append(weights, v.NodeValue(x.Graph()))
					}
				}
				sum := loss
				for _, d := range Gradient(loss, weights...) {
					sum = Add(sum, ReduceAllSum(d))
				}
				return []*Node{sum}
			}))(b)
			defer exec.Finalize()
			pixels, rng := make([]float32, batch*side*side*3), rand.New(rand.NewPCG(1, 1))
			for i := range pixels {
				pixels[i] = float32(rng.NormFloat64())
			}
			x := tensors.FromFlatDataAndDimensions(pixels, batch, side, side, 3)
			must.Get(exec.Call(x))(b)
			for b.Loop() {
				must.Get(exec.Call(x))(b)
			}
			b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
