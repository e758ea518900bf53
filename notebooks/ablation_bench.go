package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// ablationBench is the notebook of the ablation bench.
func ablationBench() kernels.Notebook {
	return kernels.Notebook{Cells: []kernels.Cell{
		kernels.Markdown(benchIntroduction),
		kernels.Go("import \"vlpx.internal/vlpx\""),
		kernels.Go("%%\nvlpx.Bench(vlpx.Options{Scale: \"tiny\", Seeds: []uint64{1, 2}})"),
		kernels.Markdown(benchCode),
		kernels.Go(benchSweep),
		kernels.Markdown(benchNext),
	}}
}

var benchIntroduction = strings.TrimSpace(`
# Ablation bench

A method answers four questions about the negatives of a mini-batch, each with a part that can be exchanged alone:

- **batches**: which pairs share a mini-batch?
- **contrast**: how does ITC, the image-text contrastive loss, weigh the other pairs?
- **matching**: which negatives does ITM, the image-text matching loss, see?
- **positives**: which negatives become positives?

The papers' methods are a few of the combinations. Here you make any of them: choose the parts, move the sliders, press **Run**. The
curves are drawn while it trains. **Stop** keeps a checkpoint: the next *Run* of the same composition goes on from it. **Compare** sets all
that you ran side by side, each against the plain method (uniform mini-batches, InfoNCE, hardest negative). **Finish** ends the cell, which
the other cells wait for. Rest the pointer on a name to see what its choices are; a slider that the chosen parts do not use changes
nothing, and the name of the composition tells which they use (*M* is the search space, *q* the quantile, *alpha* the weight
of the soft targets, *tau* the temperature). In a page without controls the cell compares the plain method with GRIT-VLP's parts:
grouped mini-batches and *consistency*, the agreement of an anchor's two views.
`)

var benchCode = strings.TrimSpace(`
## The same as code

What you find on the bench can be said in one call, which is how it gets into a paper: a setting swept over values, several seeds, a table
and a figure. *Hard quantile* is the row of *falcon/table1* whose hardness is the setting *hard*.
`)

const benchSweep = `
%%
vlpx.Compare([]string{
	"Hard quantile", "Hard quantile, hard=.7", "Hard quantile, hard=.5", "Hard quantile, hard=.3",
}, vlpx.Options{Scale: "tiny", Seeds: []uint64{1, 2}})
`

var benchNext = strings.TrimSpace(`
At *tiny* differences are noise. When a composition is worth it, take *Scale: "mini"* and three seeds or more, here or in a shell:
*vlpx compare "Hard quantile, hard=.7" "Hard quantile, hard=.5" -scale mini -seeds 1,2,3*. Choose settings by the validation split, as
*falcon/D.3* does, and never by the test split that these tables show.
`)
