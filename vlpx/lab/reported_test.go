package lab

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// tells is InfoNCE that says how many negatives are above a threshold of the cosine, how many of these are true pairs, and their mean
// cosine.
type tells struct{ Threshold float64 }

func (c tells) ITC(f negative.Features) negative.Contrasted {
	own := objective.OneHotTargets(objective.Similarities(f.Image, f.Text, f.Temperature))
	cosines, negatives := objective.Cosines(f.Image, f.Text), Sub(OnesLike(own), own)
	joined := Mul(ConvertDType(GreaterThan(cosines, ConstAs(cosines, c.Threshold)), own.DType()), negatives)
	f.TellShare("joined pairs", joined, negatives)
	if truth := f.Truth(); truth != nil {
		f.TellShare("true among joined", Mul(joined, truth.Holds), Mul(joined, truth.Known))
	}
	f.TellMean("cosine of negatives", "", Mul(cosines, negatives), negatives)
	return negative.InfoNCE{}.ITC(f)
}

// column is a table's column of that name, with the cells of all rows.
func column(table tables.Table, name string) (tables.Column, []tables.Cell) {
	k := slices.IndexFunc(table.Columns, func(c tables.Column) bool { return c.Name == name })
	if k < 0 {
		return tables.Column{}, nil
	}
	var cells []tables.Cell
	for _, row := range table.Rows {
		cells = append(cells, row.Cells[k])
	}
	return table.Columns[k], cells
}

// What a part tells has columns in the table, panels in the figures and a line in the files, and a method that tells nothing shows "–".
func TestReported(t *testing.T) {
	o := smallest(t.TempDir())
	o.Own, o.Tasks = []negative.Method{{Name: "mine", Contrast: tells{Threshold: -1}}}, []eval.Task{steps{Height: 0.5}}
	grid := must.Get(OpenComparison([]string{"InfoNCE", "mine"}, o))(t)
	var last Progress
	must.Do(t, grid.Make(t.Context(), func(p Progress) { last = p }))
	report := must.Get(grid.Report())(t)
	_, batch := column(report.table, "in batch")
	for name, want := range map[string]struct {
		unit string
		mean float64
	}{"joined pairs": {field.Percent, 100}, "true among joined": {field.Percent, batch[1][0].Mean}} {
		of, cells := column(report.table, name)
		if of.Unit != want.unit || of.Best != tables.Unranked || len(cells) != 2 || cells[0][0].N != 0 || cells[1][0].Mean != want.mean ||
			want.mean == 0 {
			t.Errorf("%s: got the column %+v with %+v, want nothing of InfoNCE and %g of mine", name, of, cells, want.mean)
		}
	}
	if of, cells := column(report.table, "cosine of negatives"); of.Unit != "" || len(cells) != 2 || cells[1][0].N != 1 {
		t.Errorf("got %+v with %+v", of, cells)
	}
	dir := t.TempDir()
	for ending, want := range map[string]string{
		"csv": "Reported by parts,true among joined,%", "json": `"true among joined"`, "md": "true among joined", "html": "true among joined",
	} {
		path := filepath.Join(dir, "table."+ending)
		must.Do(t, report.Save(path))
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: no %q in\n%s", ending, want, text)
		}
	}
	if text := texts(t, report.table); !strings.Contains(text, "Reported by parts") || !strings.Contains(text, "–") {
		t.Errorf("got the table\n%s", text)
	}
	figure := report.figure.(plots.Figure)
	if titles := titles(figure); !slices.Contains(titles, "Reported by parts") || !slices.Contains(titles, "cosine of negatives") {
		t.Errorf("got panels %q", titles)
	}
	drawing := must.Get(grid.curves(last))(t)
	f := drawing.(plots.Figure)
	if len(f.Panels) != 5 {
		t.Fatalf("%d panels while it trains, want losses, shares, the cosine, retrieval and the task's: %q", len(f.Panels), titles(f))
	}
	if height := f.Panels[4].(plots.Lines); height.Title != "height, validation split" || len(height.Series) != 2 ||
		height.Series[1].Mean[1] != 2 {
		t.Errorf("got the panel %+v, want a height of 2 of both methods after each epoch", height)
	}
	shares, cosine := f.Panels[1].(plots.Lines), f.Panels[2].(plots.Lines)
	if len(shares.Series) != 2 || shares.Series[0].Name != "joined pairs" || len(shares.Series[0].X) != 2 ||
		shares.Series[0].Mean[0] != 100 ||
		shares.Title != "Reported by mine, seed 1" || len(cosine.Series) != 1 || cosine.YLabel != "cosine of negatives" {
		t.Errorf("got %+v and %+v", shares, cosine)
	}

	alone := must.Get(OpenComparison([]string{"mine"}, o))(t)
	got := titles(made(t, alone).figure.(plots.Figure))
	for _, want := range []string{"height", "joined pairs", "true among joined", "cosine of negatives"} {
		if !slices.Contains(got, want) {
			t.Errorf("got panels %q of the run alone, want %q among them", got, want)
		}
	}
}

