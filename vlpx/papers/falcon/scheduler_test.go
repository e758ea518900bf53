package falcon

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scheduler"
	"vlpx.internal/vlpx/train"
)

// before is an epoch that is not scheduled.
var before = train.Record{Epoch: 0, Observed: negative.Observations{"scheduling": &negative.Scheduling{}}}

// byWords are complexities that tiny scenes have captions of.
var byWords = []negative.CaptionClass{{Words: [2]int{1, 5}}, {Words: [2]int{6, 6}}, {Words: [2]int{7, 30}}}

// followedHistory is a run of seven scheduled epochs that follows three pairs of each class; the first pair of each lacks a pick
// in the first of them. In even epochs the image's own first pair is picked, else a pair of the last image.
func followedHistory(set datasets.Set) (epochs []train.Record, followed [3][]int) {
	pairs := datasets.Pairs(set)
	for i, p := range pairs {
		n := len(strings.Fields(p.Text(set)))
		class := slices.IndexFunc(byWords, func(c negative.CaptionClass) bool { return n <= c.Words[1] })
		if len(followed[class]) < 3 {
			followed[class] = append(followed[class], i)
		}
	}
	epochs = []train.Record{before}
	for e := 1; e <= 7; e++ {
		s := &negative.Scheduling{Reward: papertest.Moments(1), Classes: byWords}
		for _, members := range followed {
			for k, pair := range slices.Backward(members) { // mini-batches have no order
				picked := len(pairs) - 1
				if e%2 == 0 {
					picked = slices.IndexFunc(pairs, func(p datasets.Pair) bool { return p.Image == pairs[pair].Image })
				}
				if k > 0 || e > 1 {
					s.Followed = append(s.Followed, negative.Choice{Anchor: pair, Picked: picked, Quantile: float64(e) / 10,
						Beta: scheduler.Beta{A: 2, B: 1}})
				}
			}
		}
		epochs = append(epochs, train.Record{Epoch: e, Observed: negative.Observations{"scheduling": s}})
	}
	return epochs, followed
}

// The figures show the anchors that have all picks before others, in five epochs of seven.
func TestFollowedAnchors(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "falcon/figure4", plan.Request{})
	set := must.Get(p.Data.TrainingSet())(t)
	history, followed := followedHistory(set)
	papertest.Histories(t, store, p, p.Artifact.Rows[0].Name, history)
	r := papertest.Report(t, p, store)

	drawing := must.Get(r.Figure())(t)
	f := drawing.(plots.Pictures)
	if len(f.Rows) != 6 {
		t.Fatalf("got %d rows, want two of each class", len(f.Rows))
	}
	pairs, relation := datasets.Pairs(set), set.(datasets.Related).Relation()
	for i, row := range f.Rows {
		anchor := followed[i/2][1+i%2]
		if want := negative.Complexity[i/2] + ": " + pairs[anchor].Text(set); row.Name != want || len(row.Pictures) != 6 {
			t.Errorf("row %d: got %q with %d pictures, want %q with the anchor and five", i, row.Name, len(row.Pictures), want)
		}
		for k, e := range []int{1, 2, 4, 5, 7} {
			got, mark := row.Pictures[1+k], plots.TruePair
			if e%2 == 1 {
				toImage, _ := relation.Holds(pairs[anchor].Image, len(pairs)-1)
				toCaption, _ := relation.Holds(set.Len()-1, anchor)
				if !toImage && !toCaption {
					mark = plots.FalsePair
				}
			}
			if want := fmt.Sprintf("epoch %d, q = 0.%d0: ", e+1, e); !strings.HasPrefix(got.Caption, want) || got.Mark != mark {
				t.Errorf("row %d: got %q, mark %v; want %q..., %v", i, got.Caption, got.Mark, want, mark)
			}
		}
	}
	if err := f.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}

	table := papertest.Table(t, r)
	if len(table.Rows) != 1+6*5 || table.Rows[0].Status != "1 of 3 seeds" {
		t.Fatalf("got %d lines, the first %+v; want one of the seeds and one a picture", len(table.Rows), table.Rows[0])
	}
	var got []string
	line := table.Rows[2] // first anchor, second epoch
	for _, cell := range line.Cells {
		got = append(got, cell[0].Text)
	}
	anchor := pairs[followed[0][1]]
	want := []string{"simple", "3", "", "2.00, 1.00", set.Captions(anchor.Image)[0], "yes"}
	if line.Name != anchor.Text(set) || !slices.Equal(got, want) || line.Cells[2][0].Mean != 0.2 {
		t.Errorf("got %q: %v, want %v at 0.2", line.Name, line.Cells, want)
	}
}

// someRelation tells only what it lists.
type someRelation map[[2]int]bool

func (r someRelation) Holds(i, p int) (holds, known bool) {
	holds, known = r[[2]int{i, p}]
	return holds, known
}

