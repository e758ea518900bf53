package paper_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// viewed is a report with a view that it takes.
func viewed(t *testing.T, r *paper.Report, v paper.View) *paper.Report {
	t.Helper()
	one := must.Get(r.Viewed(v))(t)
	return one
}

// A view's table has its rows and columns in their order, others than the artifact's among them, with the paper's numbers and the claims
// between them; the note tells of these rows alone, and the claims are corrected for as many as before.
func TestView(t *testing.T) {
	r, _ := halfDone(t)
	whole := papertest.Finding(r, "GRIT-VLP above ALBEF in Image Retrieval R@1")
	one := viewed(t, r, paper.View{Title: "Mine", Metrics: []string{"ir@10,false negatives in batch", "Image Retrieval R@1",
		"cosine TR mean"}, Rows: []string{"grit-vlp", "ALBEF"}})
	table := papertest.Table(t, one)
	var columns, rows []string
	for _, c := range table.Columns {
		columns = append(columns, c.Group+" "+c.Name)
	}
	for _, row := range table.Rows {
		rows = append(rows, row.Name)
	}
	if want := []string{"Image Retrieval R@10", "False negatives in batch", "Image Retrieval R@1",
		"Without re-ranking TR mean"}; !slices.Equal(columns, want) {
		t.Errorf("got columns %q, want %q", columns, want)
	}
	if !slices.Equal(rows, []string{"GRIT-VLP", "ALBEF"}) || table.Title != "Mine" {
		t.Errorf("got rows %q under %q", rows, table.Title)
	}
	if cell := table.Rows[1].Cells[2]; cell[0].Mean != 41.16 || cell[1].Mean != 6 {
		t.Errorf("got IR@1 of ALBEF %+v, want the paper's 41.16 and 6", cell)
	}
	if strings.Contains(table.Note, "Hard quantile") {
		t.Errorf("the note tells of rows that are not there: %s", table.Note)
	}
	if len(one.Claims) != 2 || *one.Claims[0].P != *whole.P {
		t.Errorf("got claims %+v, want those between the two rows in two of the columns, corrected as before", one.Claims)
	}
	var text bytes.Buffer
	if err := one.ClaimsTable().Text(&text, tables.Terminal{}); err != nil ||
		!strings.Contains(text.String(), "6 primary claims") {
		t.Errorf("the claims do not tell of the primary ones (%v): %s", err, text.String())
	}
	figure := papertest.Figure(t, one)
	if bars, ok := figure.Panels[0].(plots.Bars); !ok || figure.Title != "Mine" ||
		!slices.Equal(bars.Groups, []string{"IR R@10", "IR R@1"}) ||
		bars.Series[0].Name != "GRIT-VLP" || len(bars.Series) != 2 {
		t.Errorf("got %+v in %q", figure.Panels[0], figure.Title)
	}
	if len(r.Rows) == 2 || len(r.Plan.Artifact.Columns) == 4 {
		t.Error("the report itself has changed")
	}
}

// A name is first of all what the table shows under it: IR mAP stands there without re-ranking, though it is a re-ranked metric's name,
// too.
func TestViewTakesWhatIsShown(t *testing.T) {
	r, _ := halfDone(t)
	for name, want := range map[string]string{"IR mAP": "cosine IR mAP", "ir@1 FALSE": "cosine IR@1 false", "IR@1": "IR@1",
		"IR mean": "IR mean"} {
		if got := viewed(t, r, paper.View{Metrics: []string{name}}).Plan.Artifact.Columns; len(got) != 1 || got[0].Key() != want {
			t.Errorf("%s: got %+v, want %q", name, got, want)
		}
	}
}

