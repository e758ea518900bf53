package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/lab"
)

// What a day's work on runs is: they are listed, shown, compared, carried to another store, removed and pruned.
func TestStoreInOnesHands(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, shortest("compare", "InfoNCE", "InfoNCE, temperature=.2")...)
	var all []lab.RunInfo
	list := func(args ...string) []lab.RunInfo {
		t.Helper()
		out, _ := succeed(t, dir, append([]string{"runs", "-json"}, args...)...)
		all = nil
		must.Do(t, json.Unmarshal([]byte(out), &all))
		return all
	}
	if list(); len(all) != 2 || all[0].Scale != "tiny" || len(all[0].Set) != 5 || all[0].State != "finished" ||
		all[0].Bytes < all[0].Model ||
		all[0].Model == 0 {
		t.Fatalf("got %+v, want two finished runs at tiny", all)
	}
	ids := map[string]string{}
	for _, r := range all {
		ids[r.Method] = r.ID
	}
	plain, warm := ids["InfoNCE"], ids["InfoNCE, temperature=.2"]
	if len(list("-method", "temperature")) != 1 || all[0].ID != warm || len(list("-unfinished")) != 0 || len(list("-since", "1h")) != 2 ||
		len(list("-since", "1ns")) != 0 {
		t.Errorf("a filter gives %+v", all)
	}
	out, _ := succeed(t, dir, "runs", "show", plain[:8], "-o", "curves.png")
	for _, want := range []string{"Run " + plain + ": InfoNCE, seed 1", "TR@1", "without re-ranking", "Train.Seed",
		"tiny, scenes.train=16"} {
		if !strings.Contains(out, want) {
			t.Errorf("runs show printed no %q:\n%s", want, out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "curves.png")); err != nil || !strings.HasPrefix(string(text), "\x89PNG") {
		t.Errorf("no curves are drawn: %v", err)
	}
	out, _ = succeed(t, dir, "compare", "-runs", plain[:8]+","+warm[:8])
	if !strings.Contains(out, "InfoNCE, temperature=.2 above InfoNCE in") ||
		!strings.Contains(out, plain[:8]+" of InfoNCE; "+warm[:8]+" of InfoNCE, temperature=.2") {
		t.Errorf("compare printed\n%s", out)
	}
	base := filepath.Join(dir, "results", "vlpx", "runs-"+plain[:8]+"-"+warm[:8])
	for _, ending := range []string{".md", ".csv", ".json", ".png"} {
		if _, err := os.Stat(base + ending); err != nil {
			t.Error(err)
		}
	}

	succeed(t, dir, "store", "export", plain[:8], warm[:8], "-o", "runs.tar.gz")
	if out, _ := succeed(t, dir, "store", "import", "runs.tar.gz", "-home", "elsewhere"); out != "took 2 runs\n" {
		t.Errorf("import printed %q", out)
	}
	if out, _ := succeed(t, dir, "store", "import", "runs.tar.gz"); !strings.HasPrefix(out,
		"took 0 runs; 2 runs stayed as the store has it") {
		t.Errorf("import of what is there printed %q", out)
	}
	if out, _ := succeed(t, dir, "store", "verify", "-home", "elsewhere"); !strings.Contains(out, "everything can be read, of 2 runs") {
		t.Errorf("verify printed %q", out)
	}
	if out, _ := succeed(t, dir, "store"); !strings.Contains(out, "runs finished") {
		t.Errorf("store printed %q", out)
	}

	if out, _ := succeed(t, dir, "prune"); strings.Count(out, "  checkpoints  ") != 2 || !strings.Contains(out, "Nothing is removed yet") {
		t.Errorf("prune printed\n%s", out)
	}
	if out, _ := succeed(t, dir, "prune", "checkpoints", "-yes"); strings.Count(out, "removed the weights of ") != 2 {
		t.Errorf("prune printed\n%s", out)
	}
	if list(); len(all) != 2 || all[0].Model != 0 || all[0].State != "finished" {
		t.Errorf("without weights there are %+v", all)
	}
	if out, _ := succeed(t, dir, "rm", plain[:8]); !strings.HasPrefix(out, "removed "+plain[:8]+": InfoNCE, seed 1") {
		t.Errorf("rm printed %q", out)
	}
	if list(); len(all) != 1 || all[0].ID != warm {
		t.Errorf("left are %+v, want %s", all, warm)
	}
}

