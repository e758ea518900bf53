package albef

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Where [PAD] has another word's embedding, a mask that puts it in a caption is one that puts the other word there, if the padding
// is the caption's own: for the model, its momentum copy, and the captions of new positives. Otherwise nothing attends to it.
func TestCaptionPadding(t *testing.T) {
	const pad, word, vocab = 0, 7, 11
	m := negative.ALBEF(6)
	m.Positives = negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}
	on := enginetest.PureGo(t)
	losses := func(own bool, inMask, inFresh int32) float64 {
		a, store := small(), initialised(t, on, m)
		a.CaptionPadding = own
		for _, root := range []string{framework.Model, framework.Momentum} {
			table := store.GetVariable(root + "/text/embeddings/word/" + encoder.Embedding)
			values := tensors.MustCopyFlatData[float32](table.MustValue())
			width := len(values) / vocab
			copy(values[pad*width:(pad+1)*width], values[word*width:])
			must.Do(t, table.SetValue(tensors.FromFlatDataAndDimensions(values, vocab, width)))
		}
		return measured(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
			g := in[field.Image].Graph()
			in[field.Masked] = Const(g, [][]int32{{2, 4, 6, 3, 0}, {2, inMask, 4, 4, 3}, {2, 4, 3, 0, 0}})
			in[field.Truth] = Const(g, [][]float32{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}})
			codes := make([][]int32, 6)
			for row := range codes {
				codes[row] = []int32{-1, inFresh, 4, -1, -1}
			}
			in[field.Fresh] = Const(g, codes)
			_, l := assess(a, s, m, in, negative.All)
			return []*Node{l.losses[negative.MLM]}
		})[0]
	}
	for _, put := range []struct {
		name            string
		inMask, inFresh int32
	}{{"in a caption", pad, word}, {"in a new positive's", word, pad}} {
		for _, own := range []bool{true, false} {
			got, other := losses(own, put.inMask, put.inFresh), losses(own, word, word)
			if same := math.Abs(got-other) < 1e-6; same != own {
				t.Errorf("[PAD] %s, padding of the caption %t: a loss of %v with [PAD] and %v with the word", put.name, own, got, other)
			}
		}
	}
}

// Fine-tuning as published lets the temperature leave its bounds; pre-training takes it back to them.
func TestFreeTemperature(t *testing.T) {
	on, m := enginetest.PureGo(t), negative.Plain()
	for free, want := range map[bool]float64{true: 0.75, false: hottest} {
		a, store := small(), initialised(t, on, m)
		a.FreeTemperature = free
		must.Do(t, store.GetVariable(framework.Model+"/"+encoder.Temperature).SetValue(tensors.FromScalar(float32(0.75))))
		got := measured(t, on, store, func(s *model.Scope, in field.Nodes) []*Node {
			_, l := assess(a, s, m, in, negative.Of(negative.ITC))
			return []*Node{l.features.Temperature}
		})
		if got[0] != want {
			t.Errorf("free %t: got %v, want %v", free, got[0], want)
		}
	}
}