func TestMarkOfAPick(t *testing.T) {
	for _, c := range []struct {
		relation datasets.Relation
		want     plots.Mark
	}{
		{nil, plots.Unmarked},
		{someRelation{}, plots.Unmarked},
		{someRelation{{10, 1}: false}, plots.Unmarked},
		{someRelation{{10, 1}: false, {11, 0}: false}, plots.FalsePair},
		{someRelation{{10, 1}: true, {11, 0}: false}, plots.TruePair},
		{someRelation{{10, 1}: false, {11, 0}: true}, plots.TruePair},
		{someRelation{{11, 0}: true}, plots.TruePair},
	} {
		g := gallery{Album: paper.Album{Pairs: []datasets.Pair{{Image: 10}, {Image: 11}}, Relation: c.relation}}
		if got := g.markPick(negative.Choice{Anchor: 0, Picked: 1}); got != c.want {
			t.Errorf("%v: got %v, want %v", c.relation, got, c.want)
		}
	}
}

// Photographs of which nothing is known have neither marks nor rates. Where captions are equal they are the relation.
func TestSchedulerOnPhotographs(t *testing.T) {
	equal, unknown := papertest.Photographs(t), papertest.Photographs(t)
	file, n := filepath.Join(unknown, "dataset_album.json"), 0
	text := regexp.MustCompile("dog|three").ReplaceAllStringFunc(string(must.Get(os.ReadFile(file))(t)), func(word string) string {
		n++
		return fmt.Sprint(word, n)
	})
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	for dir, mark := range map[string]plots.Mark{equal: plots.TruePair, unknown: plots.Unmarked} {
		for _, id := range []string{"falcon/figure4", "falcon/D.1"} {
			store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), id, plan.Request{Data: dir, Seeds: []uint64{5}})
			set := must.Get(p.Data.TrainingSet())(t)
			history, _ := followedHistory(set)
			papertest.Histories(t, store, p, p.Artifact.Rows[0].Name, history)
			r := papertest.Report(t, p, store)
			drawing := must.Get(r.Figure())(t)
			if err := drawing.PNG(io.Discard, 0); err != nil {
				t.Error(err)
			}
			if pictures, ok := drawing.(plots.Pictures); ok && pictures.Rows[5].Pictures[5].Mark != mark {
				t.Errorf("got the mark %v, want %v", pictures.Rows[5].Pictures[5].Mark, mark)
			}
			for _, line := range papertest.Table(t, r).Rows {
				if last := line.Cells[len(line.Cells)-1]; mark == plots.Unmarked && len(last) > 0 && last[0] != (tables.Value{}) {
					t.Errorf("%s: got %+v at the end of %q, want nothing", id, last, line.Name)
				}
			}
		}
	}
}

func TestBetas(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "falcon/D.1", plan.Request{Seeds: []uint64{1, 2}})
	set := must.Get(p.Data.TrainingSet())(t)
	first, _ := followedHistory(set)
	second := []train.Record{before}
	for _, record := range first[1:] {
		record.Observed.Scheduling().Classes = slices.Clone(byWords)
		other := &negative.Scheduling{Reward: record.Observed.Scheduling().Reward, Classes: slices.Clone(byWords)}
		simple, same := &record.Observed.Scheduling().Classes[0], &other.Classes[0]
		simple.Quantile, simple.A, simple.B, simple.Negative, simple.True = papertest.Moments(0.2, 0.4), papertest.Moments(1, 2),
			papertest.Moments(4, 4), 4, 1
		same.Quantile, same.A, same.B, same.Negative, same.True = papertest.Moments(0.9), papertest.Moments(6), papertest.Moments(1), 4, 2
		second = append(second, train.Record{Epoch: record.Epoch, Observed: negative.Observations{"scheduling": other}})
	}
	first[7].Observed.Scheduling().Followed[0].Beta = scheduler.Beta{A: 0.5, B: 0.5} // infinite at the ends
	papertest.Histories(t, store, p, p.Artifact.Rows[0].Name, first, second)
	r := papertest.Report(t, p, store)

	table := papertest.Table(t, r)
	if len(table.Rows) != 7 { // simple ones alone: the others have no anchors
		t.Fatalf("got %d lines, want one an epoch", len(table.Rows))
	}
	cells := table.Rows[6].Cells
	quantile := cells[2][0]
	if cells[0][0].Text != "1 to 5" || cells[1][0].Text != "8" || !papertest.Near(quantile.Mean, 0.5) ||
		!papertest.Near(quantile.Std, math.Sqrt(0.13)) ||
		quantile.N != 3 || !papertest.Near(cells[3][0].Mean, 3) || !papertest.Near(cells[4][0].Mean, 3) ||
		!papertest.Near(cells[5][0].Mean, 37.5) {
		t.Errorf("got %v, want 0.5 ± √0.13 over 3 anchors, a = 3, b = 3, 37.5 %%", cells)
	}

	f := papertest.Figure(t, r)
	if len(f.Panels) != 4 {
		t.Fatalf("got %d panels, want two simple and two complex anchors", len(f.Panels))
	}
	for k, class := range []string{"simple", "simple", "complex", "complex"} {
		lines := f.Panels[k].(plots.Lines)
		if !strings.HasPrefix(lines.Title, class+": ") || len(lines.Series) != 5 || !lines.Ordered {
			t.Errorf("panel %d: got %q with %d series, want one of %s with five in order", k, lines.Title, len(lines.Series), class)
		}
	}
	s := f.Panels[0].(plots.Lines).Series[0] // Beta(2, 1), whose density is 2q
	if s.Name != "epoch 2" || len(s.X) != 102 || !papertest.Near(s.X[51], 0.505) || !papertest.Near(s.Mean[51], 1.01) ||
		!math.IsNaN(s.Mean[0]) {
		t.Errorf("got %q with %d points, %v at %v; want epoch 2 with 102, 1.01 at 0.505", s.Name, len(s.X), s.Mean[51], s.X[51])
	}
	if err := f.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}
}

