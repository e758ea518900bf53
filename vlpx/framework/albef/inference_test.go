package albef

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// The probability of "matched" is the softmax of the two logits. Match gives the second of them, and the first once the columns
// of the matching head have changed places.
func TestProbabilities(t *testing.T) {
	on, ids := enginetest.PureGo(t), []int32{2, 5, 6, 3, 2, 7, 8, 3}
	store := initialised(t, on, negative.Plain())
	pixels := make([]float32, 2*16*16*3)
	for i := range pixels {
		pixels[i] = float32(math.Cos(float64(i)))
	}
	weights := store.Scope(framework.Model).In("itm").GetVariable(encoder.Weights)
	scores := func(head []float32) (match, probability []float32) {
		must.Do(t, weights.SetValue(tensors.FromFlatDataAndDimensions(head, 12, 2)))
		n := must.Get(framework.NewInference(small(), framework.Use{Image: 16, Tokens: 4}, on, store))(t)
		defer n.Close()
		texts := must.Get(n.Texts(ids))(t)
		images := must.Get(n.Images(pixels))(t)
		match = must.Get(n.Match(texts.States, ids, images.States))(t)
		probability = must.Get(n.Probabilities(texts.States, ids, images.States))(t)
		return match, probability
	}
	head, exchanged := make([]float32, 24), make([]float32, 24)
	for i := range head {
		head[i] = float32(math.Sin(float64(i * i)))
		exchanged[i^1] = head[i]
	}
	matched, probability := scores(head)
	not, rest := scores(exchanged)
	for r := range matched {
		a, b := math.Exp(float64(matched[r])), math.Exp(float64(not[r]))
		near(t, "matched", probability[r:r+1], []float32{float32(a / (a + b))})
		near(t, "not matched", rest[r:r+1], []float32{float32(b / (a + b))})
		if math.Abs(float64(probability[r])-.5) < .01 {
			t.Errorf("row %d: probability %g is so near a half that the test shows nothing", r, probability[r])
		}
	}
}
