package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// falcon is the notebook of FALCON's tables and figures that are there.
func falcon() (kernels.Notebook, error) {
	return compose(falconIntroduction, []section{
		{"falcon/table1", `
Does it help to fill mini-batches with similar pairs: is GRIT-VLP above ALBEF, and a hard quantile above an easy one? Then
look at the last columns: harder batches meet more false negatives, and where every true pair is accepted the order of the
methods can change. Rows that say *not yet* belong to methods that vlpx does not have yet.`},
		{"falcon/D.2", `
The same runs over the epochs. Look whether an order of the methods holds all along or only at the end, and whether a method
that starts fast is overtaken.`},
		{"falcon/table5", `
The hyper-parameters of the paper beside those of this scale, printed from the presets that the runs above used. Look where
they differ before you compare a number.`},
		{"falcon/table6", `
The sizes of the data: the paper's, and what was counted here. Look how many captions there are an image: several make false
negatives certain.`},
	})
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
