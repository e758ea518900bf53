package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// mafa is the notebook of MAFA's tables and figures, and of how methods judge pairs.
func mafa() (kernels.Notebook, error) {
	return compose(mafaIntroduction, "1", "mafa", "vlpx/human", "vlpx/agreement", "vlpx/con-d", "vlpx/ceilings")
}

var mafaIntroduction = strings.TrimSpace(`
# MAFA: converting false negatives

GRIT-VLP fills mini-batches with similar pairs, and among those hide *false negatives*: a caption that is true of another pair's
image, too, and is pushed away from it. MAFA (Managing False Negatives) keeps the grouping and mends the labels:

- *ECM*, efficient connection mining: before the hardest negatives are used, a frozen discriminator, *Con-D*, gives each its
  probability of matching. Below .5 it stays a negative; above .8 it is converted to a positive, in all three losses; between,
  another negative takes its place. Con-D is a model of the same kind, pre-trained and fine-tuned for retrieval before.
- *S-ITC*, smoothed ITC: in a mini-batch of similar pairs every pair gets a share of the label.

The paper reports that MAFA gains over GRIT-VLP on every task, and that hard mini-batches then help instead of hurting.

**What to expect of Con-D here.** The thresholds .5 and .8 are the paper's, for a discriminator that was pre-trained on millions
of pairs and fine-tuned on COCO. Generated scenes hold false negatives much more densely: about a third of the hardest negatives
are true pairs. Our Con-D learns from the same captions, and so it has been taught, time after time, that such pairs do not
match. It calls true pairs negatives itself and rarely reaches .8: few are converted, and MAFA is then little more than GRIT-VLP
with S-ITC. At *tiny* it converts none, and there are no figures of what it found. That is a finding about these data, not
about photographs. Read each table with its columns of new positives, and beside the *oracle* of table 16, where the data's own
relation judges: it shows what a perfect judge would give. The last section compares judges at every threshold.

Here the pairs are generated scenes, for which it is known exactly which caption is true of which image. So false negatives, and
Con-D's errors, are counted, not estimated.
`)
