package notebooks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/kerneltest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/papers/catalogue"
)

// TestExecute executes notebooks with the kernel and without a browser. Package browser's tests execute quick-start, and press what the
// bench and the explorer have.
func TestExecute(t *testing.T) {
	if _, err := kernels.Nbconvert(); err != nil {
		kerneltest.Skip(t, "notebook", err.Error())
	}
	kerneltest.Fast(t, "onnx")
	prefix, home := kerneltest.Prefix(t), t.TempDir()
	t.Run("a paper's", func(t *testing.T) { aPapers(t, prefix, home) })
	t.Run("ablation-bench.ipynb", func(t *testing.T) {
		withoutPage(t, prefix, home, "ablation-bench.ipynb", 2, "grouped, consistency", "Hard quantile, hard=.3")
	})
	t.Run("false-negatives.ipynb", func(t *testing.T) {
		withoutPage(t, prefix, home, "false-negatives.ipynb", 4, "The captions nearest to image", "Sentences written from the caption",
			"The images nearest to the caption")
	})
	t.Run("your-method.ipynb", func(t *testing.T) { executeYourMethod(t, prefix) })
}

// execute executes a notebook with the store at home, and returns the executed cells.
func execute(t *testing.T, prefix, home, notebook string) []kerneltest.Cell {
	t.Helper()
	t.Setenv("VLPX_HOME", home)
	out := filepath.Join(t.TempDir(), "executed.ipynb")
	must.Do(t, kernels.Execute(t.Context(), prefix, notebook, out))
	return kerneltest.Read(t, out)
}

// page is what all of the cells displayed, and how many figures.
func page(cells []kerneltest.Cell) (html string, figures int) {
	for _, c := range cells {
		html += c.HTML()
		figures += c.Figures()
	}
	return html, figures
}

// aPapers executes two artifacts of SRCL's notebook. The papers' notebooks differ in their artifacts alone, all of which lab's tests
// reproduce.
func aPapers(t *testing.T, prefix, home string) {
	ids := []string{"srcl/table1", "srcl/table4"}
	notebook := filepath.Join(t.TempDir(), "srcl.ipynb")
	short := must.Get(compose(srclIntroduction, "1, 2", ids...))(t)
	must.Do(t, os.WriteFile(notebook, must.Get(short.Encode())(t), 0o644))
	cells := execute(t, prefix, home, notebook)
	for _, id := range ids {
		at := slices.IndexFunc(cells, func(c kerneltest.Cell) bool {
			return strings.Contains(strings.Join(c.Source, ""), `Reproduce("`+id+`"`)
		})
		html, figures := page(cells[at : at+1])
		if !strings.Contains(html, "<table") || !strings.Contains(html, id) {
			t.Errorf("%s: no table with its name in %q", id, html)
		}
		if artifact := must.Get(catalogue.Find(id))(t); (artifact.Figure != nil) != (figures == 1) {
			t.Errorf("%s: %d figures, want one: %v", id, figures, artifact.Figure != nil)
		}
		o := lab.Options{Scale: "tiny", Seeds: []uint64{1, 2}}
		if strings.Contains(strings.Join(cells[at].Source, ""), "Without: without") {
			o.Without = []string{"NLVR2", "VQA"}
		}
		grid := must.Get(lab.Open(id, o))(t)
		if missing, err := grid.Missing(); err != nil || len(missing) > 0 {
			t.Errorf("%s: the store lacks %d runs (%v) after the notebook ran, want none", id, len(missing), err)
		}
	}
}

// withoutPage executes a notebook with controls, which show an example and end where no page answers.
func withoutPage(t *testing.T, prefix, home, notebook string, figures int, says ...string) {
	html, drawn := page(execute(t, prefix, home, notebook))
	for _, want := range says {
		if !strings.Contains(html, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	if got := drawn + strings.Count(html, "<img "); got != figures {
		t.Errorf("%d figures, want %d", got, figures)
	}
	if strings.Contains(html, "data-vlpx") {
		t.Error("there are controls, which nobody could press")
	}
}

func executeYourMethod(t *testing.T, prefix string) {
	home := t.TempDir()
	html, _ := page(execute(t, prefix, home, "your-method.ipynb"))
	for _, want := range []string{"GRIT-VLP", "FALCON", "Pivot", "Pivot, filtered", "framework=Towers", "neighbours", "Zero-shot classes"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in %q", want, html)
		}
	}
	grid := must.Get(lab.Open("falcon/table1", lab.Options{Scale: "tiny", Methods: []string{"GRIT-VLP", "FALCON"},
		Without: []string{"NLVR2", "VQA"}}))(t)
	results, err := filepath.Glob(filepath.Join(home, "runs", "*", "result.json"))
	if want := len(grid.Plan.Runs()) + 2*len(grid.Plan.Seeds) + 2; err != nil || len(results) != want {
		t.Errorf("%d runs are finished (%v), want the catalogue's, two rows of one's own, and two runs of a framework of one's own: %d",
			len(results), err, want)
	}
}