// A result that is cut off or edited is named and stepped around: the others of a comparison are there.
func TestDamagedResultInAComparison(t *testing.T) {
	dir := t.TempDir()
	args := shortest("compare", "InfoNCE", "InfoNCE, temperature=.2")
	succeed(t, dir, args...)
	results, err := filepath.Glob(filepath.Join(dir, "home", "runs", "*", "result.json"))
	if err != nil || len(results) != 2 {
		t.Fatalf("got results %v (%v), want two", results, err)
	}
	text := must.Get(os.ReadFile(results[0]))(t)
	edited := strings.Replace(string(text), `"TR@1": `, `"TR@1": 9`, 1)
	t.Run("cut off", func(t *testing.T) { damagedResult(t, dir, results, "{", args) })
	t.Run("edited", func(t *testing.T) { damagedResult(t, dir, results, edited, args) })
}

func damagedResult(t *testing.T, dir string, results []string, text string, args []string) {
	must.Do(t, os.WriteFile(results[0], []byte(text), 0o644))
	out, _ := succeed(t, dir, args...)
	told := strings.Join(strings.Fields(out), "") // without the breaks of lines
	if !strings.Contains(out, "0 of 1 seeds") || !strings.Contains(told, results[0]) ||
		!strings.Contains(told, "deletethefiletorunitagain") {
		t.Errorf("compare printed\n%s\nwant a table that names %s", out, results[0])
	}
	var ids []string
	for _, result := range results {
		ids = append(ids, filepath.Base(filepath.Dir(result)))
	}
	out, _ = succeed(t, dir, "compare", "-runs", strings.Join(ids, ","))
	if told := strings.Join(strings.Fields(out), ""); !strings.Contains(told, results[0]) ||
		!strings.Contains(out, ids[1][:8]+" of InfoNCE") {
		t.Errorf("compare -runs printed\n%s\nwant the run that can be read, and the other named", out)
	}
	if out, errs, _ := executed(t, dir, "runs", "show", ids[0]); !strings.Contains(strings.Join(strings.Fields(out+errs), ""), results[0]) {
		t.Errorf("runs show printed\n%s%s\nwant the file named", out, errs)
	}
	if out, errs, status := executed(t, dir, "store", "export", ids[0], "-out", filepath.Join(dir, "archive")); status == 0 {
		t.Errorf("it is exported: %s%s", out, errs)
	}
	out, errs, status := executed(t, dir, "store", "verify")
	if status != 1 || !strings.Contains(out, ids[0][:8]) || !strings.Contains(errs, "damaged") {
		t.Errorf("verify: status %d, %q, %q", status, out, errs)
	}
	if out, _ := succeed(t, dir, "runs"); !strings.Contains(out, "  damaged  ") {
		t.Errorf("runs printed\n%s", out)
	}
	must.Do(t, os.Remove(results[0]))
	if out, _ := succeed(t, dir, args...); strings.Contains(out, "0 of 1 seeds") {
		t.Errorf("once the file is deleted, it is not made again:\n%s", out)
	}
}

// What the data lacks is told before how many runs there are to make.
func TestMissingSplitIsToldFirst(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"dataset_few.json": `{"images": [{"filename": "a.jpg", "split": "train", "sentences": [{"raw": "one two three"}]}]}`,
		"images/a.jpg":     "",
	} {
		path := filepath.Join(dir, "few", name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	_, errs, status := executed(t, dir, "compare", "InfoNCE", "GRIT-VLP", "-data", "few", "-scale", "tiny", "-seeds", "1", "-set",
		"batchsize=2")
	if status != 1 || !strings.Contains(errs, `no split "val"`) || strings.Contains(errs, "to make") {
		t.Errorf("status %d, %q; want the split that is missing, and nothing of runs to make", status, errs)
	}
}

// FuzzParseAge reads an age, or says how to write one.
func FuzzParseAge(f *testing.F) {
	for _, text := range []string{"3d", "2w", "90m", "1h30m", "0d", "-1d", "1e300w", "NaNd", "d", "", "1.5d"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseAge(text); (err == nil) != (d > 0) {
			t.Errorf("%q: got %v (%v)", text, d, err)
		}
	})
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"3d": 72 * time.Hour, "2w": 14 * 24 * time.Hour, "90m": 90 * time.Minute,
		"0.5d": 12 * time.Hour} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("%s: got %v (%v), want %v", text, got, err, want)
		}
	}
}
