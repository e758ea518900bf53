// Command lacking compares a contrast with an operation that ONNX Runtime does not have here.
package main

import (
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

type sorted struct{}

func (sorted) ITC(in negative.Features) negative.Contrasted {
	i2t := objective.Similarities(in.Image, in.Text, in.Temperature)
	hardest, _ := TopK(i2t, 2, -1)
	return negative.Contrasted{Loss: ReduceAllMean(hardest), I2T: i2t, T2I: Transpose(i2t, 0, 1)}
}

func main() {
	vlpx.Compare([]string{"Sorted"}, vlpx.Options{
		Scale: "tiny", Seeds: []uint64{1}, Own: []negative.Method{{Name: "Sorted", Contrast: sorted{}}},
	})
}
