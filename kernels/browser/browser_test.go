package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
	"vlpx.internal/vlpx/engine"
)

// chromium is the browser, Debian's.
const chromium = "/usr/bin/chromium"

// require skips the test where what it needs is missing, unless $VLPX_REQUIRE, a list with commas, names browser.
func require(t *testing.T) {
	t.Helper()
	lack := func(why string) {
		t.Helper()
		if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "browser") {
			t.Fatalf("VLPX_REQUIRE names browser, but %s", why)
		}
		t.Skip(why)
	}
	for _, program := range []string{classic, chromium, "node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			lack(err.Error())
		}
	}
	if _, err := playwright(t.Context()); err != nil { // for which npm needs the network once
		lack(err.Error())
	}
	if choice, _ := engine.Choose(engine.Cache()); choice.Slower != "" {
		lack("training is too slow on " + choice.Name + ": " + choice.Slower)
	}
}

// TestPage opens notebooks in one server, whose folder has a name with spaces and letters beyond ASCII and lies outside of the
// checkout.
func TestPage(t *testing.T) {
	require(t)
	j := startJupyter(t, filepath.Join(t.TempDir(), "Étude à part"))
	t.Run("cells, widgets, interrupt and restart", func(t *testing.T) { testScratch(t, j) })
	t.Run("quick-start.ipynb", func(t *testing.T) { testQuickStart(t, j) })
	t.Run("ablation-bench.ipynb", func(t *testing.T) { testBench(t, j) })
	t.Run("false-negatives.ipynb", func(t *testing.T) { testExplorer(t, j) })
}

// trainingCell trains for minutes.
const trainingCell = `%%
vlpx.Reproduce("falcon/table1", vlpx.Options{Scale: "mini", Methods: []string{"InfoNCE"}, Seeds: []uint64{1}, Without: []string{"NLVR2", "VQA"}})`

// widgetsCell shows a slider and a button, tells what they send, and ends with the first click. GoNB's first connection with a
// page may be lost on a busy machine, and a widget would then wait for ever; so it calls until the page answers.
const widgetsCell = `import (
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/dom"
	"github.com/janpfeifer/gonb/gonbui/widgets"
)

func connect() {
	for {
		address := "/hello/" + gonbui.UniqueId()
		answer := comms.Listen[int](address)
		dom.TransientJavascript(fmt.Sprintf("globalThis.gonb_comm?.send(%q, 1)", address))
		select {
		case <-answer.C:
			return
		case <-time.After(1500 * time.Millisecond):
		}
	}
}

%%
connect()
slider := widgets.Slider(0, 10, 3).WithHtmlId("slider").Done()
button := widgets.Button("Press").WithHtmlId("button").Done()
moves, clicks := slider.Listen(), button.Listen()
gonbui.UpdateHtml("widgets_state", fmt.Sprintf("slider at %d", slider.Value()))
for {
	select {
	case value := <-moves.C:
		gonbui.UpdateHtml("widgets_state", fmt.Sprintf("slider at %d", value))
	case count := <-clicks.C:
		gonbui.UpdateHtml("widgets_state", fmt.Sprintf("click %d", count))
		return
	}
}`

