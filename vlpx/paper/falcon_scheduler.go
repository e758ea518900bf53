package paper

import (
	"fmt"
	"math"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// shownEpochs is how many epochs a figure about the scheduler shows at most, evenly spread.
const shownEpochs = 5

// falconD1 shows how the predicted distributions of a few anchors change (FALCON, appendix D.1).
var falconD1 = Artifact{
	ID:    "falcon/D.1",
	Title: "Predicted Beta distributions per anchor over training",
	Look: "Whether the distributions differ between anchors at all, and whether complex anchors, which are slower to align, get lower " +
		"quantiles than simple ones, which allow higher ones later in training. The false negatives of simple anchors gather at the top.",
	Unstated: []Unstated{
		{"Complex anchors need lower quantiles than simple ones", "section 2", "it compares two kinds of anchors of one row; see the table, and vlpx/policy"},
		{"The best hardness rises over training", "section 2", drawnOnly},
	},
	Rows:   []Row{MethodRow("FALCON")},
	Table:  betaTable,
	Figure: betaFigure,
}

// betaTable tells, over all anchors of all seeds, what was predicted and chosen.
func betaTable(r *Report) (plots.Table, error) {
	t := r.schedulerTable("Over the anchors of all seeds: mean ± standard deviation of the quantile chosen, means of the predicted " +
		"a and b, true pairs among the picked negatives. The first epoch is not scheduled.")
	t.Heading = "anchors"
	t.Columns = []plots.Column{{Name: "words"}, {Name: "epoch"}, {Name: "quantile", Format: "%.3f"}, {Name: "a", Format: "%.2f"},
		{Name: "b", Format: "%.2f"}, {Name: "FN picked", Unit: "%"}}
	t.Rows = r.Rows[0].unfinished()
	epochs := scheduledEpochs(pooled(r.Rows[0].results))
	for k, name := range train.Complexity {
		for _, record := range epochs {
			class := record.Scheduling.Classes[k]
			if class.Quantile.N == 0 {
				continue
			}
			line := plots.TableRow{Name: name, Cells: []plots.Cell{
				{{Text: fmt.Sprintf("%d to %d", class.Words[0], class.Words[1])}}, {{Text: epochNumber(record)}},
				{spreadOf(class.Quantile)}, {plots.Number(class.A.Mean)}, {plots.Number(class.B.Mean)}, {},
			}}
			if class.Negative > 0 {
				line.Cells[5] = plots.Cell{plots.Number(100 * float64(class.True) / float64(class.Negative))}
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return t, nil
}

// betaFigure has a panel of densities for two simple and two complex anchors of the first seed.
func betaFigure(r *Report) (plots.Drawing, error) {
	g, err := newGallery(r)
	if g == nil || err != nil {
		return nil, err
	}
	f := r.figure(r.firstSeedOnly())
	f.Columns, f.SameRange = 2, true
	const simple, complicated = 0, 2 // places in train.Complexity
	for _, class := range []int{simple, complicated} {
		for _, a := range g.followed(class) {
			panel := plots.Lines{
				Title:  fmt.Sprintf("%s: %s", train.Complexity[class], shortened(g.caption(a.pair), 44)),
				XLabel: "quantile", YLabel: "density", Ordered: true,
			}
			for _, p := range a.picks {
				panel.Series = append(panel.Series, densities(p))
			}
			f.Panels = append(f.Panels, panel)
		}
	}
	return drawn(f)
}

// densities is the density that a quantile was drawn from, at the middles of a hundred equal parts of [0, 1]. The ends, where it
// may be infinite, are gaps.
func densities(p pick) plots.Series {
	const parts = 100
	s := plots.Series{Name: fmt.Sprint("epoch ", p.epoch), X: []float64{0}, Mean: []float64{math.NaN()}}
	for k := range parts {
		q := (float64(k) + 0.5) / parts
		s.X, s.Mean = append(s.X, q), append(s.Mean, p.Beta.Density(q))
	}
	s.X, s.Mean = append(s.X, 1), append(s.Mean, math.NaN())
	return s
}

// shortened cuts a text behind a word so that at most so many letters are left, the ellipsis among them.
func shortened(text string, letters int) string {
	short := []rune(text)
	if len(short) <= letters {
		return text
	}
	cut := string(short[:letters])
	if k := strings.LastIndexByte(cut, ' '); k > 0 {
		cut = cut[:k]
	} else {
		cut = string(short[:letters-1])
	}
	return cut + "…"
}

// scheduledEpochs are the epochs whose mini-batches the scheduler built: all but the first.
func scheduledEpochs(epochs []train.Record) []train.Record {
	var scheduled []train.Record
	for _, record := range epochs {
		if record.Scheduling != nil && record.Scheduling.Reward.N > 0 {
			scheduled = append(scheduled, record)
		}
	}
	return scheduled
}

// spread takes at most shownEpochs, evenly, the first and the last among them.
func spread(epochs []train.Record) []train.Record {
	if len(epochs) <= shownEpochs {
		return epochs
	}
	var some []train.Record
	for k := range shownEpochs {
		some = append(some, epochs[k*(len(epochs)-1)/(shownEpochs-1)])
	}
	return some
}

// pooled adds up what the schedulers of several seeds did, epoch by epoch, but for the anchors that were followed.
func pooled(results []run.Result) []train.Record {
	var epochs []train.Record
	for _, result := range results {
		for e, record := range result.Epochs {
			if e == len(epochs) {
				epochs = append(epochs, train.Record{Epoch: record.Epoch, Scheduling: &train.Scheduling{}})
			}
			if record.Scheduling != nil {
				pool(epochs[e].Scheduling, *record.Scheduling)
			}
		}
	}
	return epochs
}

func pool(sum *train.Scheduling, s train.Scheduling) {
	sum.Reward.Merge(s.Reward)
	sum.ByQuantile = atLeast(sum.ByQuantile, len(s.ByQuantile))
	for q, rewards := range s.ByQuantile {
		sum.ByQuantile[q].Merge(rewards)
	}
	sum.Classes = atLeast(sum.Classes, len(s.Classes))
	for k, class := range s.Classes {
		of := &sum.Classes[k]
		of.Words = class.Words
		of.Quantile.Merge(class.Quantile)
		of.A.Merge(class.A)
		of.B.Merge(class.B)
		of.Negative += class.Negative
		of.True += class.True
	}
	for _, counts := range []struct {
		sum *[]int
		of  []int
	}{{&sum.Quantiles, s.Quantiles}, {&sum.I2T, s.I2T}, {&sum.T2I, s.T2I}} {
		*counts.sum = atLeast(*counts.sum, len(counts.of))
		for bin, n := range counts.of {
			(*counts.sum)[bin] += n
		}
	}
}

// atLeast is a slice of at least n, with zeros behind what it had.
func atLeast[T any](s []T, n int) []T { return append(s, make([]T, max(0, n-len(s)))...) }

// epochNumber counts epochs from 1, as the curves do.
func epochNumber(record train.Record) string { return fmt.Sprint(record.Epoch + 1) }

func spreadOf(m train.Moments) plots.Value { return plots.Value{Mean: m.Mean, Std: m.Std(), N: m.N} }

// firstSeed are the epochs of the first row's first seed that has a result; none while there is none.
func (r *Report) firstSeed() []train.Record {
	if len(r.Rows[0].results) == 0 {
		return nil
	}
	return r.Rows[0].results[0].Epochs
}

// schedulerTable begins a table without rows.
func (r *Report) schedulerTable(note string) plots.Table {
	t := plots.Table{
		Title: r.ID + ": " + r.Title,
		Note:  fmt.Sprintf("Scale %s on %s, seeds %s. %s", r.Scale, r.Data.Name, r.plan.seedList(), note),
	}
	if r.Engine != "" {
		t.Note += fmt.Sprintf(" Run on %s.", r.Engine)
	}
	return t
}

// unfinished is a line that says which runs of a row are there; none where all are.
func (row RowReport) unfinished() []plots.TableRow {
	if row.Status == string(Ready) {
		return nil
	}
	return []plots.TableRow{{Name: row.Name, Status: row.Status}}
}