func TestViewSizes(t *testing.T) {
	r, _ := halfDone(t)
	figure := papertest.Figure(t, viewed(t, r, paper.View{Width: "60 mm", Height: "1.5in", Panels: 1, Typeface: "Times"}))
	if figure.Width != 6*vg.Centimeter || figure.Height != 1.5*vg.Inch || figure.Columns != 1 || figure.Typeface != plots.Times ||
		!strings.HasPrefix(figure.Title, "falcon/table1") {
		t.Errorf("got a figure %v wide, panels %v high, %d side by side, %q", figure.Width, figure.Height, figure.Columns, figure.Title)
	}
	if figure := papertest.Figure(t, viewed(t, r, paper.View{Width: "Column"})); figure.Width != plots.ColumnWidth || figure.Typeface != plots.Sans {
		t.Errorf("got %v for a column", figure.Width)
	}
	for says, view := range map[string]paper.View{
		"number with its unit": {Width: "wide"}, "from 1in to 30in": {Width: "2mm"}, "from 0.8in": {Height: "1pt"},
		"-1 panels":              {Panels: -1},
		`did you mean "times"?`:  {Typeface: "time"},
		`did you mean "FALCON"?`: {Rows: []string{"FALCN"}}, `did you mean "IR@1"?`: {Metrics: []string{"TR@1", "IR@11"}},
		"TR@1 or IR@1":               {Metrics: []string{"R@1"}},
		"metric IR@1 is there twice": {Metrics: []string{"IR@1", "Image Retrieval R@1"}},
		"row ALBEF is there twice":   {Rows: []string{"albef,ALBEF"}},
	} {
		must.Fail(t, r.Plan.CheckView(view), says, "%+v", view)
		if _, err := r.Viewed(view); err == nil {
			t.Errorf("%+v: the report takes it", view)
		}
	}
	sizes := papertest.Plan(t, catalogue.List(), "falcon/table6", plan.Request{})
	must.Fail(t, sizes.CheckView(paper.View{Metrics: []string{"IR@1"}}), "compares no metrics", "a table of no methods")
}

// FuzzView: whatever is named, a view that is taken gives a figure within its bounds or none, and one that is not is an error.
func FuzzView(f *testing.F) {
	for _, seed := range []string{"89mm", "column", "-3in", "1e308pt", "NaNin", "IR@1,TR@1", "ALBEF", ",", "in batch"} {
		f.Add(seed, seed, seed)
	}
	table1 := must.Get(catalogue.Find("falcon/table1"))(f)
	p := must.Get(paper.NewPlan(table1, plan.Request{Scale: "tiny", Seeds: []uint64{1}}))(f)
	r := must.Get(paper.NewReport(p, run.OpenStore(f.TempDir())))(f)
	f.Fuzz(func(t *testing.T, width, metric, row string) {
		v := paper.View{Width: width, Height: width, Metrics: []string{metric}, Rows: []string{row}}
		one, err := r.Viewed(v)
		if refused := r.Plan.CheckView(v); refused != nil && err == nil { // a plan takes what parts may report
			t.Fatalf("the plan says %v and the report %v", refused, err)
		}
		if err != nil {
			return
		}
		if table := papertest.Table(t, one); len(table.Rows) == 0 || len(table.Columns) == 0 {
			t.Errorf("%+v: got a table of %d rows and %d columns", v, len(table.Rows), len(table.Columns))
		}
		if len(p.FileNameOf("table1", v)) > 48 {
			t.Errorf("%+v: got the file name %q", v, p.FileNameOf("table1", v))
		}
	})
}

// Curves are over the epochs, where retrieval is by cosine; what no epoch has is told.
func TestViewOfCurves(t *testing.T) {
	p := comparedPlan(t, plan.Request{Seeds: []uint64{1}}, "InfoNCE", "GRIT-VLP")
	store := run.OpenStore(t.TempDir())
	for _, name := range []string{"InfoNCE", "GRIT-VLP"} {
		papertest.Histories(t, store, p, name, []train.Record{{Metrics: map[string]float64{"IR mAP": 3}},
			{Metrics: map[string]float64{"IR mAP": 5}}})
	}
	figure := papertest.Figure(t, viewed(t, papertest.Report(t, p, store),
		paper.View{Curves: true, Metrics: []string{"cosine IR mAP", "AUC"}, Rows: []string{"GRIT-VLP"}}))
	lines, ok := figure.Panels[0].(plots.Lines)
	if len(figure.Panels) != 1 || !ok || len(lines.Series) != 1 || !slices.Equal(lines.Series[0].Mean, []float64{3, 5}) {
		t.Errorf("got panels %+v", figure.Panels)
	}
	if !strings.Contains(figure.Note, "Not measured over the epochs: Judged pairs: AUC.") {
		t.Errorf("got the note %q", figure.Note)
	}
}

