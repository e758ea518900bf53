package bench

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
	"vlpx.internal/vlpx/scheduler"
)

// Outlook is what something takes at numbers of training pairs that are not here: on paper.
type Outlook struct {
	What   string
	Where  string  // it lies or is computed
	Unit   string  // of the values: "bytes", "s", or "" of a number
	Points []Point // at the numbers of training pairs
	From   string  // what the values are computed from
}

// What is published, of which the outlook is.
const (
	publishedDim        = 256    // of embeddings (ALBEF, GRIT-VLP, MAFA and FALCON)
	publishedSpace      = 28_320 // FALCON's search space of 4 million pairs
	publishedQuantiles  = 100    // of a state of FALCON's
	publishedGroup      = 1_920  // GRIT-VLP's search space, and
	publishedGroupQueue = 48_000 // its queue
)

// looked is how many pairs FALCON's search space is measured with.
const looked = 4_800

// DefaultPairs are those of the data sets that the papers pre-train on, 4M and 14M, and of LAION-400M; DefaultWorkers are the GPUs that
// ALBEF was trained with.
func DefaultPairs() []int { return []int{4_000_000, 14_000_000, 400_000_000} }

const DefaultWorkers = 8

// looksOut computes the outlooks, of a case whose loader was measured.
func (b *bench) looksOut(ctx context.Context, c Case) error {
	b.say("costs: search spaces of the published sizes")
	space, err := b.spaceSeconds(ctx)
	if err != nil {
		return err
	}
	group, err := b.groupSeconds(ctx)
	if err != nil {
		return err
	}
	var perCore float64 // pairs a second
	for _, cost := range b.result.Costs {
		if cost.What == loaderCost {
			perCore = float64(c.Run.Train.BatchSize) / cost.Points[0].Value
		}
	}
	perSample := map[string]float64{}
	for _, name := range []string{"SogCLR", "GloFND"} {
		if perSample[name], err = bytesPerSample(sampled(name)); err != nil {
			return err
		}
	}
	b.result.Outlooks = outlooks(b.pairs(), b.workers(), space, group, perCore, perSample)
	return nil
}

// pairs are those of the outlook, and workers share them.
func (b *bench) pairs() []int {
	if len(b.Pairs) == 0 {
		return DefaultPairs()
	}
	return b.Pairs
}

func (b *bench) workers() int {
	if b.Workers == 0 {
		return DefaultWorkers
	}
	return b.Workers
}

// outlooks are computed from what was measured.
//
//   - space, group: seconds of one of FALCON's and of GRIT-VLP's search spaces at its published size.
//   - perCore: pairs a second that the loader brings with one core.
//   - perSample: bytes of a training pair by the method that keeps them.
func outlooks(pairs []int, workers int, space, group, perCore float64, perSample map[string]float64) []Outlook {
	const host, day = "host", 24 * 60 * 60
	single, half := float64(2*publishedDim*4), float64(2*publishedDim*2)
	w := float64(workers)
	worker := fmt.Sprintf("each of %d workers; not done", workers)
	counted := func(of string) string { return "counted: " + of }
	measured := fmt.Sprintf("measured with %d pairs and extrapolated by M²", looked)
	const grouped = "measured at this size"
	const kept = "counted in the variables; a step has a window of its mini-batch on the engine"
	spaces := func(n float64) float64 { return ceil(n / publishedSpace) }
	groups := func(n float64) float64 { return ceil(n / publishedGroup) }
	spaceBytes := float64(scheduler.SpaceBytes(publishedSpace, publishedDim, publishedQuantiles))
	var all []Outlook
	row := func(what, where, unit, from string, value func(n float64) float64) {
		o := Outlook{What: what, Where: where, Unit: unit, From: from}
		for _, n := range pairs {
			o.Points = append(o.Points, Point{float64(n), value(float64(n))})
		}
		all = append(all, o)
	}
	of := fmt.Sprintf("an image's and a caption's, of %d numbers", publishedDim)
	row("embeddings of all pairs, float32 (FALCON)", host+", and each checkpoint", "bytes", counted(of),
		func(n float64) float64 { return n * single })
	row("the same in half precision", host+"; not done", "bytes", counted(of), func(n float64) float64 { return n * half })
	row("embeddings of its pairs, float32 (FALCON)", worker, "bytes", counted(of), func(n float64) float64 { return ceil(n/w) * single })
	row("GRIT-VLP's queue", host, "bytes", counted(fmt.Sprintf("%d pairs, whatever there are", publishedGroupQueue)),
		func(n float64) float64 { return min(n, publishedGroupQueue) * single })
	row("the order of an epoch", host, "bytes", counted("a number a pair"), func(n float64) float64 { return 8 * n })
	for _, name := range []string{"SogCLR", "GloFND"} {
		row("numbers of samples ("+name+")", host, "bytes", kept, func(n float64) float64 { return n * perSample[name] })
	}
	row(fmt.Sprintf("FALCON's search space of %d", publishedSpace), host, "bytes", counted("M² bytes, embeddings and states"),
		func(n float64) float64 { return spaceBytes })
	row("FALCON's search spaces, an epoch", host, "", counted("pairs over M"), spaces)
	row("their time", host, "s", measured, func(n float64) float64 { return spaces(n) * space })
	row("local search spaces, an epoch (FALCON)", worker, "", counted("pairs of the worker over M"),
		func(n float64) float64 { return spaces(ceil(n / w)) })
	row("their time, all workers at once", worker, "s", measured, func(n float64) float64 { return spaces(ceil(n/w)) * space })
	row(fmt.Sprintf("GRIT-VLP's search spaces of %d, their time", publishedGroup), host, "s", grouped,
		func(n float64) float64 { return groups(n) * group })
	row("local search spaces of GRIT-VLP, their time", worker, "s", grouped, func(n float64) float64 { return groups(ceil(n/w)) * group })
	row("pairs a second for an epoch a day", "loader", "", counted("pairs over a day"), func(n float64) float64 { return n / day })
	row("cores for that", "loader", "", "measured with one core, of images of this scale",
		func(n float64) float64 { return n / day / perCore })
	return all
}

