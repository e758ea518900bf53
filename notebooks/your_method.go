package notebooks

import (
	"strings"

	"vlpx.internal/kernels"
)

// yourMethod is the notebook that adds parts of one's own to FALCON's table 1, and measures by a task and trains a framework of one's own.
func yourMethod() kernels.Notebook {
	return kernels.Notebook{Cells: []kernels.Cell{
		kernels.Markdown(yourIntroduction),
		kernels.Markdown(scales),
		kernels.Go("import \"vlpx.internal/vlpx\"\n\nconst scale = \"tiny\""),
		kernels.Markdown(yourPartsExplained),
		kernels.Go(yourParts),
		kernels.Markdown(yourRowsExplained),
		kernels.Go(yourRows),
		kernels.Markdown(yourTaskExplained),
		kernels.Go(yourTask),
		kernels.Go(yourMeasure),
		kernels.Markdown(yourFrameworkExplained),
		kernels.Go(yourFramework),
		kernels.Go(yourRuns),
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
from the same first weights, judged by the same columns. Then it measures them by a task, and trains a framework, of its own.
`)

var yourPartsExplained = strings.TrimSpace(`
## Two parts

*Pivot* fills mini-batches with pairs whose captions are about equally like that of one random pair, the pivot. It sorts the
pairs by that similarity; *negative.Ordered* does the rest: it collects the embeddings of an epoch, cuts the order into
mini-batches, and makes a run that is interrupted go on as if it had not been.

*Filter* is InfoNCE without the negatives that look false: those more similar to the anchor than its own pair is, by more than a
margin. Matching picks its negatives by the similarities that a Contrast returns, so ITM does not see them either. It *tells* two
numbers by names of its own: what share of the negatives it filtered, and how many of these are indeed true pairs. Curves, figures
and tables have them without further code. *Truth* is the exact relation, for counting alone; photographs of which nobody judged
what is true have none.
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
	own, margin := objective.OneHotTargets(i2t), MulScalar(Inverse(in.Temperature), f.Margin)
	likely := func(logits *Node) *Node {
		return GreaterThan(logits, Add(ReduceAndKeep(Mul(logits, own), ReduceSum, -1), margin))
	}
	filtered := func(logits *Node) *Node { return Where(likely(logits), ConstAs(logits, -1e9), logits) }

	gone := ConvertDType(likely(i2t), own.DType()) // 1 or 0, images in rows
	in.TellShare("filtered", gone, OneMinus(own))
	if truth := in.Truth(); truth != nil {
		in.TellShare("true among filtered", Mul(gone, truth.Holds), Mul(gone, truth.Known))
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
likely ones does to retrieval. The last columns are what *Filter* reported of its last epoch, which the rows of others have not. At
*tiny* nothing is decided.
`)

const yourRows = `
%%
vlpx.Reproduce("falcon/table1", vlpx.Options{
	Scale:   scale,
	Methods: []string{"GRIT-VLP", "FALCON"},
	Without: []string{"NLVR2", "VQA"}, // which take further runs
	Own: []negative.Method{
		{Name: "Pivot", Batches: Pivot{}},
		{Name: "Pivot, filtered", Batches: Pivot{}, Contrast: Filter{Margin: 0.1}},
	},
})
`

var yourTaskExplained = strings.TrimSpace(`
## A task of your own

A task says what it measures, why it cannot be done with a framework on a split, and what a model gives. *Neighbours* asks whether
an image's nearest other image is of its class, which for a scene is its ground. *vlpx.Measure* measures finished runs and trains
nothing; in *Options.Tasks* a task is measured after each epoch as well, and has a column in every table.
`)

const yourTask = `
import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
)

type Neighbours struct{}

func (Neighbours) Metrics() []eval.Info {
	return []eval.Info{{Metric: "neighbours", Unit: "%", What: "images whose nearest other image is of their class"}}
}

func (Neighbours) Check(f framework.Framework, set datasets.Set) error {
	_, embeds := f.(framework.EmbedsImages)
	if _, labelled := set.(datasets.Labelled); !embeds || !labelled {
		return fmt.Errorf("neighbours: %s has to embed images, and %s to have classes", f.Name(), set.Name())
	}
	return nil
}

func (Neighbours) Measure(ctx context.Context, on eval.Subject) (eval.Measured, error) {
	images, err := on.Images(ctx)
	if err != nil {
		return eval.Measured{}, err
	}
	set, right := on.Set.(datasets.Labelled), 0.0
	cosines := eval.Cosines(images.Features, images.Features, len(images.Features)/set.Len())
	for i := range set.Len() {
		cosines.Row(i)[i] = -2 // below every other
		if row := cosines.Row(i); set.Class(slices.Index(row, slices.Max(row))) == set.Class(i) {
			right++
		}
	}
	return eval.Measured{Metrics: eval.Result{"neighbours": 100 * right / float64(set.Len())}}, nil
}
`

const yourMeasure = `
%%
vlpx.Measure(Neighbours{}, []string{"GRIT-VLP", "FALCON"}, vlpx.Options{Scale: scale})
vlpx.Measure(eval.Classification{Prompts: []string{"an object on {}"}}, []string{"GRIT-VLP", "FALCON"}, vlpx.Options{Scale: scale})
`

var yourFrameworkExplained = strings.TrimSpace(`
## A framework of your own

A framework declares which fields of a mini-batch it reads, names its losses, and builds them for any method. *Towers* is as small
as one gets: an image is a linear function of its pixels, a caption the mean of its words, and *framework.Contrast* makes ITC of
the two, by whichever Contrast the method has. As it embeds images and captions, retrieval, samplers and the task above take it.
`)

const yourFramework = `
import (
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/paper"
)

type Towers struct{ Image, Vocab, Embed int }

func newTowers(s paper.Scale, vocab int) framework.Framework { return Towers{s.Image, vocab, s.Embed} }

func (Towers) Name() string              { return "Towers" }
func (Towers) Losses() []negative.Loss   { return []negative.Loss{negative.ITC} }
func (Towers) Check(framework.Use) error { return nil }
func (t Towers) Dim() int                { return t.Embed }

func (t Towers) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(field.Captions, field.Progress), u.Images(field.Image, t.Image, t.Image, 3))
}

func (t Towers) EmbedImage(s *model.Scope, images *Node) framework.Embedded {
	pixels := Reshape(images, -1, t.Image*t.Image*3)
	return framework.Embedded{Feature: framework.Normalise(encoder.Linear(s.In("image"), pixels, t.Embed, false))}
}

func (t Towers) EmbedText(s *model.Scope, ids *Node) framework.Embedded {
	table := encoder.Variable(s.In("text"), ids.Graph(), encoder.Embedding, t.Vocab, t.Embed)
	words, there := Gather(table, InsertAxes(ids, -1)), NotEqual(ids, ZerosLike(ids)) // 0 is padding
	return framework.Embedded{Feature: framework.Normalise(ReduceSum(Mul(words, InsertAxes(ConvertDType(there, words.DType()), -1)), 1))}
}

func (t Towers) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	temperature := func(_ *model.Scope, g *Graph) *Node { return Const(g, float32(0.1)) }
	return framework.Contrast(s, u, in, framework.Contrasting{Temperature: temperature, Embed: func(s *model.Scope, in field.Nodes) []*Node {
		return []*Node{t.EmbedImage(s, in.Of(field.Image)).Feature, t.EmbedText(s, in.Of(field.Captions)).Feature}
	}})
}
`

const yourRuns = `
%%
vlpx.Compare([]string{"InfoNCE", "GRIT-VLP"}, vlpx.Options{
	Scale: scale,
	Seeds: []uint64{1},
	Model: newTowers,
	Tasks: []eval.Task{Neighbours{}},
})
`

var yourNext = strings.TrimSpace(`
## What to know before you change it

