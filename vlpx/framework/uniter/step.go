package uniter

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
)

func (m Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Told {
	var _ *Node
	return framework.Told{}
}
