package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Pooled is BERT's summary of a text: a dense layer with tanh on the first token's state (Devlin et al., 2019). ALBEF has none
// and takes the state itself.
//
//   - states: of the last layer, [batch, tokens, Width].
//
// The result is [batch, Width]. The scope must be the one given to Encode.
func (b BERT) Pooled(s *model.Scope, states *Node, half bool) *Node {
	return Tanh(Linear(s.In("pooler"), Squeeze(Class(states), 1), b.Width, half))
}
