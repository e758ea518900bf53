package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// tags is the notebook of TAGS-DC's tables and figures.
func tags() (kernels.Notebook, error) {
	notebook, err := compose(tagsIntroduction, "1, 2", []section{
		{"tags/table1", `
Retrieval by UNITER fine-tuned with retrieved negatives, and with written ones besides. Look at the last columns: how many of the written
"negatives" the scene makes true, before the filter, behind it, and among the hardest, which are trained against.`},
		{"tags/table2", `
What is masked, who writes, and what the two tasks on words add. Two rows are ours: the baseline, and TAGS trained on for as long as
TAGS-DC. Look at that one before you believe in the tasks.`},
		{"tags/table3", `
How fluent the sentences are to a language model, which is trained on the training captions here. Look whether the written ones lie
between the captions and those edited by rules.`},
		{"tags/table4", `
Who tells a caption from a written sentence. Look at UNITER: a model that writes is fooled by what it writes.`},
		{"tags/table5", `
The hyper-parameters, the paper's beside those of this scale. Look where they differ before you compare.`},
		{"tags/figure1", `
The score of a caption against that of its hardest negative: of a mini-batch, of the whole split, and of what is written. Above the line a
negative beats its caption. Look which of the written ones there are true: they are right to.`},
		{"tags/figure3", `
How hard the written sentences are over training, by the model that learns and by one that is frozen; beside it the same apart by truth. Look
whether false sentences sink while true ones stay.`},
		{"tags/figure4", `
A caption, what was written, and what correction makes of it. Words that were replaced are marked; the colour is the probability that word
discrimination gives them.`},
		{"vlpx/written", `
The paper asked two people about 200 sentences. Here every sentence is judged: by temperature, and by what was masked. Look at attributes: an
object mostly has some attribute that its caption does not mention.`},
		{"vlpx/tagged", `
Written sentences beside the negatives of ALBEF, GRIT-VLP and FALCON, whose mini-batches differ in hardness. Look at mAP over all true
captions, and at the false negatives that come in.`},
	})
	notebook.Cells = append(notebook.Cells, kernels.Markdown(strings.TrimSpace(`
## One caption, all that is written of it
The sentences that a trained model writes from one caption, hardest first, with the changed words marked, the scores, what the filter says and what is
true.`)), kernels.Go(`%%
vlpx.Explore("TAGS", vlpx.Options{Scale: scale, Framework: "UNITER"})`))
	return notebook, err
}

var tagsIntroduction = strings.TrimSpace(`
# TAGS-DC: negatives that are written, not found

The other papers choose among captions that exist. TAGS-DC (Tailoring neGative Sentences with Discrimination and Correction) masks what a caption's
scene graph names, an object, an attribute or a relation, and lets a masked language model refill it while it looks at the image. Of 400 sentences
those that the model itself finds most fitting become negatives: nothing in the data is as hard.

That makes false negatives certain: what fits best may well be true. A **filter** leaves out sentences whose new words all stand in another caption
of the image. Two further tasks look at words: **word discrimination** tells which were replaced, **word correction** what stood there.

The model is **UNITER**, one transformer over the words and the *regions* of an image. Of generated scenes the regions are the boxes of the objects,
with features by a small network that is not trained; of photographs they are read from files (docs/REGIONS.md) or are the patches of a locked
encoder. Retrieval ranks by the scores of all pairs.

**What is true** is known here: a sentence of the scenes' grammar is judged by its scene. A sentence that no rule of it reads counts as *not known*.
`)
