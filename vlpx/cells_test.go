package vlpx

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// smallest keeps a run within a second on any engine.
func smallest(home string) Options {
	return Options{Scale: "tiny", Seeds: []uint64{1}, Home: home, Set: []string{
		"scenes.train=16", "scenes.test=4", "scenes.val=4", "rerank=2", "epochs=2",
	}}
}

// scoring is by a framework that scores pairs and embeds nothing.
func scoring(o Options) Options {
	o.Framework = "UNITER"
	return o
}

// cells are what the tests below run in a process of its own, as a kernel runs a cell.
var cells = map[string]func(){
	"wrong name":      func() { Reproduce("falcon/tabel1", Options{Scale: "tiny"}) },
	"wrong scale":     func() { Reproduce("falcon/table1", Options{Scale: "tinny"}) },
	"wrong method":    func() { Compare([]string{"InfoNCE", "GRIT-VPL"}) },
	"wrong setting":   func() { Run("InfoNCE, epoch=3") },
	"nothing to show": func() { Show(3) },
	"wrong ending":    func() { Save(&Report{}, "figure.gif") },
	"two options":     func() { Run("InfoNCE", Options{}, Options{}) },
	"list":            func() { Show("falcon") },
	"shipped":         func() { Show("falcon/table1") },
	"table": func() {
		Show(tables.Table{Columns: []tables.Column{{Name: "a"}}, Rows: []tables.Row{{Name: "row"}}})
	},
	"run":         func() { Run("InfoNCE", smallest("")) },
	"compare":     func() { Save(Compare([]string{"InfoNCE", "InfoNCE, temperature=.2"}, smallest("")), "c.svg", "c.md") },
	"store":       workOnStore,
	"no such run": func() { ShowRun("xyz", smallest("")) },
	"view": func() {
		r := Compare([]string{"InfoNCE", "InfoNCE, temperature=.2"}, smallest(""))
		Save(Show(r, Options{View: View{Metrics: []string{"IR@1", "cosine IR mAP"}, Rows: []string{"InfoNCE"}, Title: "Mine",
			Width: "page"}}),
			"c.svg", "c.tex", "c.seeds.csv")
	},
	"sweep": func() {
		o := smallest("")
		o.Methods, o.Without, o.TensorBoard = []string{"MAFA"}, []string{"VQA", "NLVR2"}, "events"
		o.Own = []negative.Method{{Name: "Mine", Contrast: mine{Weight: 0.5}}}
		for _, r := range Sweep([]string{"falcon/table1"}, Sweeping{Jobs: 2}, o) {
			Save(r, "sweep.csv")
		}
		Save(Reproduce("falcon/table1", o), "reproduce.csv")
	},
	"sweep script": func() {
		Sweep([]string{"falcon/table1"}, Sweeping{Launcher: "slurm", Slurm: []string{"partition=gpu"}, DryRun: true}, smallest(""))
	},
	"wrong sweep":     func() { Sweep([]string{"falcon/table1"}, Sweeping{Launcher: "slrm"}, smallest("")) },
	"wrong view":      func() { Run("InfoNCE", Options{Scale: "tiny", View: View{Metrics: []string{"IR@11"}}}) },
	"bench":           func() { Bench(smallest("")) },
	"explore":         func() { Explore("GRIT-VLP", smallest("")) },
	"explore written": func() { Explore("TAGS-DC", scoring(smallest(""))) },
	"explore methods": func() {
		o := scoring(smallest(""))
		o.Methods = []string{"MAFA"}
		Explore("TAGS", o)
	},
}

// mine is a part that only this program has.
type mine struct{ Weight float64 }

func (c mine) ITC(f negative.Features) negative.Contrasted {
	return negative.Consistency{Weight: c.Weight}.ITC(f)
}

const cellKey = "VLPX_TEST_CELL"

func TestMain(m *testing.M) {
	if run, ok := cells[os.Getenv(cellKey)]; ok {
		run()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runCell runs one of the cells in a folder of its own.
func runCell(t *testing.T, name, dir string) (out, complaint string, status int) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Dir = dir
	command.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GONB_") }),
		cellKey+"="+name, "VLPX_HOME="+filepath.Join(dir, "home"))
	var written, complained strings.Builder
	command.Stdout, command.Stderr = &written, &complained
	if err := command.Run(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return written.String(), complained.String(), command.ProcessState.ExitCode()
}

// A mistake ends the program with one line: what, and what to do.
func TestCellsThatFail(t *testing.T) {
	for name, says := range map[string]string{
		"wrong name":      `"falcon/table1"`,
		"wrong scale":     `did you mean "tiny"`,
		"wrong method":    `did you mean "GRIT-VLP"`,
		"wrong setting":   `did you mean "epochs"`,
		"wrong view":      `did you mean "IR@1"`,
		"nothing to show": "int",
		"wrong ending":    ".svg",
		"two options":     "run: a call takes one Options, not 2",
		"wrong sweep":     `no launcher "slrm"`,
		"no such run":     `no run "xyz": the store has none`,
		"explore methods": "UNITER makes no embeddings",
	} {
		out, complaint, status := runCell(t, name, t.TempDir())
		if status != 1 || out != "" || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, says) {
			t.Errorf("%s: status %d, output %q, standard error %q; want 1, none and one line that says %q", name, status, out,
				complaint, says)
		}
	}
}

