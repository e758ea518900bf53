package glofnd

import (
	"slices"

	"vlpx.internal/vlpx/paper"
)

// Artifacts are the artifacts of GloFND (Balmaseda et al., 2025).
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	table1, table2, table3, table4, table5, table6, table7, table8,
	figure1, figure5, figure6, plane, lambda, predfn, warmup, batchwise, stats,
}
