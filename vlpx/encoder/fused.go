package encoder

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// fused is attention over [batch, heads, tokens, dim] by the engine's own operation, and by what plain builds where the engine has none for
// it. An engine may have its gradient, too; the gradient of another's is that of plain.
func (b Block) fused(q, k, v, bias *Node, plain func() *Node) *Node {
	can := q.Graph().Backend().Capabilities().Operations
	// cuDNN's has queries and keys of one number.
	if !b.Fused || bias != nil || b.Dropout > 0 || q.Shape().Dim(2) != k.Shape().Dim(2) ||
		!can[compute.OpTypeFusedScaledDotProductAttention] {
		return plain()
	}
	dtype := q.DType()
	if b.Half {
		q, k, v = ConvertDType(q, dtypes.BFloat16), ConvertDType(k, dtypes.BFloat16), ConvertDType(v, dtypes.BFloat16)
	}
	out, _ := InternalFusedOpCaller(func() *Node {
		out, _ := BackendFusedScaledDotProductAttention(q, k, v, compute.AttentionAxesLayoutBHSD,
			&compute.ScaledDotProductAttentionConfig{})
		return ConvertDType(out, dtype)
	}, plain, !can[compute.OpTypeFusedScaledDotProductAttentionVJP])
	return out
}
