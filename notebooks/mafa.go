package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// mafa is the notebook of MAFA's tables and figures, and of how methods judge pairs.
func mafa() (kernels.Notebook, error) {
	return compose(mafaIntroduction, "1", []section{
		{"mafa/table1", `
Why anything is to be mended: how many of the anchors' hardest negatives are false, under random and under grouped sampling.
Look how many times more grouping meets, and whether clean captions, which are true of more images, have more than noisy ones.
The paper estimates them by a strong model; ours are counted.`},
		{"mafa/table2", `
Where a mini-batch's soft labels lie. In a grouped mini-batch all pairs are alike; look whether only S-ITC leaves those behind the
first five a label worth having. In the paper consistency gives nearly all to these, and momentum the rest to its queue.`},
		{"mafa/table3", `
Fine-tuned retrieval, the paper's main comparison. Look whether MAFA on noisy captions is above ALBEF and GRIT-VLP there, and how
that lead compares with what clean captions give. NLVR2 and VQA are
fine-tuned from each row's pre-training.`},
		{"mafa/table4", `
The two components, each alone and together, on noisy and on clean captions. Look at *left*, the false negatives that mining
leaves among the hardest: where it hardly falls, mining has done little, and a difference in retrieval has another cause.`},
		{"mafa/table5", `
Mining with and without grouped mini-batches, and new positives that are only eliminated (ECM-E) against those that are
converted. The paper finds mining worth more where mini-batches are hard, and converting better than eliminating.`},
		{"mafa/table6", `
Kinds of labels for ITC, under random and under grouped sampling. Look whether S-ITC changes sign: a gain in grouped
mini-batches, a loss in random ones, whose pairs have little in common.`},
		{"mafa/table7", `
BLIP-2, fine-tuned for retrieval. In the paper GRIT-VLP's mini-batches alone break it. Look whether they do here, and whether MAFA mends it. *blip2.ipynb* tells
the framework's story in order.`},
		{"mafa/table8", `
What BLIP-2's second stage writes, untaught: answers to questions, and captions. Look at *true*, the captions that the scene makes true, before you look at
the measures of words.`},
		{"mafa/table9", `
The count of table 1 by two judges. The relation takes the place of the paper's strongest model, Con-D that of its own kind. Look
whether Con-D tells the same order of the rows, and whether it counts more or fewer than there are; then, by *precision* and
*recall*, how many of its new positives are true and how many true pairs it finds.`},
		{"mafa/table10", `
Table 3 with every recall. Look whether an order at R@1 still holds at R@10, and at the last columns whether it holds where every
true pair counts.`},
		{"mafa/table11", `
Table 4 with every recall; the same runs.`},
		{"mafa/table12", `
What the methods cost: an epoch's time, parameters and queues. Look whether asking Con-D costs less than momentum encoders, as the
paper says; that Con-D has to be trained first is in neither's number. A clock at *tiny*, with few steps, is worth little.`},
		{"mafa/table13", `
GRIT-VLP and MAFA over the size of the search space; figure 2 draws it. The paper has GRIT-VLP fall and MAFA rise from the
smallest to the largest; FALCON's paper has both fall (falcon/D.3). The rows are named after the paper's sizes: *500 B* is five
times the usual search space here, where the paper has ten times. At *tiny* 10 B and 50 B are the same size, and so the same runs.`},
		{"mafa/table14", `
New positives in one loss at a time. Look in which they teach the most, whether ITC gains the least, as in the paper, and whether all three together are more than each. S-ITC
is left out, so that ITC keeps GRIT-VLP's consistency.`},
		{"mafa/table15", `
Con-D's threshold: at .5 every pair that it thinks likelier true than not is a new positive, and nothing is ambiguous; at .8 the
paper's setting. Look first how many new positives there are at all, then at *precision* and *recall*.`},
		{"mafa/table16", `
What a perfect judge would give: in the oracle's row the relation says what is true. Look how much of the way from GRIT-VLP to the
oracle MAFA goes, in retrieval and in the false negatives *left*. Where the oracle itself is no better than GRIT-VLP, do not
expect it of Con-D. The paper finds only a little gap between MAFA and its oracle, a stronger model.`},
		{"mafa/table17", `
Table 6 with momentum distillation without its queue (MD_NQ). Look whether the queue hurts under grouped sampling, where it holds
what is far from the mini-batch.`},
		{"mafa/table18", `
How much to smooth. The paper finds .1 to .7 alike and only .9 worse; look whether the range is as wide here.`},
		{"mafa/table19", `
BLIP-2 fine-tuned for captions, and what it writes of things that it has never read of. Look whether a lead is the same *in-domain* and *out-of-domain*.`},
		{"mafa/table20", `
Pairs that BLIP-2's first stage holds for true, as data of the second. Look how many of them are.`},
		{"mafa/figure2", `
Retrieval and false negatives over the search space; a search space of one mini-batch is random sampling. Look where the false
negatives rise, and whether the two methods part there.`},
		{"mafa/figure5", `
False negatives over the batch size under random sampling. Of all negatives the share is the same at every size, but the hardest
of more is a false one more often: look whether the two curves part. Epochs are the same, so that a larger mini-batch
means fewer steps, too: at *tiny* the largest learn hardly anything.`},
		{"mafa/figure6", `
The mean recall over the share of the training images that is used, for Con-D too. Look whether MAFA's lead is there at every
share, or grows as its judge sees more.`},
		{"mafa/figure7", `
Images that Con-D called true of a caption. A cross marks a false negative found, a grey frame a pair that is not true and
would be taught as if it were. No figure means that it called none so.`},
		{"mafa/figure8", `
Captions that Con-D called true of an image, with the same marks. Look whether its errors are near misses, such as another
colour, or have nothing in common with the image.`},
		{"vlpx/human", `
Beyond the papers: does a method know a true caption that was written for another image? AUC is how often it scores such a
caption above a false one, 50 % being chance. On *flickr8k* people judged 50,601 pairs and found 2,266 true; on scenes the relation does. Look whether MAFA and
FALCON are above GRIT-VLP, and at Con-D's row: what its threshold finds is all that MAFA can mend.`},
		{"vlpx/agreement", `
Does the papers' measure rank the methods as the truth does? Each slope is a method, from its rank by own captions to that by another
measure: true captions accepted, judged pairs, or precision over all that is true. Where slopes cross the two disagree. Compare τ of a
seed with *τ with itself, two seeds*: where a measure does not even agree with itself, nothing is to be made of a disagreement.`},
		{"vlpx/con-d", `
Beyond the paper: several judges, the same student. Look at the curves of precision and recall for a threshold at which a judge
finds true pairs and is mostly right, and then, between *none* and *the relation*, what finding more of them is worth.`},
	})
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
