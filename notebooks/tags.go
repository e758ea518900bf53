package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// tags is the notebook of TAGS-DC's tables and figures.
func tags() (kernels.Notebook, error) {
	notebook, err := compose(tagsIntroduction, "1, 2", "tags", "vlpx/written", "vlpx/tagged", "vlpx/ceilings-written")
	notebook.Cells = append(notebook.Cells, kernels.Markdown(strings.TrimSpace(`
## One caption, all that is written of it
The sentences that a trained model writes from one caption, hardest first, with the changed words marked, the scores, what the
filter says and what is true.`)), kernels.Go(`%%
vlpx.Explore("TAGS", vlpx.Options{Scale: scale, Framework: "UNITER"})`))
	return notebook, err
}

var tagsIntroduction = strings.TrimSpace(`
# TAGS-DC: negatives that are written, not found

The other papers choose among captions that exist. TAGS-DC (Tailoring neGative Sentences with Discrimination and Correction) masks
what a caption's scene graph names, an object, an attribute or a relation, and lets a masked language model refill it while it looks
at the image. Of 400 sentences those that the model itself finds most fitting become negatives: nothing in the data is as hard.

That makes false negatives certain: what fits best may well be true. A **filter** leaves out sentences whose new words all stand in
another caption of the image. Two further tasks look at words: **word discrimination** tells which were replaced, **word
correction** what stood there.

The model is **UNITER**, one transformer over the words and the *regions* of an image. Of generated scenes the regions are the boxes
of the objects, with features by a small network that is not trained; of photographs they are read from files (docs/REGIONS.md) or
are the patches of a locked encoder. Retrieval ranks by the scores of all pairs.

**What is true** is known here: a sentence of the scenes' grammar is judged by its scene. A sentence that no rule of it reads counts
as *not known*.
`)
