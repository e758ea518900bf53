package kernels_test

import (
	"context"
	"encoding/json"
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
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/papers/catalogue"
)

// skip skips the test for want of a program, unless $VLPX_REQUIRE, a list with commas, names what is wanted.
func skip(t testing.TB, wanted, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), wanted) {
		t.Fatalf("VLPX_REQUIRE names %s, but %s", wanted, why)
	}
	t.Skip(why)
}

// TestKernel installs the kernel once and executes notebooks with it.
func TestKernel(t *testing.T) {
	if _, err := kernels.Nbconvert(); err != nil {
		skip(t, "notebook", err.Error())
	}
	prefix := t.TempDir()
	must.Do(t, kernels.Install(t.Context(), prefix, t.Output()))
	t.Run("a cell imports the module and keeps what cells before it declare", func(t *testing.T) {
		cells := must.Get(execute(t, prefix,
			kernels.Markdown("# Square"),
			kernels.Go("import \"vlpx.internal/vlpx/random\"\n\nconst side = 7"),
			kernels.Go("%%\nfmt.Println(side*side, random.Stream(1).IntN(1))")))(t)
		if got, want := cells[2].text(), "49 0\n"; got != want {
			t.Errorf("output %q, want %q", got, want)
		}
	})
	t.Run("cells that fail are named with their message", func(t *testing.T) {
		cells, err := execute(t, prefix,
			kernels.Go("%%\nfmt.Fprintln(os.Stderr, \"no such artifact\")\nos.Exit(3)"),
			kernels.Go("%%\nfmt.Println(undeclared)"),
			kernels.Go("%%\nfmt.Println(\"still here\")"))
		if err == nil {
			t.Fatal("no error")
		}
		for _, want := range []string{"In [1]: exit status 3: no such artifact", "In [2]: In [2], line 2: undefined: undeclared"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q, want it to contain %q", err, want)
			}
		}
		if got, want := cells[2].text(), "still here\n"; got != want {
			t.Errorf("output of the last cell %q, want %q", got, want)
		}
	})
	t.Run("a part of one's own keeps its runs", func(t *testing.T) { ownPart(t, prefix) })
	t.Run("the tests for kernels of Jupyter's", func(t *testing.T) { peerSuite(t, prefix) })
	// Of the papers' notebooks one, since they differ in the artifacts alone; lab's tests reproduce every artifact.
	home := t.TempDir()
	t.Run("srcl.ipynb", func(t *testing.T) {
		shown := 0
		for _, c := range train(t, prefix, home, "srcl.ipynb") {
			_, call, found := strings.Cut(strings.Join(c.Source, ""), `vlpx.Reproduce("`)
			if !found {
				continue
			}
			shown++
			id, _, _ := strings.Cut(call, `"`)
			artifact := must.Get(catalogue.Find(id))(t)
			if page := c.html(); !strings.Contains(page, "<table") || !strings.Contains(page, id) {
				t.Errorf("%s: no table with its name in %q", id, page)
			}
			want := 0
			if artifact.Figure != nil {
				want = 1
			}
			if got := c.figures(); got != want {
				t.Errorf("%s: %d figures, want %d", id, got, want)
			}
			o := lab.Options{Scale: "tiny", Seeds: []uint64{1, 2}}
			if strings.Contains(call, "Without: without") {
				o.Without = []string{"NLVR2", "VQA"}
			}
			grid := must.Get(lab.Open(id, o))(t)
			if missing, err := grid.Missing(); err != nil || len(missing) > 0 {
				t.Errorf("%s: the store lacks %d runs (%v) after the notebook ran, want none", id, len(missing), err)
			}
		}
		if shown == 0 {
			t.Error("no cell shows an artifact")
		}
	})
	// Without a page that answers the bench and the explorer show an example and end.
	for _, notebook := range []struct {
		file    string
		figures int
		says    []string
	}{
		{"quick-start.ipynb", 3, []string{"falcon/table1", "vlpx/run: FALCON", "GRIT-VLP, searchspace=16"}},
		{"ablation-bench.ipynb", 2, []string{"grouped, consistency", "Hard quantile, hard=.3"}},
		{"false-negatives.ipynb", 4, []string{"The captions nearest to image", "Sentences written from the caption",
			"The images nearest to the caption"}},
	} {
		t.Run(notebook.file, func(t *testing.T) {
			page, figures := "", 0
			for _, c := range train(t, prefix, home, notebook.file) {
				page += c.html()
				figures += c.figures()
			}
			for _, want := range notebook.says {
				if !strings.Contains(page, want) {
					t.Errorf("no %q on the page", want)
				}
			}
			if got := figures + strings.Count(page, "<img "); got != notebook.figures {
				t.Errorf("%d figures, want %d", got, notebook.figures)
			}
			if strings.Contains(page, "data-vlpx") {
				t.Error("there are controls, which nobody could press")
			}
		})
	}
	t.Run("your-method.ipynb", func(t *testing.T) {
		home := t.TempDir()
		cells := train(t, prefix, home, "your-method.ipynb")
		page := ""
		for _, c := range cells {
			page += c.html()
		}
		for _, want := range []string{"GRIT-VLP", "FALCON", "Pivot", "Pivot, filtered", "framework=Towers", "neighbours",
			"Zero-shot classes"} {
			if !strings.Contains(page, want) {
				t.Errorf("no %q in %q", want, page)
			}
		}
		grid := must.Get(lab.Open("falcon/table1", lab.Options{Scale: "tiny", Methods: []string{"GRIT-VLP", "FALCON"},
			Without: []string{"NLVR2", "VQA"}}))(t)
		results, err := filepath.Glob(filepath.Join(home, "runs", "*", "result.json"))
		if want := len(grid.Plan.Runs()) + 2*len(grid.Plan.Seeds) + 2; err != nil || len(results) != want {
			t.Errorf("%d runs are finished (%v), want the catalogue's, two rows of one's own, and two runs of a framework of one's own: %d",
				len(results), err, want)
		}
	})
}