func TestCellsInATerminal(t *testing.T) {
	for name, says := range map[string][]string{
		"list":    {"falcon/table1", "falcon/D.3", "of 12 rows"},
		"shipped": {"falcon/table1", "reference (n=8)", "8 shipped seeds"},
		"table":   {"row"},
		"run":     {"vlpx/run: InfoNCE", "R@1"},
		"compare": {"InfoNCE, temperature=.2", "Claims"},
		"view":    {"Mine"},
		"bench":   {"plain", "grouped, consistency, M 40, alpha 0.4"},
		"explore": {"The captions nearest to image", "The images nearest to the caption", "Sentences written from the caption"},

		"explore written": {"Sentences written from the caption", "TAGS-DC, seed 1", "the caption's. masked", "corrected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			out, complaint, status := runCell(t, name, dir)
			if status != 0 {
				t.Fatalf("status %d: %s", status, complaint)
			}
			for _, want := range says {
				if !strings.Contains(out, want) {
					t.Errorf("output %q, want %q in it", out, want)
				}
			}
			for file, part := range map[string]map[string]string{
				"compare": {"c.svg": "Your comparison", "c.md": "InfoNCE"},
				"view": {"c.svg": "Mine", "c.tex": "caption{Mine}\n  \\label{tab:Mine}",
					"c.seeds.csv": "TR@10"},
			}[name] {
				if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), part) {
					t.Errorf("%s: no %q in it, %v", file, part, err)
				}
			}
		})
	}
}

// workOnStore is what a cell can do with the store.
func workOnStore() {
	Run("InfoNCE", smallest(""))
	list := Runs(RunFilter{})
	id := list.Runs[0].ID
	ShowRun(id[:8])
	CompareRuns([]string{id[:8]})
	ExportRuns("runs.tar.gz", run.Archive{IDs: []string{id[:8]}})
	ImportRuns("runs.tar.gz")
	VerifyStore()
	ShowStore()
	PruneRuns(Pruning{})
	PruneRuns(Pruning{Kinds: []string{run.PruneCheckpoints}, Do: true})
	RemoveRuns(Removal{IDs: []string{id}})
}

// A sweep in a cell starts the cell's program again for each task, so that what is defined there is swept over, too; it shows what
// Reproduce does.
func TestSweepInACell(t *testing.T) {
	dir := t.TempDir()
	out, complaint, status := runCell(t, "sweep", dir)
	if status != 0 || strings.Count(out, "Mine") < 2 || strings.Contains(complaint, "step") {
		t.Fatalf("status %d, output %s, standard error %s", status, out, complaint)
	}
	var files []string
	for _, name := range []string{"sweep.csv", "reproduce.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(text))
	}
	if files[0] != files[1] || !strings.Contains(files[0], "Mine") {
		t.Errorf("the sweep gives\n%s\nand Reproduce\n%s", files[0], files[1])
	}
	logs, err := filepath.Glob(filepath.Join(dir, "home", "sweeps", "*", "logs", "*.log"))
	if err != nil || len(logs) != 4 { // Con-D, fine-tuned, MAFA, Mine
		t.Errorf("workers wrote %v (%v), want four logs", logs, err)
	}
	events, err := filepath.Glob(filepath.Join(dir, "events", "Mine, seed 1 (*)", "events.out.tfevents.*"))
	if err != nil || len(events) != 1 {
		t.Errorf("got event files %v (%v) of Mine, want one", events, err)
	}
	if _, said, status := runCell(t, "sweep script", dir); status != 0 || !strings.Contains(said, "#SBATCH --partition=gpu") ||
		!strings.Contains(said, "export VLPX_SWEEP_PLAN=") {
		t.Errorf("status %d, said %s", status, said)
	}
}

// What a cell does with the store it shows, or says in a line.
func TestCellOnTheStore(t *testing.T) {
	out, complaint, status := runCell(t, "store", t.TempDir())
	for _, want := range []string{"Runs of the store", "Configuration", "Finished runs: ", "What can be pruned", "The store "} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, output %q, want %q in it", status, out, want)
		}
	}
	for _, want := range []string{"wrote 1 run to runs.tar.gz", "took 0 runs; 1 run stayed", "everything can be read",
		"removed the weights of", "\nremoved "} {
		if !strings.Contains(complaint, want) {
			t.Errorf("said %q, want %q in it", complaint, want)
		}
	}
}
