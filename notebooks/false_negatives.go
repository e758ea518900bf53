package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// falseNegatives is the notebook of the false-negatives explorer.
func falseNegatives() kernels.Notebook {
	return kernels.Notebook{Cells: []kernels.Cell{
		kernels.Markdown(exploreIntroduction),
		kernels.Go("import \"vlpx.internal/vlpx\""),
		kernels.Go("%%\nvlpx.Explore(\"InfoNCE\", vlpx.Options{Scale: \"tiny\"})"),
		kernels.Markdown(exploreRead),
		kernels.Go("%%\nvlpx.Explore(\"GRIT-VLP\", vlpx.Options{\n\tScale: \"tiny\", Methods: []string{\"InfoNCE\", \"ALBEF\", \"DiHT\", " +
			"\"FALCON\"},\n})"),
		kernels.Markdown(exploreNext),
	}}
}

var exploreIntroduction = strings.TrimSpace(`
# False negatives explorer

Pick an anchor, an image or a caption, and see what a trained model takes for its hardest negatives: the captions of other images, or
other images, that are most similar to it. A frame tells what is so: a *true pair* is a false negative. On generated scenes that is known
of every pair, on Flickr8k of those that people have judged.

The number in brackets is the cosine. In the table below the pictures every method says what it does with each of them. The model is
InfoNCE's; it is trained first if it is not in the store. In JupyterLab and Jupyter Notebook a form chooses the
anchor; executed without one, the cell shows the most telling anchor.
`)

var exploreRead = strings.TrimSpace(`
## How to read it

- **cosine** and **quantile**: how similar the negative is, and where it stands among all of the anchor's negatives: 1 is the most similar.
- **true pair**: *yes* is a false negative.
- **meet**: the chance that the two share a mini-batch in an epoch. Uniform sampling brings hard negatives together seldom, GRIT-VLP's
  grouping often, the false ones included. FALCON learns it from rewards, which cannot be told from outside.
- **push**: which share of ITC's push on the anchor comes from this negative, exactly: the derivative of the loss by the cosine of the
  two. The negatives that are pushed sum to 100 %. Below zero the two are pulled together: the own pair, in the first row, by as much as
  the negatives are pushed where a loss has one direction, and by another share where the other direction, from the partner's side, pulls or
  pushes, too. Look whether SRCL pushes false negatives less than InfoNCE does, and DiHT more.
- **ITM**: the chance that image-text matching takes it for the anchor's negative.
- **judge**, **becomes**: the probability that the discriminator of connections gives the two, here the model's own matching head, and what
  MAFA makes of it: above .8 a *positive*, from .5 to .8 left out, else a *negative*.

Beside an image a second table has the negatives that the model **writes** from its caption, as TAGS-DC does in training: some words
are masked, and its own masked language model refills them. Words that changed are marked.

- **above**: how far the score lies above the caption's; the hardest sentences come first.
- **masked**: what the scene graph names that was masked.
- **filter**: *annotated* if the new words all stand in captions of the image, so that the sentence counts as no negative.
- **of the image**: *true* behind *passed* is a false negative that the filter let through. The form has the **temperature** of
  refilling: what does a higher one make truer, or harder?

At *tiny* a model has hardly learned anything. With *Scale: "mini"* the same cell takes about two minutes the first time.

The next cell looks through the eyes of GRIT-VLP's model, and asks other methods. Are the hardest negatives others?
`)

var exploreNext = strings.TrimSpace(`
## Further

- Name the methods that you want to see side by side in *Methods*, and add your own with *Own*: any Contrast and any Matching can be
  asked, since the push is a derivative and the choice of ITM is drawn.
- *Data: "flickr8k"*, a folder in *$VLPX_DATA* or a path, explores photographs: the verdicts are people's where they judged a pair, and
  empty where nobody did.
- How every method ranks judged captions as a whole is *vlpx/human*; what the discriminator finds is *vlpx/con-d*, both in *mafa*.
`)