func testScratch(t *testing.T, j *jupyter) {
	const notebook = "falsche Negative, Übung 1.ipynb"
	encoded := must.Get(kernels.Notebook{Cells: []kernels.Cell{
		kernels.Markdown("# What a reader may do"),
		kernels.Go(`import "vlpx.internal/vlpx"`),
		kernels.Go("%%\n" + `vlpx.Show("falcon/table5", vlpx.Options{Scale: "tiny"})`),
		kernels.Go("%%\n" + `vlpx.Reproduce("falcon/D.2", vlpx.Options{Scale: "tiny", Methods: []string{"InfoNCE"}, Seeds: []uint64{1}})`),
		kernels.Go(widgetsCell),
		kernels.Go(trainingCell),
	}}.Encode())(t)
	j.add(t, notebook, encoded)
	s := openNotebook(t, j, notebook)

	s.Run(2, 3, 4)
	t.Logf("imports, a table, a figure after training: %v", s.Finish(2, 3, 4))
	if got := s.Cell(4).Pictures; len(got) != 1 {
		t.Errorf("pictures %v, want one", got)
	}

	s.Run(5)
	s.Wait(".output", "slider at 3")
	start := time.Now()
	s.Set("#slider", "7")
	s.Wait(".output", "slider at 7")
	t.Logf("from moving the slider to the cell's answer: %v", time.Since(start))
	s.Click("#button")
	s.Wait(".output", "click 1")
	s.Finish(5)
	s.ExpectNoErrors()

	s.Run(6)
	s.Wait(".output", "step ")
	eventually(t, "curves are drawn while it trains", func() bool { return len(s.Cell(6).Pictures) > 0 })
	s.Screenshot("training")
	s.Interrupt()
	s.Finish(6)
	got := s.Cell(6)
	if !strings.Contains(got.Stderr, "stopped: 0 of 2 runs are kept, and a checkpoint of Warm start, seed 1; the same call goes on "+
		"from there") || strings.Contains(got.Output, "goroutine ") {
		t.Errorf("an interrupted cell ends with %q, want a line that says what is kept", got.Output)
	}
	s.Screenshot("interrupted")

	s.Run(6)
	s.Wait(".output", "step ")
	if running := j.cells(t); len(running) != 1 {
		t.Errorf("processes %q, want that of the cell", running)
	}
	s.Restart()
	eventually(t, "a restart ends the cell's process", func() bool { return len(j.cells(t)) == 0 })
	s.Run(2, 3)
	s.Finish(2, 3)
	if got := s.Cell(3); got.Errors != "" || !strings.Contains(got.Output, "falcon/table5") {
		t.Errorf("after a restart a cell shows %q", got.Output)
	}
}

func testQuickStart(t *testing.T, j *jupyter) {
	s := openNotebook(t, j, j.project(t, "quick-start.ipynb"))
	s.RunAll()
	t.Logf("cells took %v", s.Finish())
	s.Screenshot("executed")
	s.ExpectNoErrors()
	pictures := 0
	for _, cell := range s.Cells() {
		pictures += len(cell.Pictures)
		if cell.Hidden > 0 {
			t.Errorf("cell %d: %d pixels of its output are to be scrolled to", cell.Number, cell.Hidden)
		}
	}
	if pictures == 0 {
		t.Error("no picture")
	}
}

// What the ablation bench and the explorer show: a form with controls, buttons and a line that tells how far it is.
const status = `[data-vlpx] [data-vlpx-status]`

func control(name string) string { return fmt.Sprintf(`[data-vlpx] [data-vlpx-control=%q]`, name) }

func button(name string) string { return fmt.Sprintf(`[data-vlpx] [data-vlpx-button=%q]`, name) }

// testBench composes a method, stops its training, goes on, compares it with the plain one and finishes.
func testBench(t *testing.T, j *jupyter) {
	s := openNotebook(t, j, j.project(t, "ablation-bench.ipynb"))
	s.RunAll()
	s.Wait(status, "compose a method")
	s.Screenshot("form")

	s.Set(control("batches"), "fixed quantile")
	s.Set(control("quantile"), "0.8")
	s.Wait(status, "0.8")
	s.Set(control("seeds"), "5")
	s.Click(button("run"))
	s.Wait(status, "training")
	s.Click(button("stop"))
	s.Wait(status, "goes on from there")
	s.Screenshot("stopped")

	s.Set(control("seeds"), "2")
	s.Click(button("run"))
	s.Wait(status, "trained")
	s.Click(button("compare"))
	s.Wait(status, "training")
	s.Wait(status, "trained")
	s.Screenshot("compared")

	s.Click(button("finish"))
	t.Logf("cells took %v", s.Finish())
	s.Screenshot("finished")
	s.ExpectNoErrors()
}

// testExplorer turns to other anchors.
func testExplorer(t *testing.T, j *jupyter) {
	s := openNotebook(t, j, j.project(t, "false-negatives.ipynb"))
	s.Run(2, 3)
	s.Wait(".output", "The captions nearest to image")
	s.Set(control("temperature"), "0.5")
	s.Wait(".output", "at a temperature of 0.5")
	s.Set(control("anchor"), "2")
	s.Set(control("negatives"), "4")
	s.Set(control("side"), "caption")
	s.Wait(".output", "The images nearest to the caption")
	s.Screenshot("caption")
	s.Click(button("finish"))
	s.Finish(2, 3)
	s.ExpectNoErrors()
	if got := s.Cell(3).Pictures; len(got) != 1 {
		t.Errorf("pictures %v, want one", got)
	}
}
