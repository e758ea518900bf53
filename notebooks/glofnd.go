package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// glofnd is the notebook of GloFND's tables and figures.
func glofnd() (kernels.Notebook, error) {
	return compose(glofndIntroduction, "1", "glofnd", "vlpx/ceilings-images", "vlpx/leftout", "vlpx/map")
}

var glofndIntroduction = strings.TrimSpace(`
# GloFND: false negatives found by a threshold of each anchor

What is similar to an anchor is taken for its false negative: the share *alpha* of all data that is most similar to it. Which that is
cannot be seen in a mini-batch, whose most similar image may be nothing like the anchor. GloFND (Global False Negative Discovery) keeps a
threshold for each anchor, a number that is moved at each visit until the share *alpha* of the anchor's negatives has a higher
cosine. Negatives above it are left out of the loss.

The first part is of images alone: two views of each, contrasted by **SogCLR**, which replaces the sum over a mini-batch in the
denominator by a moving average that each anchor keeps, and so does without large mini-batches. The second part is of images and
captions, on CLIP.

**FNC** here is what GloFND's published code compares itself with: the most similar negatives of each mini-batch, the same number for each
anchor. (FNC as published has a support set and a fixed threshold; it is *negative.Cancellation*, on two views.)

**What is false** is known: of CIFAR-100, which is used where *$VLPX_DATA* has it and the scale is not *tiny*, two images of a class;
of generated scenes, two of one shape; of captions, the exact relation.
`)
