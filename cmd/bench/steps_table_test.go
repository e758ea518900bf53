package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
)

// one is a result with a whole step of ours, and of PyTorch in two ways.
func one(method, set string, peers bool) Result {
	ours := Line{Framework: "ALBEF", Method: method, Scale: "small", Set: set, Batch: 96, Kind: Step, What: "whole step", Median: 0.02,
		Pairs: 4800,
		Share: 0.5, MFU: 0.45, Precision: "bfloat16", Memory: 12e9}
	r := Result{Engine: "xla:cuda", Machine: engine.Machine{GPUs: []engine.GPU{{Name: "a GPU"}}}, Nominal: 1e15, Lines: []Line{ours}}
	if peers {
		eager, fast := ours, ours
		eager.By, eager.Median = "PyTorch eager", 0.05
		fast.By, fast.Median, fast.Memory = "PyTorch compile", 0.018, 9e9
		r.Lines = append(r.Lines, eager, fast)
		compare(r.Lines)
	}
	return r
}

func TestTogether(t *testing.T) {
	var text strings.Builder
	results := []Result{one("InfoNCE", "dropout=0", true), one("SRCL", "dropout=0, recompute=true", false)}
	results[1].Left = []string{"SRCL is left out"}
	must.Do(t, Together(results).Markdown(&text))
	for _, want := range []string{
		"| ALBEF, InfoNCE, batch 96 at small | bfloat16 | 20 | 4800 | 50.0 | 45.0 | 12 | 18 | 9 | 0.90 | compile |",
		"| ALBEF, SRCL, batch 96 at small, recompute=true | bfloat16 | 20 | 4800 | 50.0 | 45.0 | 12 | – | – | – | – |",
		"Measured on xla:cuda, a GPU. Left out: SRCL is left out.",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s\nwant %q", text.String(), want)
		}
	}
	several := results[0].Lines[0]
	several.What, several.Runs, several.Pairs = "whole step, 3 runs at once", 3, 9000
	results[1].Lines = append(results[1].Lines, several)
	if rows := Together(results).Rows; len(rows) != 3 || !strings.HasPrefix(rows[2].Name, "ALBEF, InfoNCE, batch 96 at small, 3 "+
		"runs at once") {
		t.Errorf("got %d rows, want a third one of runs at once", len(rows))
	}
	results[1].Lines = results[1].Lines[:1]
	alone := Together(results[1:])
	for _, c := range alone.Columns {
		if strings.Contains(c.Name, "PyTorch") {
			t.Errorf("got the column %s, of which nobody tells", c.Name)
		}
	}
	if alone.Rows[0].Name != "ALBEF, SRCL, batch 96 at small" || len(alone.Rows[0].Cells) != len(alone.Columns) {
		t.Errorf("got %q with %d cells in %d columns", alone.Rows[0].Name, len(alone.Rows[0].Cells), len(alone.Columns))
	}
	results[1].Engine = "onnx:cpu"
	if name := Together(results).Rows[1].Name; !strings.HasPrefix(name, "onnx:cpu, ") {
		t.Errorf("got %q, want the engine where there are two", name)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	text := must.Get(json.Marshal(one("InfoNCE", "", true)))(t)
	for name, c := range map[string]struct{ content, want string }{
		"what was written": {string(text), ""}, "another file": {"Gallia est", "no result of vlpx bench -json"},
		"an empty object": {"{}", "nothing that was measured"},
		"half of it":      {string(text[:len(text)/2]), "no result"},
	} {
		must.Do(t, os.WriteFile(path, []byte(c.content), 0o644))
		r, err := Read(path)
		if c.want == "" && (err != nil || len(r.Lines) != 3 || !(r.Lines[0].Ratio > 0.89)) || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %d lines, %v; want %q", name, len(r.Lines), err, c.want)
		}
	}
	must.Fail(t, must.Err(Read(filepath.Join(dir, "none.json"))), "none.json")
}

// Whatever a file has, it is told or laid out.
func FuzzRead(f *testing.F) {
	text := must.Get(json.Marshal(one("InfoNCE", "a=1, b=2", true)))(f)
	f.Add(text)
	f.Add([]byte(`{"Engine":"xla:cuda","Lines":[{"Kind":"step","What":"whole step"}]}`))
	path := filepath.Join(f.TempDir(), "a.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		must.Do(t, os.WriteFile(path, text, 0o644))
		r, err := Read(path)
		if err != nil {
			return
		}
		if table := Together([]Result{r, r}); len(table.Rows) != 2*len(r.wholes()) {
			t.Errorf("got %d rows of %d steps", len(table.Rows), len(r.wholes()))
		}
	})
}
