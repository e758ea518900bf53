package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// srcl is the notebook of SRCL's tables and figures.
func srcl() (kernels.Notebook, error) {
	return compose(srclIntroduction, "1, 2", []section{
		{"srcl/table1", `
What motivates SRCL: *ALBEF++* leaves out the negatives with a low weight. Look at *below 0.2*, the share that is left out,
before you compare: without a temperature it is nothing, and that row differs from *Nothing removed* in nothing. ALBEF distils
besides, so that only *Nothing removed* tells what leaving out does.`},
		{"srcl/table2", `
Fine-tuned retrieval, where SRCL has no reference model and weighs by its own similarity alone. Look whether a lead over *SRCL
without weights* outlasts fine-tuning: the paper's ALBEF differs from SRCL in that alone, ours distils besides.`},
		{"srcl/table3", `
Questions and statements about two images, each fine-tuned from the pre-training. Look whether a lead in retrieval is one here. A statement is right by
chance in half of the cases.`},
		{"srcl/table4", `
Zero-shot retrieval. Look whether SRCL is above ALBEF, as the paper says, and then above *SRCL without weights*: only this
difference is due to the weights. *AUC* tells whether they know false negatives at all: how often one weighs less than a
true negative.`},
		{"srcl/table5", `
The hyper-parameters of fine-tuning, the paper's beside those of this scale. Look where they differ before you compare table 2.`},
		{"srcl/figure3", `
Retrieval over the threshold below which negatives are left out, and how the weights are distributed. The paper has it rise until
some threshold, "e.g., 0.2 and 0.3", and fall behind it, below SRCL. Look in the lower panels how far the weights of false and of true negatives lie apart, without
and with a temperature.`},
		{"srcl/figure4", `
Retrieval over the share of the training images that is used, for ALBEF, SRCL and SRCL without weights. Epochs are the same, so that fewer images
are fewer steps, too. Look whether the lead grows with the data, as in the paper.`},
		{"srcl/figure5", `
The first five images for some captions, by ALBEF and by SRCL. Look at those behind the own image: are they closer to the
caption in SRCL's row? The captions were chosen before there was a model.`},
		{"srcl/figure6", `
The same for further captions.`},
		{"srcl/figure7", `
The weights of one mini-batch, images in rows, captions in columns. Frames mark false negatives; look whether those are the pale
cells. Where a whole picture has one shade, the weights are close together.`},
		{"srcl/figure8", `
The captions with the lowest weights, beside their anchors. Look how many are true of the anchor's image, and how low the weights
are; the paper's are not more than .2.`},
	})
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
