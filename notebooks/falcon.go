package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// falcon is the notebook of FALCON's tables and figures.
func falcon() (kernels.Notebook, error) {
	return compose(falconIntroduction, "1, 2", "falcon", "vlpx/reward", "vlpx/scheduler", "vlpx/policy", "vlpx/quantile", "vlpx/density", "vlpx/clip")
}

var falconIntroduction = strings.TrimSpace(`
# FALCON: learning which negatives to mine

Image-text pre-training contrasts each pair of a mini-batch with the others. Similar pairs teach more, so methods such as
GRIT-VLP put them into one mini-batch. But a caption often describes more than its own image: among similar pairs hide
*false negatives*, matching pairs that the loss pushes apart.

FALCON (False-negative Aware Learning of COntrastive Negatives) claims that no fixed rule settles this trade-off: a mining
quantile that is right early in training, or for one anchor, is wrong later, or for another. It learns a scheduler that picks
the quantile for each anchor, and reports better retrieval than ALBEF, GRIT-VLP, DiHT, SRCL, MAFA and any fixed or
progressive quantile.

Here the pairs are generated scenes, for which it is known exactly which caption is true of which image. So false negatives
are counted, not estimated.
`)