- The exported fields of a part are its settings: another *Margin* is another run, and both are kept. Fields that would be left out
  of the part's JSON are refused. They stand behind a name as settings of the scale do, *"Pivot, filtered, margin=.3"*, so that one
  call compares margins.
- To test yours against another, name both in *vlpx.Compare*, with the same *Own*.
- Code counts as well: a part, framework or task from a cell is identified by its type, its methods and all that these mention. When
  you change one of those, its rows run anew; they do not when you change a comment or another cell, ask for further seeds, or
  restart the kernel. Where that cannot be told, as of a variable that some function changes, the whole notebook counts, and the
  table's note says why.
- A part that stays is one file in this module, where its settings alone identify it. There a change of code is yours to tell: by
  another name of the type, or a field that counts its versions.
- What a run is to be measured by after each epoch is part of it, by *Options.Tasks*; *vlpx.Measure* asks of finished runs whatever
  you like, in any cell.
- A framework without image-text matching has no MAFA, and FALCON is rewarded by a loss that it has: *Set:
  []string{"falcon.objectives=ITC"}*. *Options{Framework: "clip"}* is one that is there; *vlpx.Show("frameworks")* lists them.
- *Tell* reports a scalar, *TellShare* a part of a whole, *TellMean* a sum over a number, in a unit. A Matching reports by what it is
  given, *negative.Contrasted*, a Positives by *Candidates*, a LeftOut by *Sight*, a framework by *framework.Use*, and an order of
  pairs by *negative.Seen*. What PyTorch's operations are in GoMLX tells docs/GOMLX.md.
- A Contrast, Matching or LeftOut that learns lists its variables, *func (Filter) Variables(negative.Start) []negative.Variable*, and
  reads one by *in.Variable("margin")*. The model's optimiser trains it; checkpoints and exports have it, as SigLIP's bias.
- A Contrast with variables of its own that are not trained, such as a queue, has a method *Declare*,
  too; one that needs momentum encoders *Momentum*
  and *Mix*; a Batches for which an order is not enough returns a *negative.Sampler* of its own. A Matching has one method, *Pairs*.
  Each part of the catalogue is a file in vlpx/negative to begin from.
`)
