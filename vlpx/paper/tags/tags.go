package tags

import (
	"slices"

	"vlpx.internal/vlpx/paper"
)

// Artifacts are the artifacts of TAGS-DC (Fan et al., 2022).
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	{ID: "tags/table1", Title: "Retrieval against UNITER-style baselines"},
	{ID: "tags/table2", Title: "Scene-graph against word masking; dynamic against static generator"},
	{ID: "tags/table3", Title: "Perplexity of positive, synthetic, corrected and VSE-C sentences"},
	{ID: "tags/table4", Title: "Discrimination accuracy"},
	{ID: "tags/table5", Title: "Hyper-parameters"},
	{ID: "tags/figure1", Title: "Positive against hardest-negative score: in-batch, whole set, generated"},
	{ID: "tags/figure3", Title: "Score gap of synthetic negatives over training, static and dynamic"},
	{ID: "tags/figure4", Title: "Word discrimination and correction, examples"},
}
