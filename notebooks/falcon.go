package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// falcon is the notebook of FALCON's tables and figures.
func falcon() (kernels.Notebook, error) {
	return compose(falconIntroduction, "1, 2", []section{
		{"falcon/table1", `
Does it help to fill mini-batches with similar pairs: is GRIT-VLP above ALBEF, and a hard quantile above an easy one? Then
look at the last columns: harder batches meet more false negatives, and where every true pair is accepted the order of the
methods can change. MAFA and SRCL learn from a model that was trained before them.
NLVR2 and VQA are fine-tuned from each row's pre-training, by runs of their own.`},
		{"falcon/table2", `
ALBEF, GRIT-VLP, MAFA and FALCON, also on captions of which three in ten belong to another image, as web captions may. Look
whether FALCON's lead shrinks on noisy captions, as the paper says, and who is hurt most. The last row has half of the clean images:
the paper says that FALCON gains from more.`},
		{"falcon/table3", `
The methods inside BLIP-2, rewarded by ITG. An image is several vectors there, the nearest of which counts. Look whether the order of the methods is
ALBEF's. *blip2.ipynb* has all of the framework.`},
		{"falcon/table4", `
What the scheduler needs: how large a search space, which loss's improvement as its reward, and whether every anchor must have a
quantile of its own. The sizes are the paper's names; at this scale they are five mini-batches, the usual search space, and
five of these (at *tiny* the first two are one). Look at the last columns too: the paper suspects that a reward that is the fall of a contrastive loss drives the quantile down,
and has no numbers of it.`},
		{"falcon/table5", `
The hyper-parameters of the paper beside those of this scale, printed from the presets that the runs above used. Look where
they differ before you compare a number.`},
		{"falcon/table6", `
The sizes of the data: the paper's, and what was counted here. Look how many captions there are an image: several make false
negatives certain.`},
		{"falcon/figure2", `
At a fixed quantile of hardness, how often is the pair that was picked a false negative, epoch by epoch? Here this is counted.
Look whether the rate rises over training at high quantiles, and falls at lower ones. The levels are ours; the paper's are lost. The
next panel is of MAFA: what each threshold of its filter leaves of the true pairs among the hard negatives. The last one has the ITM
scores of its Con-D against how much captions say: the paper has those of true pairs fall, which no single threshold can follow.`},
		{"falcon/figure4", `
Some anchors with short, middle and long captions, and what the scheduler picked for them in each epoch at its sampled quantile.
A dashed frame marks a false negative: a caption that is true of the other image, too.`},
		{"falcon/figure5", `
The cosines of images with captions and of captions with images, epoch by epoch. FALCON adds the two because their scales are
alike; look whether they are.`},
		{"falcon/figure6", `
Retrieval on the validation split against the time it took, in units of ALBEF's time to convergence, and that time for each
method. Clocks of a machine that does other things meanwhile are worth little.`},
		{"falcon/D.1", `
The Beta distribution that the scheduler predicts for two simple and two complex anchors, epoch by epoch. Look whether it moves
at all, and whether the two kinds differ: by the paper complex anchors, which are slower to align, need lower quantiles, and
simple ones allow higher ones later in training.`},
		{"falcon/D.2", `
All methods over the epochs. Look whether an order of the methods holds all along or only at the end, and whether a method that
starts fast is overtaken. The paper has FALCON above all others in every epoch; it draws curves and prints no numbers.`},
		{"falcon/D.3", `
GRIT-VLP and MAFA over the sizes of the search space, and MAFA over its threshold. A larger space makes harder mini-batches,
which meet more false negatives; look whether retrieval suffers, as this paper says of both. MAFA's own paper has MAFA gain from a
larger space (mafa/table13): look which of the two is right here. At *tiny* the smallest sizes are one, and a Con-D that has learned nothing accepts nothing at any threshold.`},
		{"vlpx/reward", `
Beyond the paper: what the reward is. Mini-batches are built at fixed quantiles in turn and nothing is learned. A policy can learn
no more than these differences tell, by how many standard deviations of the noise.`},
		{"vlpx/policy", `
Beyond the paper: the quantile chosen for simple, middle and complex anchors against the share of false negatives among what was
picked for them, counted exactly. The paper expects lower quantiles for complex anchors, but it is the false negatives of simple ones
that gather at the top.`},
		{"vlpx/quantile", `
Beyond the paper: the scheduler against the fixed quantile that is best on the validation split.`},
		{"vlpx/density", `
Beyond the paper: the scheduler on scenes whose captions say less and less. A scheduler that avoids false negatives should choose lower
quantiles where there are more.`},
		{"vlpx/clip", `
Beyond the paper: the same methods on CLIP, which has two towers and the contrastive loss alone. Half of what hard negatives do to ALBEF
they do to image-text matching; look whether the order of the methods is the same without it.`},
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