// titles are those of a figure's panels.
func titles(f plots.Figure) []string {
	var all []string
	for _, p := range f.Panels {
		switch p := p.(type) {
		case plots.Lines:
			all = append(all, p.Title)
		case plots.Bars:
			all = append(all, p.Title)
		}
	}
	return all
}

// photographs is a folder in Karpathy's layout, of which nobody judged which other captions are true.
func photographs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "images"), 0o755))
	var images []string
	for i := range 24 {
		name, split := fmt.Sprintf("%d.png", i), "train"
		switch {
		case i >= 20:
			split = "test"
		case i >= 16:
			split = "val"
		}
		picture := image.NewRGBA(image.Rect(0, 0, 8, 8))
		for p := range 64 {
			picture.Set(p%8, p/8, color.RGBA{uint8(10 * i), uint8(3 * p), 90, 255})
		}
		file := must.Get(os.Create(filepath.Join(dir, "images", name)))(t)
		must.Do(t, png.Encode(file, picture))
		must.Do(t, file.Close())
		images = append(images, fmt.Sprintf(`{"filename": %q, "split": %q, "sentences": [{"raw": "colour %d of a row"}]}`, name,
			split, i))
	}
	text := `{"dataset": "few", "images": [` + strings.Join(images, ",\n") + `]}`
	must.Do(t, os.WriteFile(filepath.Join(dir, "dataset_few.json"), []byte(text), 0o644))
	return dir
}

// On photographs of which nobody knows what is true, a part tells the rest.
func TestToldOfPhotographs(t *testing.T) {
	o := smallest(t.TempDir())
	o.Data, o.Own = photographs(t), []negative.Method{{Name: "mine", Contrast: tells{Threshold: -1}}}
	grid := must.Get(OpenComparison([]string{"mine"}, o))(t)
	report := made(t, grid)
	if _, cells := column(report.table, "joined pairs"); len(cells) != 1 || cells[0][0].Mean != 100 {
		t.Errorf("got %+v joined, want all", cells)
	}
	if _, cells := column(report.table, "true among joined"); cells != nil {
		t.Errorf("got %+v, and nobody knows what is true", cells)
	}
}

// A part that tells by the name of what a task measures is refused before it trains.
func TestToldByAMetricsName(t *testing.T) {
	o := smallest(t.TempDir())
	o.Own = []negative.Method{{Name: "mine", Contrast: tellsRecall{}}}
	grid := must.Get(OpenComparison([]string{"mine"}, o))(t)
	must.Fail(t, grid.Make(t.Context(), nil), `reports "IR@1", which is what a task measures`)
}

type tellsRecall struct{ negative.InfoNCE }

func (c tellsRecall) ITC(f negative.Features) negative.Contrasted {
	f.Tell("IR@1", f.Temperature)
	return c.InfoNCE.ITC(f)
}