// ceil is x rounded up to a whole number.
func ceil(x float64) float64 {
	n := float64(int(x))
	if n < x {
		n++
	}
	return n
}

// unlike draws embeddings of pairs, [pairs, publishedDim].
func unlike(pairs int) (image, text []float32) {
	r := random.Stream(1, "benchmark", "embeddings")
	image, text = make([]float32, pairs*publishedDim), make([]float32, pairs*publishedDim)
	draw(r, image, publishedDim)
	draw(r, text, publishedDim)
	return image, text
}

// spaceSeconds is what one of FALCON's search spaces takes at its published size, states, buckets and the walk through it, from a smaller
// one.
func (b *bench) spaceSeconds(ctx context.Context) (float64, error) {
	image, text := unlike(looked)
	times, err := repeated(ctx, b.few(), func() error {
		space := scheduler.NewSpace(image, text, publishedDim, publishedQuantiles)
		for anchor := 0; ; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if space.Take(anchor); space.Remaining() == 0 {
				return nil
			}
			anchor = space.Pick(anchor, 0.9)
		}
	})
	if err != nil {
		return 0, err
	}
	by := float64(publishedSpace) / looked
	return times.Median() * by * by, nil
}

// groupSeconds is what one of GRIT-VLP's search spaces takes.
func (b *bench) groupSeconds(ctx context.Context) (float64, error) {
	image, text := unlike(publishedGroup)
	times, err := repeated(ctx, b.few(), func() error {
		_, err := negative.Chain(image, text, publishedDim, 0, 1)
		return err
	})
	return times.Median(), err
}

// keptBytes are those of what a method keeps of so many training pairs.
func keptBytes(method negative.Method, start negative.Start) (float64, error) {
	store, bytes := model.NewStore(), 0
	defer store.Finalize()
	if err := method.DeclareState(store.Scope(framework.State), start); err != nil {
		return 0, err
	}
	for v := range store.IterVariables() {
		bytes += int(v.Shape().ByteSize())
	}
	return float64(bytes), nil
}

// bytesPerSample are what a method keeps of one more training pair.
func bytesPerSample(method negative.Method) (float64, error) {
	var kept [2]float64
	for k := range kept {
		var err error
		start := negative.Start{Pairs: 1024 << k, BatchSize: 32, Dim: publishedDim, Epochs: 1,
			Anchors: []string{negative.ImageAnchors, negative.TextAnchors}}
		if kept[k], err = keptBytes(method, start); err != nil {
			return 0, err
		}
	}
	return (kept[1] - kept[0]) / 1024, nil
}

// outlook has a row an outlook and a column a number of pairs.
func (r Result) outlook() tables.Table {
	t := tables.Table{
		Title: "More training pairs, on paper", Heading: "what",
		Note: "Nothing of this was run: it is computed from what the published sizes take (embeddings of " + strconv.Itoa(publishedDim) +
			" numbers) and from what was measured. Not done is what training here does not do: one process has all pairs and search " +
			"spaces of a run, and no halves are kept. " + r.note(),
		Columns: []tables.Column{{Name: "where", Breaks: true}},
	}
	for _, p := range r.Outlooks[0].Points {
		t.Columns = append(t.Columns, tables.Column{Name: many(p.At) + " pairs"})
	}
	t.Columns = append(t.Columns, tables.Column{Name: "from", Breaks: true})
	for _, o := range r.Outlooks {
		texts := []string{o.Where}
		for _, p := range o.Points {
			texts = append(texts, o.value(p.Value))
		}
		row := tables.Row{Name: o.What}
		for _, text := range append(texts, o.From) {
			row.Cells = append(row.Cells, tables.Cell{{Text: text}})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// value tells a value with its unit.
func (o Outlook) value(v float64) string {
	switch o.Unit {
	case "bytes":
		return many(v) + "B"
	case "s":
		if v < 60 {
			return fmt.Sprintf("%.2g s", v)
		}
		text := time.Duration(v * float64(time.Second)).Round(time.Minute).String()
		return strings.TrimSuffix(text, "0s")
	}
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// many is a number by its thousands, millions or more.
func many(x float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}} {
		if x >= unit.of {
			return fmt.Sprintf("%.3g %s", x/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.3g ", x)
}
