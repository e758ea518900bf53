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

	"vlpx.internal/internal/test/kerneltest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
)

// chromium is the browser, Debian's.
const chromium = "/usr/bin/chromium"

// require skips the test where what it needs is missing, unless $VLPX_REQUIRE, a list with commas, names browser.
func require(t *testing.T) {
	t.Helper()
	for _, program := range []string{classic.program, chromium, "node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			kerneltest.Skip(t, "browser", err.Error())
		}
	}
	if _, err := playwright(t.Context()); err != nil { // for which npm needs the network once
		kerneltest.Skip(t, "browser", err.Error())
	}
	kerneltest.Fast(t, "browser")
}

// pages is the folder of the pages of JupyterLab and Notebook 7. Without it the test is skipped, unless $VLPX_REQUIRE names lab.
func pages(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("VLPX_PAGES")
	if folder == "" {
		kerneltest.Skip(t, "lab", "JupyterLab and Notebook 7 are not built; try VLPX_PAGES=$(.ci/pages/build)")
	}
	if out, err := exec.Command("/usr/bin/python3", "-c", "import jupyterlab_server").CombinedOutput(); err != nil {
		kerneltest.Skip(t, "lab", fmt.Sprintf("there is no python3-jupyterlab-server: %s", out))
	}
	return folder
}

// TestClassic opens notebooks in one server, whose folder has a name with spaces and letters beyond ASCII and lies outside of the
// checkout. The bench trains in JupyterLab.
func TestClassic(t *testing.T) {
	require(t)
	j := startJupyter(t, classic, filepath.Join(t.TempDir(), "Étude à part"))
	t.Run("cells, widgets, interrupt and restart", func(t *testing.T) { testScratch(t, j) })
	t.Run("quick-start.ipynb", func(t *testing.T) { testQuickStart(t, j) })
	t.Run("ablation-bench.ipynb", func(t *testing.T) { reload(compose(t, j)) })
	t.Run("false-negatives.ipynb", func(t *testing.T) { testExplorer(t, j) })
}

// TestNotebook7 does what is the page's own affair: what a kernel does is tested in the others.
func TestNotebook7(t *testing.T) {
	require(t)
	j := startJupyter(t, seven(pages(t)), filepath.Join(t.TempDir(), "seven"))
	t.Run("ablation-bench.ipynb", func(t *testing.T) { reload(compose(t, j)) })
	t.Run("false-negatives.ipynb", func(t *testing.T) { testExplorer(t, j) })
}

// TestLab has JupyterLab behind a proxy with TLS, at a path as JupyterHub and Binder give it.
func TestLab(t *testing.T) {
	require(t)
	j := startJupyter(t, lab(pages(t)), filepath.Join(t.TempDir(), "lab"))
	t.Run("ablation-bench.ipynb", func(t *testing.T) { testBench(t, j) })
	t.Run("two notebooks in a page", func(t *testing.T) { testTwo(t, j) })
}

// trainingCell trains for an hour.
const trainingCell = `%%
vlpx.Run("InfoNCE", vlpx.Options{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"epochs=10000"}})`