// A number that a custom part tells can be asked for before anything says it. One that nothing told is refused afterwards, with what
// there is, and the runs are kept.
func TestMetricThatAPartTells(t *testing.T) {
	o := smallest(t.TempDir())
	o.Own, o.View.Metrics = []negative.Method{{Name: "mine", Contrast: tells{Threshold: -1}}}, []string{"joined pears"}
	grid, err := OpenComparison([]string{"InfoNCE", "mine"}, o)
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, grid.Make(t.Context(), nil))
	if _, err = grid.Report(); err == nil || !strings.Contains(err.Error(), `did you mean "joined pairs"?`) ||
		!strings.Contains(err.Error(), "the finished runs are kept") {
		t.Errorf("got %v", err)
	}
	o.View.Metrics = []string{"joined pairs"}
	grid = must.Get(OpenComparison([]string{"InfoNCE", "mine"}, o))(t)
	if missing, err := grid.Missing(); err != nil || len(missing) > 0 {
		t.Errorf("runs are missing: %v (%v)", missing, err)
	}
	report, err := grid.Report()
	if err != nil || len(report.table.Columns) != 1 || report.table.Columns[0].Name != "joined pairs" {
		t.Errorf("got %v (%v), want the one column", report, err)
	}
	o.View.Metrics = []string{"IR@11"}
	must.Fail(t, must.Err(OpenComparison([]string{"InfoNCE"}, o)), `no metric "IR@11"; did you mean "IR@1"?`, "of a known metric's "+
		"name, misspelt")
}

// A folder of which a scale takes some images is told before training, in the table and below the figure.
func TestPortionOfAFolderIsTold(t *testing.T) {
	o := smallest(t.TempDir())
	o.Data, o.Set = photographs(t), []string{"images=4", "batchsize=2", "epochs=1"}
	grid := must.Get(OpenComparison([]string{"InfoNCE"}, o))(t)
	const want = "4 of 16 training images of few (images=4; images=0 takes all)."
	lines, err := grid.Outlook()
	if err != nil || !slices.Contains(lines, want) {
		t.Errorf("got the outlook %q (%v)", lines, err)
	}
	report := made(t, grid)
	if note := report.figure.(plots.Figure).Note; !strings.Contains(report.table.Note, want) || !strings.Contains(note, want) {
		t.Errorf("got the notes %q and %q", report.table.Note, note)
	}
	o.Set = []string{"batchsize=2", "epochs=1"}
	if grid, err = OpenComparison([]string{"InfoNCE"}, o); err != nil || grid.Plan.Taken() != "" {
		t.Errorf("of all images: got %q (%v)", grid.Plan.Taken(), err)
	}
}

// A run's page draws what its parts told, too, and gives every metric its unit.
func TestRunPageOfToldNumbers(t *testing.T) {
	o := smallest(t.TempDir())
	o.Own = []negative.Method{{Name: "mine", Contrast: tells{Threshold: -1}}}
	grid := must.Get(OpenComparison([]string{"mine"}, o))(t)
	made(t, grid)
	store := must.Get(OpenStore(o.Home))(t)
	page := must.Get(store.Run(grid.Plan.Rows[0][0].ID()))(t)
	figure := page.Figure().(plots.Figure)
	if got := titles(figure); len(got) != 4 || got[1] != "Reported by mine, seed 1" || got[2] != "cosine of negatives by mine, seed 1" {
		t.Fatalf("got the panels %q, want losses, shares, the cosine and recall", got)
	}
	shares, losses := figure.Panels[1].(plots.Lines), figure.Panels[0].(plots.Lines)
	last := func(l plots.Lines) float64 { return l.Series[0].X[len(l.Series[0].X)-1] }
	if shares.XLabel != "epoch" || len(shares.Series) != 2 || last(shares) != last(losses) ||
		last(shares) != float64(len(page.Curves.Epochs)) {
		t.Errorf("got the panel %+v, want two shares along the losses' axis", shares)
	}
	cells := map[string]string{}
	for _, row := range page.metrics().Rows {
		cells[row.Name] = row.Cells[0][0].Text
	}
	if !strings.HasSuffix(cells["FN in batch"], " %") || cells["joined pairs"] != "100.00 %" ||
		strings.HasSuffix(cells["cosine of negatives"], "%") ||
		cells["cosine of negatives"] == "" {
		t.Errorf("got %q", cells)
	}
	for name, want := range map[string]string{"FN hardest": "%", "cosine IR@1": "%", "class top-1, val": "%", "IR rank": "", "reward": "",
		"nothing": ""} {
		if got := MetricUnit(name, nil); got != want {
			t.Errorf("%s: got the unit %q, want %q", name, got, want)
		}
	}
}
