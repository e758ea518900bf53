package objective

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Positives are the targets of retrieval fine-tuning, where an anchor may have several true candidates: those of its own
// item, such as the captions of one image, share its target evenly (METHODS.md 15.3).
//
//   - anchors: the items of the anchors, [batch] of any type.
//   - candidates: the items of the candidates, among them every anchor's, [candidates].
//   - dtype: that of the logits.
//
// The result has rows that sum to one, [batch, candidates].
func Positives(anchors, candidates *Node, dtype dtypes.DType) *Node {
	anchors.AssertRank(1)
	candidates.AssertRank(1)
	same := ConvertDType(Equal(InsertAxes(anchors, 1), InsertAxes(candidates, 0)), dtype)
	return Div(same, ReduceAndKeep(same, ReduceSum, 1))
}