// What a part told by a name of its own can be chosen, too, once it is told: for the table, for the figure, over the epochs.
func TestViewOfToldNumbers(t *testing.T) {
	p := comparedPlan(t, plan.Request{Seeds: []uint64{1}}, "InfoNCE", "GRIT-VLP")
	store := run.OpenStore(t.TempDir())
	epoch := func(sum float64) train.Record {
		return train.Record{Numbers: field.Numbers{{Name: "spread", Sum: sum, Of: 1}}}
	}
	papertest.Histories(t, store, p, "InfoNCE", []train.Record{epoch(3), epoch(5)})
	r := papertest.Report(t, p, store)
	if v := r.Rows[0].Seeds[0].Metrics["spread"]; v != 5 {
		t.Errorf("got %v of the seed, want the last epoch's 5", v)
	}
	one := viewed(t, r, paper.View{Metrics: []string{"Spread"}})
	if table := papertest.Table(t, one); len(table.Columns) != 1 || table.Rows[0].Cells[0][0].Mean != 5 {
		t.Errorf("got %+v", table)
	}
	if bars, ok := papertest.Figure(t, one).Panels[0].(plots.Bars); !ok || bars.Series[0].Mean[0] != 5 {
		t.Error("the figure has no bar of 5")
	}
	lines := papertest.Figure(t, viewed(t, r, paper.View{Metrics: []string{"spread"}, Curves: true})).Panels[0].(plots.Lines)
	if !slices.Equal(lines.Series[0].Mean, []float64{3, 5}) {
		t.Errorf("got %v over the epochs", lines.Series[0].Mean)
	}
}

// Each choice of rows and columns has a file of its own; a title and a size have not.
func TestFileNameOfAView(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{})
	names := map[string]bool{}
	for _, v := range []paper.View{{}, {Rows: []string{"ALBEF"}}, {Metrics: []string{"IR@1"}},
		{Metrics: []string{"IR@1"}, Rows: []string{"ALBEF"}}, {Curves: true}} {
		names[p.FileNameOf("table1", v)] = true
	}
	if len(names) != 5 || !names["table1-tiny-metrics-IR-1-rows-ALBEF-979a75cd"] ||
		p.FileNameOf("table1", paper.View{Title: "x", Width: "page", Typeface: "times"}) != p.FileName("table1") {
		t.Errorf("got %v", names)
	}
}

// More than six rows are dots with intervals, of seeds or, of one seed each, of test images.
func TestManyRowsAreDots(t *testing.T) {
	names := []string{"InfoNCE", "ALBEF", "GRIT-VLP", "DiHT", "FALCON", "Easy quantile", "Hard quantile"}
	p := comparedPlan(t, plan.Request{Seeds: []uint64{1, 2}}, names...)
	store := run.OpenStore(t.TempDir())
	for k, name := range names {
		papertest.Finish(t, store, p, name, map[string][]float64{"TR@1": {float64(10 * k), float64(10*k + 2)}, "IR@1": {50, 50}})
	}
	r := papertest.Report(t, p, store)
	figure := papertest.Figure(t, r)
	d, ok := figure.Panels[0].(plots.Dots)
	if !ok || len(d.Rows) != len(names) || d.Title != "Text Retrieval: R@1 (%)" || len(figure.Panels) != 2 ||
		!strings.Contains(figure.Note, "bars are one standard deviation") {
		t.Fatalf("got %d panels, the first %+v, under %q", len(figure.Panels), figure.Panels[0], figure.Note)
	}
	if row := d.Rows[3]; row.Name != "DiHT" || row.Mean != 31 || !papertest.Near(row.High-row.Low, 2*1.4142135623730951) {
		t.Errorf("got %+v, want DiHT at 31 with one standard deviation to each side", row)
	}
	if err := figure.PNG(io.Discard, 0); err != nil {
		t.Error(err)
	}
	if _, bars := papertest.Figure(t, viewed(t, r, paper.View{Rows: names[1:]})).Panels[0].(plots.Bars); !bars {
		t.Error("six rows are not drawn as bars")
	}
}