// stoppedCell is how it ends where it is interrupted.
const stoppedCell = "stopped: 0 of 1 runs are kept, and a checkpoint of InfoNCE, seed 1; the same call goes on from there"

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
	if !strings.Contains(got.Stderr, stoppedCell) || strings.Contains(got.Output, "goroutine ") {
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
	pictures, page := 0, ""
	for _, cell := range s.Cells() {
		page += cell.Output
		pictures += len(cell.Pictures)
		if cell.Hidden > 0 {
			t.Errorf("cell %d: %d pixels of its output are to be scrolled to", cell.Number, cell.Hidden)
		}
	}
	if pictures != 4 { // of the artifact, as it is shipped, of a method, of the comparison
		t.Errorf("%d pictures, want 4", pictures)
	}
	for _, want := range []string{"falcon/table1", "vlpx/run: FALCON", "GRIT-VLP, searchspace=16"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
}

// What a form shows: controls, buttons and a line that tells how far it is.
type form string

const bench, explorer = form("bench"), form("explorer")

func (f form) status() string { return fmt.Sprintf(`[data-vlpx=%q] [data-vlpx-status]`, f) }

func (f form) control(name string) string {
	return fmt.Sprintf(`[data-vlpx=%q] [data-vlpx-control=%q]`, f, name)
}

func (f form) button(name string) string {
	return fmt.Sprintf(`[data-vlpx=%q] [data-vlpx-button=%q]`, f, name)
}

// testBench composes a method, stops its training, goes on, compares it with the plain one, loads the page again and finishes.
func testBench(t *testing.T, j *jupyter) {
	s := compose(t, j)
	s.Set(bench.control("seeds"), "5")
	s.Click(bench.button("run"))
	s.Wait(bench.status(), "training")
	eventually(t, "curves are drawn while it trains", func() bool { return len(s.Cell(3).Pictures) > 0 })
	s.Click(bench.button("stop"))
	s.Wait(bench.status(), "goes on from there")
	s.Screenshot("stopped")

	s.Set(bench.control("seeds"), "2")
	s.Click(bench.button("run"))
	s.Wait(bench.status(), "trained")
	s.Click(bench.button("compare"))
	s.Wait(bench.status(), "training")
	s.Wait(bench.status(), "trained")
	s.Screenshot("compared")
	if got := s.Cell(3).Hidden; got > 0 {
		t.Errorf("%d pixels of the comparison are to be scrolled to", got)
	}
	s.ExpectNoErrors()
	reload(s)
}

// compose opens the bench and chooses parts. Keys on its slider, which are a notebook's commands elsewhere, move that alone: a letter
// inserts a cell, two delete one, an arrow moves to another.
func compose(t *testing.T, j *jupyter) *Session {
	t.Helper()
	s := openNotebook(t, j, j.project(t, "ablation-bench.ipynb"))
	s.Run(2, 3)
	s.Wait(bench.status(), "compose a method")
	s.Screenshot("form")
	s.Set(bench.control("batches"), "fixed quantile")
	s.Set(bench.control("quantile"), "0.8")
	s.Wait(bench.status(), "0.8")

	before := s.Place()
	value, after := s.Press(bench.control("quantile"), "ArrowLeft b d d x ArrowLeft")
	if value == "0.8" || after != before {
		t.Errorf("after keys on a slider it is at %s, and the notebook at %+v; want the slider moved, and the notebook at %+v", value, after, before)
	}
	s.Set(bench.control("quantile"), "0.8")
	return s
}

// reload loads the page again, whose saved form says that it is of no use, runs the cell again and finishes.
func reload(s *Session) {
	s.t.Helper()
	s.Reload()
	s.Wait(bench.status(), "have lost their cell")
	s.Screenshot("reloaded")
	s.Interrupt()
	s.Run(2, 3)
	s.Wait(bench.status(), "compose a method")
	s.Set(bench.control("batches"), "grouped")
	s.Wait(bench.status(), "grouped")
	s.Click(bench.button("finish"))
	s.t.Logf("cells took %v", s.Finish(2, 3))
	s.Screenshot("finished")
	s.ExpectNoErrors()
}

// testExplorer turns to other anchors.
func testExplorer(t *testing.T, j *jupyter) {
	s := openNotebook(t, j, j.project(t, "false-negatives.ipynb"))
	s.Run(2, 3)
	explore(s)
	s.Screenshot("caption")
	s.Click(explorer.button("finish"))
	s.Finish(2, 3)
	s.ExpectNoErrors()
	if got := s.Cell(3).Pictures; len(got) != 1 {
		t.Errorf("pictures %v, want one", got)
	}
}

// explore turns to another anchor of the explorer's, at another temperature.
func explore(s *Session) {
	s.t.Helper()
	const outputs = ".output, .jp-OutputArea-output"
	s.Wait(outputs, "The captions nearest to image")
	s.Set(explorer.control("temperature"), "0.5")
	s.Wait(outputs, "at a temperature of 0.5")
	s.Set(explorer.control("anchor"), "2")
	s.Set(explorer.control("negatives"), "4")
	s.Set(explorer.control("side"), "caption")
	s.Wait(outputs, "The images nearest to the caption")
}

// testTwo has forms of two notebooks in one page, of which each answers while the other is there.
func testTwo(t *testing.T, j *jupyter) {
	first, second := j.project(t, "ablation-bench.ipynb"), j.project(t, "false-negatives.ipynb")
	s := openNotebook(t, j, first)
	s.Run(2, 3)
	s.Wait(bench.status(), "compose a method")
	s.Show(second)
	s.Run(2, 3)
	explore(s)
	s.Show(first)
	s.Set(bench.control("batches"), "grouped")
	s.Wait(bench.status(), "grouped")
	s.Show(second)
	s.Set(explorer.control("side"), "image")
	s.Wait(explorer.status(), "")
	s.Click(explorer.button("finish"))
	s.Finish(2, 3)
	s.Screenshot("second")
	s.Show(first)
	s.Set(bench.control("batches"), "fixed quantile")
	s.Wait(bench.status(), "fixed quantile")
	s.Click(bench.button("finish"))
	s.Finish(2, 3)
	s.Screenshot("first")
	s.ExpectNoErrors()
}

// TestCode completes names in a cell, and stops a cell that trains. Its server is its own: gopls reads vlpx for each kernel that it starts.
func TestCode(t *testing.T) {
	require(t)
	f := lab(pages(t))
	f.completes = true
	j := startJupyter(t, f, filepath.Join(t.TempDir(), "code"))
	const notebook = "mine.ipynb"
	j.add(t, notebook, must.Get(kernels.Notebook{Cells: []kernels.Cell{
		kernels.Go(`import "vlpx.internal/vlpx"`), kernels.Go(trainingCell), kernels.Go(""),
	}}.Encode())(t))
	s := openNotebook(t, j, notebook)
	s.Run(1)
	s.Finish(1)
	for _, c := range []struct{ code, offers string }{{"%%\nvlpx.Repr", "Reproduce"}, {"%%\nvlpx.Comp", "Compare"}} {
		start := time.Now()
		offered := s.Complete(c.code)
		t.Logf("from typing %q to a menu: %v", c.code, time.Since(start))
		if !slices.ContainsFunc(offered, func(text string) bool { return strings.Contains(text, c.offers) }) {
			t.Errorf("Tab after %q offers %q, want %s", c.code, offered, c.offers)
		}
	}
	s.Screenshot("completed")

	s.Run(2)
	eventually(t, "curves are drawn while it trains", func() bool { return len(s.Cell(2).Pictures) > 0 })
	s.Interrupt()
	s.Finish(2)
	if got := s.Cell(2).Stderr; !strings.Contains(got, stoppedCell) {
		t.Errorf("an interrupted cell ends with %q, want a line that says what is kept", got)
	}
	s.Screenshot("interrupted")
}
