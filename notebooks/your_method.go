package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// yourMethod is the notebook that adds parts of one's own to FALCON's table 1.
func yourMethod() kernels.Notebook {
	return kernels.Notebook{Cells: []kernels.Cell{
		kernels.Markdown(yourIntroduction),
		kernels.Markdown(scales),
		kernels.Go("import \"vlpx.internal/vlpx\"\n\nconst scale = \"tiny\""),
		kernels.Markdown(yourPartsExplained),
		kernels.Go(yourParts),
		kernels.Markdown(yourRowsExplained),
		kernels.Go(yourRows),
		kernels.Markdown(yourNext),
	}}
}

var yourIntroduction = strings.TrimSpace(`
# A method of your own, in one cell

A method answers questions about negatives, each with a part that can be exchanged alone. Three of them:

- **Batches**: which pairs share a mini-batch?
- **Contrast**: how does ITC, the image-text contrastive loss, weigh the other pairs of the mini-batch?
- **Matching**: which negatives does ITM, the image-text matching loss, see?

This notebook writes a Batches and a Contrast in less than 40 lines, and runs them beside GRIT-VLP and FALCON: on the same data,
from the same first weights, judged by the same columns.
`)

var yourPartsExplained = strings.TrimSpace(`
## Two parts

*Pivot* fills mini-batches with pairs whose captions are about equally like that of one random pair, the pivot. It sorts the
pairs by that similarity; *negative.Ordered* does the rest: it collects the embeddings of an epoch, cuts the order into
mini-batches, and makes a run that is interrupted go on as if it had not been.

*Filter* is InfoNCE without the negatives that look false: those more similar to the anchor than its own pair is, by more than a
margin. Matching picks its negatives by the similarities that a Contrast returns, so ITM does not see them either.
`)

const yourParts = `
import (
	"cmp"
	"math/rand/v2"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

type Pivot struct{}

func (p Pivot) Start(run negative.Start) (negative.Sampler, error) { return negative.Ordered(run, p.order) }

func (Pivot) order(seen negative.Seen, draw *rand.Rand) []int {
	pivot, similarity := draw.IntN(seen.Pairs), make([]float32, seen.Pairs)
	for i := range similarity {
		for d := range seen.Dim {
			similarity[i] += seen.Text[pivot*seen.Dim+d] * seen.Text[i*seen.Dim+d]
		}
	}
	order := draw.Perm(seen.Pairs)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(similarity[a], similarity[b]) })
	return order
}

type Filter struct{ Margin float64 } // of cosines

func (f Filter) ITC(in negative.Features) negative.Contrasted {
	i2t := objective.Similarities(in.Image, in.Text, in.Temperature)
	own, margin := objective.Own(i2t), MulScalar(Inverse(in.Temperature), f.Margin)
	filtered := func(logits *Node) *Node {
		limit := Add(ReduceAndKeep(Mul(logits, own), ReduceSum, -1), margin)
		return Where(GreaterThan(logits, limit), ConstAs(logits, -1e9), logits)
	}
	t2i := filtered(Transpose(i2t, 0, 1))
	i2t = filtered(i2t)
	return negative.Contrasted{Loss: objective.ITC(i2t, t2i, own, own), I2T: i2t, T2I: t2i}
}
`

var yourRowsExplained = strings.TrimSpace(`
## Beside GRIT-VLP and FALCON

*Own* adds rows to FALCON's table 1. A part that is left out is the plain one: uniform mini-batches, InfoNCE, the hardest
negative. Look at the last rows: how many false negatives your mini-batches hold beside GRIT-VLP's, and what leaving out the
likely ones does to retrieval. At *tiny* nothing is decided.
`)

const yourRows = `
%%
vlpx.Reproduce("falcon/table1", vlpx.Options{
	Scale:   scale,
	Methods: []string{"GRIT-VLP", "FALCON"},
	Own: []negative.Method{
		{Name: "Pivot", Batches: Pivot{}},
		{Name: "Pivot, filtered", Batches: Pivot{}, Contrast: Filter{Margin: 0.1}},
	},
})
`

var yourNext = strings.TrimSpace(`
## What to know before you change it

- The exported fields of a part are its settings: another *Margin* is another run, and both are kept. Fields that would be left
  out of the part's JSON are refused. They do not stand behind a name as settings of the scale do: to compare margins, give each a method
  of its own.
- To test yours against another, name both in *vlpx.Compare*, with the same *Own*.
- Code is no setting. So a run with a part from a cell is identified by the whole program as well: when you change a cell, the
  rows of your own run anew, and so they do after the kernel restarts. Try things at *tiny*; for long runs move the part into a
  package of this module, where a run is kept until its settings change. There a change of code is yours to tell: by another
  name of the type, or a field that counts its versions.
- A Contrast with variables of its own, such as a queue, has a method *Declare*, too; one that needs momentum encoders *Momentum*
  and *Mix*; a Batches for which an order is not enough returns a *negative.Sampler* of its own. A Matching has one method,
  *Pairs*. Each part of the catalogue is a file in vlpx/negative to begin from.
`)
