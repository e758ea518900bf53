package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// srcl is the notebook of SRCL's tables and figures.
func srcl() (kernels.Notebook, error) {
	return compose(srclIntroduction, "1, 2", "srcl")
}

var srclIntroduction = strings.TrimSpace(`
# SRCL: weighing false negatives less

InfoNCE pushes an image away from all other captions of the mini-batch with the same force, also from one that is true of it: a
*false negative*. SRCL (Similarity-Regulated Contrastive Learning) gives each negative a weight in the denominator, the lower
the more similar the two are: by a frozen reference model at first, plain InfoNCE's here, and by the model itself in the end. An
anchor's weights have a mean of one. Nothing has to be decided about a single pair, and nothing is left out.

The paper reports better retrieval than ALBEF, also than *ALBEF++*, which leaves out the negatives with a weight below a
threshold; it praises .2, and shows weights as low as .12.

**What to know of the weights.** They cannot be so low by the printed formula, which has the inverse of the cosine's exponential
and no temperature inside: that lies between 1/e and e, and the weights lie close together. On scenes at scale *mini*, by a
trained InfoNCE, the thresholds .2 to .5 leave out 0.1 % of the negatives at most, .6 leaves out 4 %, and .7 16 % (by SRCL 20 %,
as the paper has it). So rows with a *temperature* of .35 stand beside the printed formula: with it, .2 leaves out 3 to 6 % over
training, about as many as are false (5 %). The temperature is our choice, not the paper's.

Here the pairs are generated scenes, for which it is known exactly which caption is true of which image. So the weights of false
and of true negatives are told apart exactly.
`)