// Rows that differ in numeric settings are lines over the one with the most values, a line for each other one; the method that it does
// nothing to lies across, one at another value stands alone.
func TestSweep(t *testing.T) {
	report := func(names ...string) *paper.Report {
		p := comparedPlan(t, plan.Request{Seeds: []uint64{1, 2}, Set: []string{"groupqueue=320"}}, names...)
		store := run.OpenStore(t.TempDir())
		for k, name := range names {
			papertest.Finish(t, store, p, name, map[string][]float64{"TR@1": {float64(k), float64(k + 2)}, "IR@5": {1, 2},
				"cosine IR mAP": {1, 2}, train.FalseInBatch: {3, 4}})
		}
		return papertest.Report(t, p, store)
	}
	r := report("GRIT-VLP, searchspace=160", "GRIT-VLP, searchspace=16, temperature=.2", "GRIT-VLP, searchspace=16", "InfoNCE",
		"GRIT-VLP", "FALCON",
		"GRIT-VLP, searchspace=80, temperature=.2")
	figure := papertest.Figure(t, r)
	if len(figure.Panels) != 3 || !strings.Contains(figure.Note, "methods that searchspace does nothing to") {
		t.Errorf("got %d panels under %q, want TR R@1, IR mAP and false negatives", len(figure.Panels), figure.Note)
	}
	lines, ok := figure.Panels[0].(plots.Lines)
	if !ok || lines.XLabel != "searchspace" || !lines.LogX {
		t.Fatalf("got %+v", figure.Panels[0])
	}
	type curve struct{ x, mean []float64 }
	want := map[string]curve{
		"GRIT-VLP, temperature=0.07 (default)": {[]float64{16, 40, 160}, []float64{3, 5, 1}},
		"GRIT-VLP, temperature=0.2":            {[]float64{16, 80}, []float64{2, 7}},
		"InfoNCE, temperature=0.07 (default)":  {[]float64{16, 160}, []float64{4, 4}},
		"FALCON, temperature=0.07 (default)":   {[]float64{40}, []float64{6}},
	}
	for _, s := range lines.Series {
		if w := want[s.Name]; !slices.Equal(s.X, w.x) || !slices.Equal(s.Mean, w.mean) || len(s.Std) != len(s.X) {
			t.Errorf("%s: got %v at %v, want %v at %v", s.Name, s.Mean, s.X, w.mean, w.x)
		}
	}
	if len(lines.Series) != len(want) || lines.Series[0].Name != "GRIT-VLP, temperature=0.07 (default)" {
		t.Errorf("got %d curves, the first %q", len(lines.Series), lines.Series[0].Name)
	}
	if chosen := papertest.Figure(t, viewed(t, r, paper.View{Metrics: []string{"IR@5"}})); len(chosen.Panels) != 1 ||
		chosen.Panels[0].(plots.Lines).Title != "Image Retrieval: R@5" {
		t.Errorf("a column of one's choice: got %+v", chosen.Panels)
	}
	linear := papertest.Figure(t, report("GRIT-VLP, searchspace=80", "GRIT-VLP, searchspace=40",
		"GRIT-VLP, searchspace=160")).Panels[0].(plots.Lines)
	if linear.LogX || linear.Series[0].Name != "GRIT-VLP" {
		t.Errorf("got %+v, want a plain axis from 40 to 160", linear)
	}
	// Fields of a method's parts are settings, too; a method without such a part lies across, one with another value stands alone.
	weights := papertest.Figure(t, report("GRIT-VLP, weight=.1", "GRIT-VLP, contrast.weight=.5", "GRIT-VLP, weight=1", "InfoNCE",
		"FALCON")).Panels[0].(plots.Lines)
	if weights.XLabel != "contrast.weight" || len(weights.Series) != 3 || !slices.Equal(weights.Series[0].X, []float64{.1, .5, 1}) ||
		!slices.Equal(weights.Series[1].X, []float64{.1, 1}) || !slices.Equal(weights.Series[2].X, []float64{.2}) {
		t.Errorf("got %+v of weights", weights)
	}
	for _, names := range [][]string{
		{"GRIT-VLP", "FALCON"}, {"InfoNCE", "InfoNCE, temperature=.2"}, {"InfoNCE", "InfoNCE, scenes.density=half"},
		{"FALCON", "FALCON, epochs=1"},
		{"GRIT-VLP, searchspace=16, temperature=.2, epochs=1", "GRIT-VLP, searchspace=80", "GRIT-VLP"},
	} {
		if _, bars := papertest.Figure(t, report(names...)).Panels[0].(plots.Bars); !bars {
			t.Errorf("%q are drawn as a sweep", names)
		}
	}
}
