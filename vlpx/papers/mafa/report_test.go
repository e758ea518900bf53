package mafa

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// A line of a sweep has its points in their order, without those that repeat the one before, and a panel for each column with results.
func TestSweepFigure(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "mafa/figure2", plan.Request{Seeds: []uint64{1, 2}})
	for k, row := range p.Artifact.Rows[:4] { // at tiny M = 8, 40, 40, 200
		papertest.Finish(t, store, p, row.Name, map[string][]float64{"R mean": {float64(10 * k), float64(10*k + 2)},
			train.FalseHardest: {5, 5}})
	}
	papertest.Finish(t, store, p, "MAFA (M = B)", map[string][]float64{"R mean": {7}})
	figure := papertest.Figure(t, papertest.Report(t, p, store))
	if len(figure.Panels) != 2 {
		t.Fatalf("got %d panels, want retrieval and false negatives", len(figure.Panels))
	}
	lines := figure.Panels[0].(plots.Lines)
	grit := lines.Series[0]
	if want := []float64{8, 40, 200}; !slices.Equal(grit.X, want) || grit.Mean[0] != 1 || grit.Mean[2] != 31 {
		t.Errorf("got GRIT-VLP %+v, want it at %v", grit, want)
	}
	if len(lines.Series) != 2 || lines.Series[1].Name != "MAFA" || !slices.Equal(lines.Series[1].Mean, []float64{7}) {
		t.Errorf("got %+v, want MAFA at its one point", lines.Series)
	}
	if err := figure.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}
}

// GRIT-VLP's epochs take 10 s, MAFA's 15 s.
func TestCostsTable(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "mafa/table12", plan.Request{Seeds: []uint64{1}})
	for i, clock := range [][]float64{1: {10, 20}, 2: {15, 30}} {
		if r := p.Rows[i][0]; clock != nil {
			papertest.Put(t, store, r, run.Result{ID: r.ID(), Clock: clock, Parameters: 412_345, Epochs: make([]train.Record, 2)})
		}
	}
	table := papertest.Table(t, papertest.Report(t, p, store))
	var got []string
	for _, row := range table.Rows {
		line := row.Name
		for k, cell := range row.Cells {
			if k < 2 {
				line += fmt.Sprintf(" %.2f", cell[1].Mean)
			} else {
				line += " " + cell[1].Text
			}
		}
		got = append(got, line)
	}
	want := []string{"ALBEF 0.00 0.00   ", "GRIT-VLP 10.00 1.00 0.41M none 80", "MAFA 15.00 1.50 0.41M (Con-D: 0.41M) none 80"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if printed := table.Rows[2].Cells[1][0].Mean; math.Abs(printed-1.24) > 1e-9 || table.Rows[0].Cells[2][0].Text != "210M (MD: 210M)" {
		t.Errorf("got the paper's ratio %v and parameters %q", printed, table.Rows[0].Cells[2][0].Text)
	}
}

// Table 2's numbers have the paper's four digits.
func TestLabelsTable(t *testing.T) {
	p := papertest.Plan(t, Artifacts(), "mafa/table2", plan.Request{})
	table := papertest.Table(t, papertest.Report(t, p, run.OpenStore(t.TempDir())))
	var text strings.Builder
	must.Do(t, table.Markdown(&text))
	for _, want := range []string{"0.5260", "0.0009", "0.3245"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got %s, want %s in it", text.String(), want)
		}
	}
}

