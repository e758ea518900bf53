package objective

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// In a graph the same draws mask as on the host.
func TestMaskByCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	const rows, tokens = 40, 9
	ids := make([][]int32, rows)
	codes := make([][]int32, rows)
	var wantMasked, wantLabels []float64
	for i := range rows {
		ids[i] = make([]int32, tokens)
		ids[i][0] = bert.CLS
		for at := 1; at < 3+i%(tokens-3); at++ {
			ids[i][at] = 200 + r.Int32N(500)
		}
		draws := DrawMask(r, tokens, 0.7, 30522)
		codes[i] = draws.Codes(bert)
		masked, labels := MaskTokens(ids[i], draws, bert)
		for at := range tokens {
			wantMasked, wantLabels = append(wantMasked, float64(masked[at])), append(wantLabels, float64(labels[at]))
		}
	}
	got := compiled(t, func(in []*Node) []*Node {
		masked, labels := MaskByCodes(in[0], in[1])
		return []*Node{ConvertDType(masked, dtypes.Float64), ConvertDType(labels, dtypes.Float64)}
	})(ids, codes)
	if !slices.Equal(got[0], wantMasked) {
		t.Errorf("masked: got %v, want %v", got[0], wantMasked)
	}
	if !slices.Equal(got[1], wantLabels) {
		t.Errorf("labels: got %v, want %v", got[1], wantLabels)
	}
	if slices.Equal(wantMasked, wantLabels) || !slices.Contains(wantLabels, Ignored) {
		t.Error("the draws test nothing")
	}
}
