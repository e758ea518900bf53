package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// glofnd is the notebook of GloFND's tables and figures.
func glofnd() (kernels.Notebook, error) {
	return compose(glofndIntroduction, "1", []section{
		{"glofnd/table1", `
Linear evaluation at four shares of labels, and how many of the false negatives are found. Look at F1 first: it is what the thresholds
are for. Then at the smallest shares, where the paper gains most.`},
		{"glofnd/table2", `
Transfer: a regression on what the frozen network says of other data. The paper's data sets need downloads; here they are two worlds
of scenes. Folders of yours with classes are targets, too: *vlpx eval -task transfer -targets DIR*.`},
		{"glofnd/table3", `
Images and captions on CLIP, where each has thresholds of its own. Look whether FNC, which takes the top of each mini-batch, falls
below its baseline, as in the paper: with few false negatives a mini-batch mostly has none.`},
		{"glofnd/table4", `
The hyper-parameters, the paper's beside those of this scale. Look where they differ before you compare.`},
		{"glofnd/table5", `
The p of each comparison with SogCLR, one-sided as the paper has it. Three seeds give a t-test two degrees of freedom: look how large a
difference must be before it counts.`},
		{"glofnd/table6", `
The same of transfer.`},
		{"glofnd/table7", `
SimCLR, whose loss looks no further than the mini-batch. Look whether thresholds help there, too.`},
		{"glofnd/table8", `
A model that is trained already, fine-tuned. Look at the first row: what all others started from.`},
		{"glofnd/figure1", `
Anchors and what was taken for their false negatives. A frame marks those of the anchor's class.`},
		{"glofnd/figure5", `
The same anchors in the same mini-batch by both methods. Look at the numbers: a quantile of the mini-batch takes as many of each
anchor, a threshold of the anchor's own some of one and none of another.`},
		{"glofnd/figure6", `
Further anchors.`},
		{"glofnd/tsne", `
Test images of ten classes in the plane. t-SNE shows neighbours; how far apart groups lie says nothing. The column has the number that
the picture stands for.`},
		{"glofnd/lambda", `
The learned thresholds beside the exact quantile of each anchor's cosines with all other images, and beside what single mini-batches
give. Look at the widths: one threshold for all would be a line.`},
		{"glofnd/predfn", `
The share of negatives taken for false, over training, by Adam as published and by the plain descent of the paper's equation 4. Look
whether it comes to alpha, and whether it stays.`},
		{"glofnd/warmup", `
When to begin. Look for a peak of linear evaluation, and at F1 beside it.`},
		{"glofnd/batchwise", `
One threshold for all anchors, which gives each an alpha of its own, against a threshold an anchor.`},
		{"glofnd/stats", `
Precision, recall and F1 over training, and what an epoch costs. Recall falls and rises as thresholds find their place.`},
		{"vlpx/leftout", `
The paper's open questions, where the truth is known: ALBEF under three kinds of mini-batches, with what is found left out or
attracted, with one alpha or each anchor's. Look at GRIT-VLP, whose hardest negatives are false in a quarter of the cases, and which MAFA mends with a second model.`},
	})
}

var glofndIntroduction = strings.TrimSpace(`
# GloFND: false negatives found by a threshold of each anchor

What is similar to an anchor is taken for its false negative: the share *alpha* of all data that is most similar to it. Which that is
cannot be seen in a mini-batch, whose most similar image may be nothing like the anchor. GloFND (Global False Negative Discovery) keeps a
threshold for each anchor, a number that is moved at each visit until the share *alpha* of the anchor's negatives has a higher
cosine. Negatives above it are left out of the loss.

The first part is of images alone: two views of each, contrasted by **SogCLR**, which replaces the sum over a mini-batch in the denominator by
a moving average that each anchor keeps, and so does without large mini-batches. The second part is of images and captions, on CLIP.

**FNC** here is what GloFND's published code compares itself with: the most similar negatives of each mini-batch, the same number for each
anchor. (FNC as published has a support set and a fixed threshold; it is *negative.Cancellation*, on two views.)

**What is false** is known: of CIFAR-100, which is used where *$VLPX_DATA* has it and the scale is not *tiny*, two images of a class;
of generated scenes, two of one shape; of captions, the exact relation.
`)