func TestShortened(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a red ring": "a red ring", "a red square": "a red…", "unbreakable": "unbreakab…", "ää öö üüü ß": "ää öö üüü…",
	} {
		if got := shortened(text, 10); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestSimilarities(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "falcon/figure5", plan.Request{Seeds: []uint64{1, 2}})
	counts := func(bins map[int]int) []int {
		c := make([]int, 80)
		for bin, n := range bins {
			c[bin] = n
		}
		return c
	}
	measured := func(i2t map[int]int) []train.Record {
		return []train.Record{
			{Epoch: 0, Observed: negative.Observations{"scheduling": &negative.Scheduling{I2T: counts(i2t),
				T2I: counts(map[int]int{0: 1, 50: 4000})}}},
			{Epoch: 1, Observed: negative.Observations{"scheduling": &negative.Scheduling{Reward: papertest.Moments(1), I2T: counts(i2t),
				T2I: counts(map[int]int{50: 10})}}},
		}
	}
	papertest.Histories(t, store, p, p.Artifact.Rows[0].Name, measured(map[int]int{40: 3, 41: 1}), measured(map[int]int{41: 4}))
	r := papertest.Report(t, p, store)
	table := papertest.Table(t, r)
	if len(table.Rows) != 2 {
		t.Fatalf("got %d lines, want two epochs", len(table.Rows))
	}
	// Three at 0.0125 and five at 0.0375.
	i2t, t2i := table.Rows[1].Cells[0][0], table.Rows[1].Cells[1][0]
	if std := 0.025 * math.Sqrt(15./8/7); !papertest.Near(i2t.Mean, 0.028125) || !papertest.Near(i2t.Std, std) || i2t.N != 8 {
		t.Errorf("I2T: got %+v, want 0.028125 ± %v of 8", i2t, std)
	}
	if !papertest.Near(t2i.Mean, 0.2625) || !papertest.Near(t2i.Std, 0) {
		t.Errorf("T2I: got %+v, want 0.2625 ± 0", t2i)
	}

	f := papertest.Figure(t, r)
	if len(f.Panels) != 2 {
		t.Fatalf("got %d panels, want two directions", len(f.Panels))
	}
	for k, at := range []struct {
		point   int
		density float64
	}{{1, 30}, {11, 40}} {
		lines := f.Panels[k].(plots.Lines)
		s := lines.Series[1]
		var whole float64
		for _, d := range s.Mean {
			whole += d * 0.025
		}
		// The lone cosine at -1 is not worth the room.
		if len(lines.Series) != 2 || len(s.X) != 13 || !papertest.Near(s.X[0], -0.0125) || !papertest.Near(s.Mean[at.point], at.density) ||
			!papertest.Near(whole, 1) {
			t.Errorf("%s: got %d series, %v at %v, in all %v; want %v at point %d, in all 1", lines.Title, len(lines.Series),
				s.Mean, s.X, whole,
				at.density, at.point)
		}
	}
	if err := f.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}
}

// Without results there is no figure, and the table says so; so it is where a run is there without what the figure shows.
func TestSchedulerWithoutResults(t *testing.T) {
	for _, id := range []string{"falcon/figure4", "falcon/figure5", "falcon/D.1"} {
		store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), id, plan.Request{})
		r := papertest.Report(t, p, store)
		if drawing, err := r.Figure(); drawing != nil || err != nil {
			t.Errorf("%s: got the figure %v, error %v; want neither", id, drawing, err)
		}
		if table := papertest.Table(t, r); len(table.Rows) != len(p.Artifact.Rows) || table.Rows[0].Status != "0 of 3 seeds" {
			t.Errorf("%s: got %+v, want a line a row with 0 of 3 seeds", id, table.Rows)
		}
		papertest.Histories(t, store, p, p.Artifact.Rows[0].Name, []train.Record{before}, []train.Record{{}}, nil)
		r = papertest.Report(t, p, store)
		if drawing, err := r.Figure(); drawing != nil || err != nil {
			t.Errorf("%s of one epoch: got the figure %v, error %v; want neither", id, drawing, err)
		}
		if table := papertest.Table(t, r); len(table.Rows) != len(p.Artifact.Rows)-1 {
			t.Errorf("%s of one epoch: got %+v, want no line", id, table.Rows)
		}
	}
}