// The figures have those of the last epoch that found any, the tables those of both; figure 7 asks whether the found image is as
// the anchor's text says, figure 8 whether the found text is true of the anchor's image.
func TestNewPositives(t *testing.T) {
	first, last := negative.NewPositive{Anchor: 3, Found: 7, Score: 0.81}, negative.NewPositive{Anchor: 0, Found: 9, Score: 0.9375}
	both := func(c negative.NewPositive) *negative.Judgements {
		return &negative.Judgements{NewTexts: []negative.NewPositive{c}, NewImages: []negative.NewPositive{c}}
	}
	epochs := []train.Record{{}, {Epoch: 1, Observed: negative.Observations{"connecting": both(first)}},
		{Epoch: 2, Observed: negative.Observations{"connecting": both(last)}},
		{Epoch: 3, Observed: negative.Observations{"connecting": &negative.Judgements{}}}}
	for _, c := range []struct {
		id          string
		image, text int // of the last connection
		caption     string
	}{{"mafa/figure7", 9, 0, "found (0.9375)"}, {"mafa/figure8", 0, 9, "found (0.9375): "}} {
		store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), c.id, plan.Request{Seeds: []uint64{3}})
		r := papertest.Report(t, p, store)
		if drawing, err := r.Figure(); drawing != nil || err != nil {
			t.Errorf("%s without a run: %v, %v", c.id, drawing, err)
		}
		papertest.Histories(t, store, p, p.Artifact.Rows[0].Name, epochs)
		r = papertest.Report(t, p, store)
		drawing := must.Get(r.Figure())(t)
		a := must.Get(paper.NewAlbum(r))(t)
		f := drawing.(plots.Pictures)
		if len(f.Rows) != 1 || len(f.Rows[0].Pictures) != 2 || f.Rows[0].Pictures[0].Caption != a.Caption(0) {
			t.Fatalf("%s: got %+v, want the last epoch's anchor with its picture and the other", c.id, f.Rows)
		}
		if got := f.Rows[0].Pictures[1]; !strings.HasPrefix(got.Caption, c.caption) || got.Mark != a.Mark(c.image, c.text) {
			t.Errorf("%s: got %q, mark %v; want %q, %v", c.id, got.Caption, got.Mark, c.caption, a.Mark(c.image, c.text))
		}
		table := papertest.Table(t, r)
		if len(table.Rows) != 2 || table.Rows[0].Name != a.Caption(3) ||
			table.Rows[1].Cells[2][0].Text != paper.MarkWord(a.Mark(c.image, c.text)) {
			t.Errorf("%s: got %+v", c.id, table.Rows)
		}
	}
}

// Figures 7 and 8 of a run that trained and mined: at thresholds that Con-D reaches even at tiny, where those of the paper are never
// reached. Every picture found is another image's, with a score above the threshold and the mark that the relation gives it.
func TestNewPositivesOfATrainedModel(t *testing.T) {
	backend := enginetest.PureGo(t)
	const threshold = 0.01
	found := regexp.MustCompile(`^found \((\d\.\d{4})\)`)
	executor := run.Executor{Store: run.OpenStore(t.TempDir()), Backend: backend, Engine: "go"}
	for _, side := range []struct {
		artifact paper.Artifact
		of       connecting
	}{{figure7, ofTexts}, {figure8, ofImages}} {
		a := side.artifact
		row := plan.MethodRow("S-ITC").As("MAFA").Mining(negative.ECM{Low: threshold, High: threshold})
		reference := plan.MethodRow("InfoNCE") // which is made sooner than one that is fine-tuned
		row.Reference = &reference
		a.Rows = []plan.Row{row}
		p := must.Get(paper.NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1},
			Set: []string{"scenes.train=16", "scenes.test=4", "scenes.val=4",
				"rerank=2", "epochs=1"}}))(t)
		for _, r := range p.Runs() {
			must.Get(executor.Run(t.Context(), r))(t)
		}
		r := papertest.Report(t, p, executor.Store)
		drawing := must.Get(r.Figure())(t)
		f, drawn := drawing.(plots.Pictures)
		if !drawn || len(f.Rows) == 0 {
			t.Fatalf("%s: got %T without pictures, want what Con-D connected", a.ID, drawing)
		}
		var png bytes.Buffer
		if err := f.PNG(&png, 0); err != nil || png.Len() == 0 {
			t.Errorf("%s: %d bytes of PNG, error %v", a.ID, png.Len(), err)
		}
		album := must.Get(paper.NewAlbum(r))(t)
		epochs := side.of.kept(r)
		for k, c := range epochs[len(epochs)-1] {
			anchor, other := f.Rows[k/2].Pictures[2*(k%2)], f.Rows[k/2].Pictures[2*(k%2)+1]
			image, text := side.of.pair(c)
			holds, known := album.Relation.Holds(album.Pairs[image].Image, text)
			score := found.FindStringSubmatch(other.Caption)
			if score == nil || anchor.Caption != album.Caption(c.Anchor) || !known || (other.Mark == plots.TruePair) != holds {
				t.Fatalf("%s: got %q beside %q with mark %v; the relation says %v", a.ID, other.Caption, anchor.Caption, other.Mark, holds)
			}
			if s, _ := strconv.ParseFloat(score[1], 64); s < threshold || s > 1 ||
				album.Pairs[c.Anchor].Image == album.Pairs[c.Found].Image {
				t.Errorf("%s: pair %d for pair %d with a score of %v", a.ID, c.Found, c.Anchor, s)
			}
		}
	}
}
