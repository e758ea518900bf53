package plan

import (
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

func (q Request) Published(s scale.Scale) (run.Weights, error) { return q.published(s) }