// peerSuite has Jupyter's own tests for kernels talk to the kernel (testdata/suite.py).
func peerSuite(t *testing.T, prefix string) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import jupyter_kernel_test").Run(); err != nil {
		skip(t, "notebook", "there is no python3-jupyter-kernel-test; get it with: sudo apt-get install --no-install-recommends "+
			"python3-jupyter-kernel-test")
	}
	script := must.Get(filepath.Abs(filepath.Join("testdata", "suite.py")))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // it waits for some answers without end
	defer cancel()
	suite := exec.CommandContext(ctx, python, script)
	suite.Dir = t.TempDir()
	suite.Env = append(os.Environ(), "JUPYTER_PATH="+filepath.Join(prefix, "share", "jupyter"))
	suite.WaitDelay = 10 * time.Second
	if told, err := suite.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, told)
	}
}

// train executes one of the project's notebooks, which trains, with the store at home, and returns the executed cells.
func train(t *testing.T, prefix, home, notebook string) []cell {
	t.Helper()
	if choice, _ := engine.Choose(engine.Cache()); choice.Slower != "" {
		skip(t, "onnx", "trains too slowly on "+choice.Name+": "+choice.Slower)
	}
	t.Setenv("VLPX_HOME", home)
	out := filepath.Join(t.TempDir(), "executed.ipynb")
	must.Do(t, kernels.Execute(t.Context(), prefix, filepath.Join("..", "notebooks", notebook), out))
	return read(t, out)
}

// execute runs a notebook of these cells that lies outside of the checkout, and returns the executed cells.
func execute(t *testing.T, prefix string, cells ...kernels.Cell) ([]cell, error) {
	t.Helper()
	encoded := must.Get(kernels.Notebook{Cells: cells}.Encode())(t)
	dir := t.TempDir()
	notebook, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	must.Do(t, os.WriteFile(notebook, encoded, 0o644))
	failed := kernels.Execute(t.Context(), prefix, notebook, out)
	return read(t, out), failed
}

// cell is what the tests read of an executed cell.
type cell struct {
	Source  []string
	Outputs []struct {
		Text []string
		Data map[string]any
	}
}

func read(t *testing.T, path string) []cell {
	t.Helper()
	encoded := must.Get(os.ReadFile(path))(t)
	var notebook struct{ Cells []cell }
	must.Do(t, json.Unmarshal(encoded, &notebook))
	return notebook.Cells
}

// text is what the cell wrote.
func (c cell) text() string {
	var all string
	for _, output := range c.Outputs {
		all += strings.Join(output.Text, "")
	}
	return all
}

// html is what the cell displayed as a page.
func (c cell) html() string {
	var all string
	for _, output := range c.Outputs {
		if page, found := output.Data["text/html"]; found {
			all += fmt.Sprint(page)
		}
	}
	return all
}

// figures counts the PNGs that the cell displayed.
func (c cell) figures() int {
	n := 0
	for _, output := range c.Outputs {
		if _, found := output.Data["image/png"]; found {
			n++
		}
	}
	return n
}
