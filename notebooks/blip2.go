package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// blip2 is the notebook of a framework: what FALCON and MAFA report of BLIP-2, stage by stage, and the project's own artifacts of it. The papers'
// notebooks have the papers' part, too.
func blip2() (kernels.Notebook, error) {
	notebook, err := compose(blip2Introduction, "1", []section{
		{"falcon/table3", `
**The first stage.** FALCON, MAFA and GRIT-VLP's mini-batches, as they are. FALCON's scheduler is rewarded by ITG, the loss of writing a caption. Look at
re-ranked retrieval first, then at the columns that accept every true pair.`},
		{"mafa/table7", `
The first stage on noisy captions, fine-tuned for retrieval on clean ones. The paper reports that GRIT-VLP's mini-batches alone break BLIP-2, by 17
points of TR@1, and that MAFA mends it. Look whether anything breaks here.`},
		{"vlpx/blip2", `
Beyond the papers: how many of the hardest negatives are false when an image is as near to a caption as the nearest of its queries is. ALBEF's rows,
whose images are one vector, stand below. The oracle's row is MAFA with the relation as judge: what the labels could mend at best.`},
		{"mafa/table8", `
**The second stage.** The queries now stand in front of a frozen language model, which writes. Nobody taught it to answer questions about
images; it has read questions and answers alone. Look whether MAFA's first stage makes a second that writes more true captions.`},
		{"mafa/table20", `
The second stage has no negatives, so that mining can only add data: pairs that the first stage holds for true. Look at *Added*: how many there are, how
many are true, and whether they teach more than the stage's own pairs again.`},
		{"mafa/table19", `
Fine-tuned for captions, the image encoder still frozen. NoCaps asks for objects that no training caption names; here they are scenes of a second world.
Look how far *out-of-domain* falls behind *in-domain*.`},
		{"vlpx/captions", `
What is written, below the pictures. A wrong caption has a frame with a cross. Look what it gets wrong: the object, its attributes, a relation or the
ground. Without a frame the sentence is none of the captions' grammar, so that nothing tells whether it is true.`},
		{"vlpx/questions", `
The same questions, by four models. ALBEF is fine-tuned for them and ranks the answers of training, with probabilities; BLIP-2 writes one answer, untaught.
Look at the kinds: whether yes-or-no questions are more than guessed, and whether counting is learned at all.`},
	})
	notebook.Cells = append(notebook.Cells, kernels.Markdown(blip2Next))
	return notebook, err
}

var blip2Introduction = strings.TrimSpace(`
# BLIP-2: false negatives where an image is several vectors

BLIP-2 reads a frozen image encoder by a **Q-Former**: a few learned *queries*, which look at the image's tokens. It is trained in two stages.

1. The queries learn beside captions, by three losses: *ITC*, for which an image is as near to a caption as the nearest of its queries; *ITM*, whether the two
   match; and *ITG*, to write the caption. What FALCON, MAFA and GRIT-VLP do about negatives they do here.
2. The queries stand in front of a frozen **language model**, which writes what they see: captions, or answers behind a question. There are no
   negatives; what the first stage made of its own is all that is left of them.

FALCON and MAFA report that their gains on ALBEF hold here. What nobody has counted is how many negatives are false when the best of several vectors
decides.

**What is frozen here.** The published encoder and language model are billions of weights, learned from the web. Here both are small and learned from the
scenes: the image encoder is a run of CLIP, the language model one of OPT, which reads captions, questions and answers and sees no image. They are made
once, before all others, and are the same for all rows and seeds ([docs/BLIP2.md](../docs/BLIP2.md)).
`)

var blip2Next = strings.TrimSpace(`
## Further

- *-framework blip-2* puts other tables on the first stage: *vlpx.Reproduce("falcon/table1", vlpx.Options{Scale: scale, Framework: "BLIP-2"})*. Methods that
  need momentum encoders are left out.
- *Without: []string{"second"}* leaves a downstream task out, which saves its runs: *generation*, *captioning*, *NoCaps* and *second* are those of these
  tables.
- *Set: []string{"queries=16"}* changes how many vectors an image has.
`)
