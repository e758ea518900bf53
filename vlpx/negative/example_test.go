package negative_test

import (
	"fmt"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// The mini-batch of the examples: three images and their captions by their cosines, images in columns. The caption of the second image is
// almost as true of the first: a false negative. The third pair is a plain negative of both.
var captions = []float32{
	0.9, 0.8, 0.1,
	0.8, 0.9, 0.1,
	0.1, 0.1, 0.9,
}

// show prints a contrast's loss of the mini-batch at a temperature of 0.3, and how hard its gradient pushes the false negative and the
// plain one away from the first image.
func show(name string, c negative.Contrast) {
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		panic(err)
	}
	defer backend.Finalize()
	store, m := model.NewStore(), negative.Method{Contrast: c}.WithDefaults()
	run := negative.Start{Pairs: 3, BatchSize: 3, Dim: 3, Epochs: 2, Anchors: []string{negative.ImageAnchors, negative.TextAnchors}}
	if err := m.DeclareState(store.Scope("/state"), run); err != nil {
		panic(err)
	}
	out := model.MustNewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
		progress, pairs := OnesLike(in[2]), Const(in[0].Graph(), []int32{0, 1, 2})
		z := c.ITC(negative.Features{
			Image: in[0], Text: in[1], Temperature: in[2], Progress: progress, State: s.Store().Scope("/state"), Items: pairs,
			MomentumImage: StopGradient(in[0]), MomentumText: StopGradient(in[1]), // of a momentum model that has caught up
			ReferenceImage: StopGradient(in[0]), ReferenceText: StopGradient(in[1]), // of a frozen model that is as good
			Fields: field.Nodes{field.Progress: progress, field.Index: pairs, field.Items: pairs},
		})
		return []*Node{z.Loss, Gradient(z.Loss, in[1])[0]}
	}).MustCall([][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, tensors.FromFlatDataAndDimensions(captions, 3, 3), float32(0.3))
	by := tensors.MustCopyFlatData[float32](out[1])
	fmt.Printf("%s: a loss of %.2f, pushes of %.2f and %.2f\n", name, tensors.ToScalar[float32](out[0]), by[1*3+0], by[2*3+0])
}

func ExampleInfoNCE() {
	show("InfoNCE", negative.InfoNCE{})
	// Output:
	// InfoNCE: a loss of 0.43, pushes of 0.45 and 0.06
}

// Each pair is pushed by its own cosine alone, and the bias keeps the many wrong pairs from being pushed hard at first.
func ExampleSigLIP() {
	show("SigLIP", negative.SigLIP{Scale: 10, Bias: -10})
	// Output:
	// SigLIP: a loss of 1.40, pushes of 0.40 and 0.00
}

// What false negatives are expected to add is taken out of the negatives' sum, which lowers the loss. With none expected it is InfoNCE.
func ExampleDebiased() {
	show("as in InfoNCE", negative.Debiased{})
	show("one in twenty", negative.Debiased{Prior: 0.05})
	// Output:
	// as in InfoNCE: a loss of 0.43, pushes of 0.45 and 0.06
	// one in twenty: a loss of 0.38, pushes of 0.49 and 0.06
}

// A momentum model's soft targets have the false negative for a target, too, so that it is pushed less.
func ExampleDistilled() {
	show("Distilled", negative.Distilled{Alpha: 0.4, Decay: 0.995})
	// Output:
	// Distilled: a loss of 0.54, pushes of 0.13 and 0.02
}

// Keys are detached, and each direction is taught by the other's predictions.
func ExampleConsistency() {
	show("Consistency", negative.Consistency{Weight: 0.2})
	// Output:
	// Consistency: a loss of 0.57, pushes of 0.22 and 0.03
}

// A share of the target is spread over the mini-batch, so that the plain negative is drawn near and the false one pushed less.
func ExampleSmoothed() {
	show("Smoothed", negative.Smoothed{Alpha: 0.5})
	// Output:
	// Smoothed: a loss of 1.06, pushes of 0.13 and -0.06
}

// The harder negative, which is the false one here, weighs more. The loss is the sum of both directions.
func ExampleHNNCE() {
	show("HN-NCE", negative.HNNCE{Alpha: 1, Beta: 0.25, WeightGradient: true})
	// Output:
	// HN-NCE: a loss of 0.99, pushes of 1.12 and 0.05
}

// The more similar negative weighs less, by a frozen model and, later, by the model itself. The loss is the sum of both directions.
func ExampleRegulated() {
	show("SRCL", negative.Regulated{Epochs: 2, Temperature: negative.Sharp})
	// Output:
	// SRCL: a loss of 0.43, pushes of 0.29 and 0.17
}

// In fine-tuning the model itself weighs its negatives.
func ExampleSelfRegulated() {
	show("SRCL by itself", negative.SelfRegulated{Temperature: negative.Sharp})
	// Output:
	// SRCL by itself: a loss of 0.43, pushes of 0.29 and 0.17
}

// A negative of a low weight is left out; all others weigh one.
func ExamplePruned() {
	show("ALBEF++", negative.Pruned{Weights: negative.Regulated{Epochs: 2, Temperature: negative.Sharp}, Threshold: 0.3})
	// Output:
	// ALBEF++: a loss of 0.18, pushes of 0.00 and 0.14
}

// A moving average stands for the negatives of the whole data. The loss is of gradients alone: its value says little.
func ExampleSogCLR() {
	show("SogCLR", negative.SogCLR{Gamma: 0.8})
	// Output:
	// SogCLR: a loss of -0.75, pushes of 0.61 and 0.20
}

// Each sample has a temperature of its own, 0.2 at first, which moves from step to step.
func ExampleISogCLR() {
	show("iSogCLR", negative.ISogCLR{Gamma: 0.8, Temperature: 0.2, Least: 0.01, Most: 1, Rho: 6, Rate: 0.03, Beta: 0.9})
	// Output:
	// iSogCLR: a loss of -0.10, pushes of 0.31 and 0.01
}

// Of the four versions the third is the paper's: the temperature learns by a robust loss.
func ExampleFastCLIP() {
	show("FastCLIP-v1", negative.FastCLIP{Version: 1, Gamma: 0.2})
	show("FastCLIP-v3", negative.FastCLIP{Version: 3, Gamma: 0.2, Rho: 6.5})
	// Output:
	// FastCLIP-v1: a loss of 2.00, pushes of 2.03 and 0.65
	// FastCLIP-v3: a loss of 2.10, pushes of 0.61 and 0.20
}
