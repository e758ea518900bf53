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
	{ID: "tags/table3", Title: "Perplexity of positive, synthetic, corrected and VSE-C sentences"},
	{ID: "tags/table4", Title: "Discrimination accuracy"},
	{ID: "tags/table5", Title: "Hyper-parameters"},
	figure1,
	figure3,
	figure4,
}
