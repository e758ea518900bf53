package tags

import (
	"slices"

	"vlpx.internal/vlpx/paper"
)

// Artifacts are the artifacts of TAGS-DC (Fan et al., 2022).
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	table1,
	table2,
	table3,
	table4,
	table5,
	figure1,
	figure3,
	figure4,
}
