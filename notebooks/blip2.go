package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// blip2 is the notebook of a framework: what FALCON and MAFA report of BLIP-2, stage by stage, and the project's own artifacts of it. The
// papers' notebooks have the papers' part, too.
func blip2() (kernels.Notebook, error) {
	notebook, err := compose(blip2Introduction, "1", "falcon/table3", "mafa/table7", "vlpx/blip2",
		"mafa/table8", "mafa/table20", "mafa/table19", "vlpx/captions", "vlpx/questions")
	notebook.Cells = append(notebook.Cells, kernels.Markdown(blip2Next))
	return notebook, err
}

var blip2Introduction = strings.TrimSpace(`
# BLIP-2: false negatives where an image is several vectors

BLIP-2 reads a frozen image encoder by a **Q-Former**: a few learned *queries*, which look at the image's tokens. It is trained in
two stages.

1. The queries learn beside captions, by three losses: *ITC*, for which an image is as near to a caption as the nearest of its
   queries; *ITM*, whether the two match; and *ITG*, to write the caption. What FALCON, MAFA and GRIT-VLP do about negatives they do
   here.
2. The queries stand in front of a frozen **language model**, which writes what they see: captions, or answers behind a question.
   There are no negatives; what the first stage made of its own is all that is left of them.

FALCON and MAFA report that their gains on ALBEF hold here. What nobody has counted is how many negatives are false when the best of
several vectors decides.

**What is frozen here.** The published encoder and language model are billions of weights, learned from the web. Here both are small
and learned from the scenes: the image encoder is a run of CLIP, the language model one of OPT, which reads captions, questions and
answers and sees no image. They are made once, before all others, and are the same for all rows and seeds
([docs/BLIP2.md](../docs/BLIP2.md)).
`)

var blip2Next = strings.TrimSpace(`
## Further

- *-framework blip-2* puts other tables on the first stage: *vlpx.Reproduce("falcon/table1", vlpx.Options{Scale: scale, Framework:
  "BLIP-2"})*. Methods that need momentum encoders are left out.
- *Without: []string{"second"}* leaves a downstream task out, which saves its runs: *generation*, *captioning*, *NoCaps* and
  *second* are those of these tables.
- *Set: []string{"queries=16"}* changes how many vectors an image has.
`)
