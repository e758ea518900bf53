package explore

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/random"
)

// scene is a mini-batch to ask about.
type scene struct {
	image, text           []float32 // embeddings, [batch, dim]
	items                 []int32   // the image of each pair, [batch]
	scores                []float32 // the judge's of image i with text j, [batch, batch]
	index                 []int32   // of each pair among the explored ones, [batch]
	truth                 []float32 // 1 where image i and text j are a true pair, [batch, batch]
	temperature, progress float64
	seed                  uint64 // of the matching's noise
}

// sight is what a method does in a scene with the anchor and each pair, itself included, [batch].
type sight struct {
	push     []float64  // derivative of ITC by the cosine of the anchor with the pair's other side, times the batch size
	picked   []float64  // share of the draws in which ITM's matching picks it as the anchor's negative
	decision []Decision // what the method's Positives decide if it is picked; nil without them
}

// look asks the method about a scene.
func (l *compiledMethod) look(sc scene) (sight, error) {
	out := sight{push: make([]float64, l.batch), picked: make([]float64, l.batch)}
	dim := len(sc.image) / l.batch
	for draw := range l.draws {
		results, err := framework.Call(l.exec,
			tensors.FromFlatDataAndDimensions(sc.image, l.batch, dim), tensors.FromFlatDataAndDimensions(sc.text, l.batch, dim),
			tensors.FromScalar(float32(sc.temperature)), tensors.FromScalar(float32(sc.progress)),
			tensors.FromFlatDataAndDimensions(sc.items, l.batch),
			tensors.FromFlatDataAndDimensions(sc.scores, l.batch, l.batch),
			tensors.FromFlatDataAndDimensions(l.noise(sc.seed, draw), 2, l.batch, l.batch),
			tensors.FromFlatDataAndDimensions(sc.index, l.batch), tensors.FromFlatDataAndDimensions(sc.truth, l.batch, l.batch))
		if err != nil {
			return sight{}, fmt.Errorf("explore: %s: %w", l.method.Name, err)
		}
		err = l.take(&out, results)
		framework.Release(results)
		if err != nil {
			return sight{}, err
		}
	}
	return out, nil
}

// take adds the results of a draw.
func (l *compiledMethod) take(out *sight, results []*tensors.Tensor) error {
	numbers := make([][]float32, len(results))
	for i, x := range results {
		var err error
		if numbers[i], err = tensors.CopyFlatData[float32](x); err != nil {
			return err
		}
	}
	push, picked := numbers[0], numbers[2]
	if l.exact {
		picked = softmaxButFirst(numbers[1])
	}
	for i := range l.batch {
		out.push[i] += float64(push[i]) / float64(l.draws)
		out.picked[i] += float64(picked[i]) / float64(l.draws)
	}
	if l.method.Positives != nil {
		out.decision = decisions(numbers[3], numbers[4], numbers[5], numbers[6])
	}
	return nil
}

// softmaxButFirst is the softmax of all logits but the first, which gets 0.
func softmaxButFirst(logits []float32) []float32 {
	highest := math.Inf(-1)
	for _, z := range logits[1:] {
		highest = max(highest, float64(z))
	}
	out, sum := make([]float32, len(logits)), 0.0
	for i, z := range logits[1:] {
		e := math.Exp(float64(z) - highest)
		out[i+1], sum = float32(e), sum+e
	}
	for i := range out {
		out[i] /= float32(sum)
	}
	return out
}

// noise are standard Gumbel draws, [2, batch, batch].
func (l *compiledMethod) noise(seed uint64, draw int) []float32 {
	r := random.Stream(seed, "explore", "matching", draw)
	noise := make([]float32, 2*l.batch*l.batch)
	for i := range noise {
		noise[i] = float32(-math.Log(r.ExpFloat64()))
	}
	return noise
}
