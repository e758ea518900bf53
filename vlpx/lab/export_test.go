package lab

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// A run at tiny that is exported and read again, after its store is gone, gives all of its numbers.
func TestExportedAtTiny(t *testing.T) {
	o := smallest(t.TempDir())
	o.Methods, o.Without = []string{"ALBEF", "FALCON"}, []string{"NLVR2", "VQA"}
	grid := must.Get(Open("falcon/table1", o))(t)
	must.Do(t, grid.Make(t.Context(), nil))
	list := storedRuns(t, o.Home)
	if len(list) != 2 || list[0].Problem+list[1].Problem != "" {
		t.Fatalf("got the runs %+v, want two without problems", list)
	}
	want := map[string]map[string]map[string]float64{} // by folder and split
	folder := func(r run.Run) string { return filepath.Join(t.TempDir(), r.Train.Method.Name) }
	for _, r := range grid.Plan.Runs() {
		dir := folder(r)
		if kept, err := Export(r.ID()[:5], dir, o.Home, false); err != nil || kept.ID != r.ID() || kept.Result.Method != r.Train.Method.Name {
			t.Fatalf("exported %s, %s (%v), want %s", kept.ID, kept.Result.Method, err, r.ID())
		}
		want[dir] = map[string]map[string]float64{}
		for _, split := range []string{"val", "test"} {
			want[dir][split] = must.Get(grid.Evaluate(t.Context(), r, split, eval.Retrieval{Rerank: grid.Plan.Scale.Rerank}))(t)
		}
	}
	must.Do(t, os.RemoveAll(o.Home))
	for dir, splits := range want {
		for split, metrics := range splits {
			exported, got, err := EvaluateExport(t.Context(), dir, split, Options{Data: "scenes", Home: t.TempDir()})
			if err != nil || len(metrics) == 0 || !reflect.DeepEqual(got, metrics) || exported.VLPX.Method != filepath.Base(dir) {
				t.Errorf("%s on %s: got %v (%v), want %v", dir, split, got, err, metrics)
			}
		}
	}
}

// storedRuns are the runs of a store.
func storedRuns(t *testing.T, home string) []RunInfo {
	t.Helper()
	s := must.Get(OpenStore(home))(t)
	list := must.Get(s.Runs(RunFilter{}))(t)
	return list.Runs
}

func TestExportMistakes(t *testing.T) {
	o := smallest(t.TempDir())
	dir := filepath.Join(t.TempDir(), "exported")
	wrong := func(id, want string) {
		t.Helper()
		must.Fail(t, must.Err(Export(id, dir, o.Home, false)), want, "%s", id)
	}
	wrong("abc", "the store has none; make one")
	grid := must.Get(Open("falcon/table1", o))(t)
	var runs []run.Run
	for seed := range uint64(3) {
		r := grid.Plan.Runs()[0]
		r.Train.Seed = seed
		folder := grid.Store.Dir(r)
		must.Do(t, os.MkdirAll(folder, 0o755))
		must.Do(t, os.WriteFile(filepath.Join(folder, "run.json"), r.JSON(), 0o644))
		runs = append(runs, r)
	}
	id := runs[0].ID()
	wrong("no hexadecimal digits", "vlpx runs says which there are")
	wrong("", "write more of it")
	wrong(id, "run "+id+" is not finished (stopped); make it first")
	must.Do(t, os.WriteFile(filepath.Join(grid.Store.Dir(runs[0]), "run.json"), []byte("{"), 0o644))
	wrong(id, "delete the folder to make the run again")
	if i := slices.IndexFunc(storedRuns(t, o.Home), func(r RunInfo) bool { return r.ID == id }); i < 0 ||
		!strings.Contains(storedRuns(t, o.Home)[i].Problem, id) {
		t.Errorf("got %+v; want %s with a problem that names it", storedRuns(t, o.Home), id)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was written")
	}
}

// An export is measured on the data it was trained on, and no other.
func TestLocate(t *testing.T) {
	scenes := smallest("")
	grid := must.Get(Open("falcon/table1", scenes))(t)
	generated := grid.Plan.Data
	other := generated
	other.Hash = "abc"
	for _, c := range []struct {
		of   run.Data
		data string
		want string
	}{
		{generated, "", ""},
		{generated, "scenes", ""},
		{generated, t.TempDir(), "leave out -data"},
		{other, "", "of scenes with the hash abc, and these data have " + generated.Hash},
		{run.Data{Name: "flickr8k"}, "scenes", "of flickr8k; say with -data in which folder that lies"},
		{run.Data{Name: "flickr8k"}, t.TempDir(), "dataset_"},
		{run.Data{Name: "flickr8k"}, "no/such", "no such folder"},
	} {
		err := locate(&c.of, Options{Data: c.data})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s in %q: got error %v, want %q", c.of.Name, c.data, err, c.want)
		}
	}
}

// A frozen encoder is found by its hash among the known checkpoints, or where one says it lies, and is no other.
func TestLocateEncoder(t *testing.T) {
	models := filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models")
	file := filepath.Join(models, "vit_deit_forward", "weights.safetensors")
	want := must.Get(weights.Find(file))(t)
	empty, full := weights.Places{Cache: t.TempDir()}, weights.Places{Cache: t.TempDir()}
	content := must.Get(os.ReadFile(file))(t)
	known := filepath.Join(full.Cache, "vit-tiny", "model.safetensors")
	must.Do(t, os.MkdirAll(filepath.Dir(known), 0o755))
	must.Do(t, os.WriteFile(known, content, 0o644))
	for _, c := range []struct {
		asked  []string
		places weights.Places
		path   string
		want   string
	}{
		{nil, full, known, ""},
		{[]string{"vision=" + file}, empty, file, ""},
		{[]string{"vision=vit-tiny"}, full, known, ""},
		{nil, empty, "", want.Hash + ", which is none of the known ones"},
		{[]string{"text=bert-base"}, full, "", "say with -weights vision=FILE"},
		{[]string{"vision=" + filepath.Join(models, "bert_hf_forward", "weights.safetensors")}, full, "", "with the hash " + want.Hash +
			", and "},
		{[]string{"vision=vit-tiny"}, empty, "", `vit-tiny has ""`},
	} {
		got := weights.Source{Hash: want.Hash}
		err := locateEncoder(&got, c.asked, c.places)
		if c.want == "" && (err != nil || got.Path != c.path) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %+v, error %v; want %q, %q", c.asked, got, err, c.path, c.want)
		}
	}
	r := run.Run{Weights: run.Weights{Vision: &weights.Source{Hash: want.Hash}, Text: &weights.Source{Hash: "abc"}}}
	nameCheckpoints(&r, full)
	if r.Weights.Vision.Name != "vit-tiny" || *r.Weights.Text != (weights.Source{Hash: "abc"}) {
		t.Errorf("got %+v and %+v, want vit-tiny and one without a name", r.Weights.Vision, r.Weights.Text)
	}
}

// A model that reads regions in files is measured where the same files lie.
func TestRegionsOfAnExport(t *testing.T) {
	folder := func(content string) string {
		t.Helper()
		dir := t.TempDir()
		must.Do(t, os.WriteFile(filepath.Join(dir, "cat.npz"), []byte(content), 0o644))
		return dir
	}
	dir := folder("regions")
	files := must.Get(regions.Folder(dir))(t)
	for _, c := range []struct{ dir, want string }{
		{dir, ""}, {"", "say with -regions in which folder"}, {folder("others"), "name the folder that it was trained with"},
		{t.TempDir(), "no .npz files"},
	} {
		of := regions.Files{Hash: files.Hash}
		err := locateRegions(&of, c.dir)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && of.Dir != dir {
			t.Errorf("%q: got %v and the folder %q, want %q", c.dir, err, of.Dir, c.want)
		}
	}
}
