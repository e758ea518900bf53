package lab

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

func storeAt(t *testing.T, home string) *Store {
	t.Helper()
	s := must.Get(OpenStore(home))(t)
	return s
}

// ids are the identities of the store's runs by their methods, data and seeds.
func ids(t *testing.T, home, method string) (found []string) {
	t.Helper()
	for _, r := range storedRuns(t, home) {
		if r.Method == method {
			found = append(found, r.ID)
		}
	}
	slices.Reverse(found) // the earliest first
	return found
}

// A run that only others need is labelled so until somebody asks for it by itself.
func TestLabelsOfAGrid(t *testing.T) {
	o := smallest(t.TempDir())
	label := func(method string) run.Label {
		t.Helper()
		found := ids(t, o.Home, method)
		if len(found) != 1 {
			t.Fatalf("got the runs %v of %s, want one", found, method)
		}
		l := must.Get(storeAt(t, o.Home).Label(found[0]))(t)
		return l
	}
	for i, method := range []string{"SRCL", "ALBEF"} {
		grid := must.Get(OpenComparison([]string{method}, o))(t)
		must.Do(t, grid.Make(t.Context(), nil))
		if l := label("SRCL"); l.Needed || l.Scale != "tiny" || !slices.Equal(l.Set, o.Set) || l.Begun.IsZero() {
			t.Errorf("SRCL is labelled %+v", l)
		}
		for _, r := range grid.Plan.Runs() {
			if name := r.Train.Method.Name; i == 0 && name != "SRCL" && !label(name).Needed || i == 1 && label(name).Needed {
				t.Errorf("after %s: %s is labelled %+v", method, name, label(name))
			}
		}
	}
}

// A run that goes on from one of other code is listed as of other code itself.
func TestOtherCodeIsListed(t *testing.T) {
	o := smallest(t.TempDir())
	o.Set = append(slices.Clone(o.Set), "warmstart=1")
	grid := must.Get(OpenComparison([]string{"InfoNCE"}, o))(t)
	made(t, grid)
	x, store := grid.Plan.Rows[0][0], storeAt(t, o.Home)
	if page := must.Get(store.Run(x.ID()))(t); x.Init == nil || page.OtherCode {
		t.Fatalf("it goes on from %v, and is of other code: %t", x.Init, page.OtherCode)
	}
	rewrite(t, filepath.Join(grid.Store.Dir(*x.Init), "result.json"))
	if page := must.Get(store.Run(x.ID()))(t); !page.OtherCode || !strings.Contains(page.progress(), "other code") {
		t.Errorf("the run's page says %q", page.progress())
	}
	list := must.Get(store.Runs(RunFilter{}))(t)
	for _, r := range list.Runs {
		if !r.OtherCode {
			t.Errorf("run %s is not listed as of other code", r.ID)
		}
	}
	if len(list.Runs) != 2 {
		t.Errorf("%d runs are listed, want two", len(list.Runs))
	}
}

// Runs of the store are compared as a grid compares them: those that differ in the seed alone are a row. What else differs is told.
func TestCompareRunsOfTheStore(t *testing.T) {
	o := smallest(t.TempDir())
	o.Seeds = []uint64{1, 2}
	grid := must.Get(OpenComparison([]string{"InfoNCE", "InfoNCE, temperature=.2"}, o))(t)
	want := made(t, grid)
	plain, warm := ids(t, o.Home, "InfoNCE"), ids(t, o.Home, "InfoNCE, temperature=.2")
	store := storeAt(t, o.Home)
	got, err := store.Compare([]string{plain[0], warm[1], plain[1][:9], warm[0], plain[0]})
	if err != nil || len(got.Rows) != 2 || !slices.Equal(got.Seeds, o.Seeds) {
		t.Fatalf("got %+v (%v), want two rows of two seeds", got, err)
	}
	for i, row := range got.Rows {
		if row.Name != want.Rows[i].Name || *row.Metrics["TR@1"].Mean != *want.Rows[i].Metrics["TR@1"].Mean ||
			*row.Metrics["TR@1"].Std != *want.Rows[i].Metrics["TR@1"].Std {
			t.Errorf("row %d is %+v, want %+v", i, row, want.Rows[i])
		}
	}
	if len(got.Claims) != len(want.Claims) || got.Claims[0].Difference == nil || *got.Claims[0].Difference != *want.Claims[0].Difference {
		t.Errorf("got the claims %+v, want %+v", got.Claims, want.Claims)
	}
	if text := texts(t, got.table); strings.Contains(text, "Not all is alike") {
		t.Errorf("runs of one grid differ:\n%s", text)
	}

	other := o
	other.Set = append(slices.Clone(o.Set), "scenes.test=5", "epochs=1")
	second := must.Get(OpenComparison([]string{"InfoNCE"}, other))(t)
	made(t, second)
	all := ids(t, o.Home, "InfoNCE")
	if got, err = store.Compare(all); err != nil || len(got.Rows) != 2 || got.Rows[0].Name == got.Rows[1].Name {
		t.Fatalf("got %+v (%v), want a row for each of the two settings", got, err)
	}
	if text := strings.Join(strings.Fields(texts(t, got.table)), " "); !strings.Contains(text, "is on other data") ||
		!strings.Contains(text, "scenes.test=5") {
		t.Errorf("the table does not say what differs:\n%s", text)
	}
	first, second2 := got.RunsFileName(View{}), ""
	if got, err = store.Compare(plain); err == nil {
		second2 = got.RunsFileName(View{})
	}
	if first == second2 || second2 != "runs-"+plain[0][:8]+"-"+plain[1][:8] {
		t.Errorf("files are named %q and %q (%v)", first, second2, err)
	}

	result := filepath.Join(store.Store.Dir(grid.Plan.Rows[0][0]), "result.json")
	rewrite(t, result)
	if got, err = store.Compare(plain); err != nil || !strings.Contains(texts(t, got.table), "1 of 2 runs of other code") {
		t.Errorf("runs of other code are not marked: %v\n%s", err, texts(t, got.table))
	}
	must.Do(t, os.Remove(result))
	must.Fail(t, must.Err(store.Compare(plain)), "is stopped; only finished runs", "a run that is not finished")
	if _, err := store.Compare(nil); err == nil {
		t.Error("nothing is compared")
	}
}

// Runs of several worlds are a row where each seed has its own, and rows of their own where seeds share them.
func TestCompareRunsOfWorlds(t *testing.T) {
	o := smallest(t.TempDir())
	o.Seeds = []uint64{1, 2}
	for _, set := range []string{"blockscenes=true", "scenes.seed=1"} {
		world := o
		world.Set = append(slices.Clone(o.Set), set)
		made(t, must.Get(OpenComparison([]string{"InfoNCE"}, world))(t))
		got := must.Get(storeAt(t, o.Home).Compare(ids(t, o.Home, "InfoNCE")))(t)
		switch text := texts(t, got.table); {
		case set == "blockscenes=true" && (len(got.Rows) != 1 || !strings.Contains(text, "each seed's own scenes")):
			t.Errorf("%d rows of two worlds, want one:\n%s", len(got.Rows), text)
		case set != "blockscenes=true" && len(got.Rows) != 2:
			t.Errorf("%d rows of two worlds and one that seeds share, want two:\n%s", len(got.Rows), text)
		}
	}
}

// Rows of one name are told apart by the scale or the data, if that does, else by their runs.
func TestRowsOfOneName(t *testing.T) {
	row := func(scale, data, id string) paper.FinishedRuns {
		return paper.FinishedRuns{Name: "ALBEF", Scale: scale, Data: run.Data{Name: data}, Results: []run.Result{{ID: id}}}
	}
	for _, c := range []struct {
		rows []paper.FinishedRuns
		want []string
	}{
		{[]paper.FinishedRuns{row("tiny", "scenes", "a"), row("mini", "scenes", "b")}, []string{"ALBEF, tiny", "ALBEF, mini"}},
		{[]paper.FinishedRuns{row("", "scenes", "a"), row("", "coco", "b")}, []string{"ALBEF, scenes", "ALBEF, coco"}},
		{[]paper.FinishedRuns{row("", "scenes", "a"), row("mini", "scenes", "b")}, []string{"ALBEF, a", "ALBEF, b"}},
		{[]paper.FinishedRuns{row("", "scenes", "a")}, []string{"ALBEF"}},
	} {
		apart(c.rows)
		for i, row := range c.rows {
			if row.Name != c.want[i] {
				t.Errorf("got %q, want %q", row.Name, c.want[i])
			}
		}
	}
}

// Identities are as short as tells them apart, and no shorter than eight digits.
func TestShortestIdentities(t *testing.T) {
	of := func(ids ...string) (all []run.Entry) {
		for _, id := range ids {
			var e run.Entry
			e.ID = id
			all = append(all, e)
		}
		return all
	}
	for n, all := range map[int][]run.Entry{
		8:  of("0123456789abcdef", "0223456789abcdef"),
		10: of("0123456789abcdef", "0123456780abcdef", "0123456770abcdef", "ffffffffffffffff"),
		16: of("0123456789abcdee", "0123456789abcdef"),
	} {
		if got := shortest(all); got != n {
			t.Errorf("got %d digits, want %d", got, n)
		}
	}
	if got := shortest(nil); got != 8 {
		t.Errorf("got %d digits of no runs", got)
	}
}

// What a grid needs and finds damaged ends that run, not the others.
func TestDamagedRunThatOthersNeed(t *testing.T) {
	o := smallest(t.TempDir())
	grid := must.Get(OpenComparison([]string{"SRCL", "ALBEF"}, o))(t)
	needed := grid.Plan.Rows[0][0].Reference
	if needed == nil {
		t.Fatal("SRCL needs no reference model")
	}
	path := filepath.Join(grid.Store.Dir(*needed), "result.json")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("{"), 0o644)))
	lines, err := grid.Outlook()
	if err != nil || !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, path) }) {
		t.Errorf("got the outlook %q (%v), want it to name %s", lines, err, path)
	}
	leavesOut(t, grid, path)
	// Without a result its weights are read, as of a run that was stopped.
	weights := filepath.Join(filepath.Dir(path), train.CheckpointName)
	must.Do(t, errors.Join(os.Remove(path), os.WriteFile(weights, []byte("{"), 0o644)))
	leavesOut(t, grid, weights)
}

// leavesOut makes a grid of SRCL and ALBEF of which SRCL needs a damaged file.
func leavesOut(t *testing.T, grid *Grid, path string) {
	t.Helper()
	must.Do(t, os.RemoveAll(grid.Store.Dir(grid.Plan.Rows[1][0])))
	var said []string
	must.Do(t, grid.Make(t.Context(), func(p Progress) {
		if p.Message != "" {
			said = append(said, p.Message)
		}
	}))
	if !slices.ContainsFunc(said, func(line string) bool {
		return strings.HasPrefix(line, "SRCL, seed 1, is left out: ") && strings.Contains(line, path)
	}) {
		t.Errorf("said %q, want that SRCL is left out", said)
	}
	report, err := grid.Report()
	if err != nil || len(report.Rows[0].Results) != 0 || len(report.Rows[1].Results) != 1 {
		t.Errorf("got %+v (%v), want ALBEF alone", report.Rows, err)
	}
}

// How long runs take is told by how many pairs they learn from, however many these are, and how often: of fine-tuning by its own epochs.
func TestEstimate(t *testing.T) {
	about := func(method string, set ...string) time.Duration {
		o := smallest(t.TempDir())
		o.Set = append(o.Set, set...)
		grid := must.Get(OpenComparison([]string{method}, o))(t)
		return must.Get(grid.estimate(grid.Plan.Runs(), "onnx:cpu"))(t)
	}
	last := time.Duration(0)
	for _, set := range []string{"scenes.train=16", "scenes.train=160", "epochs=16777216"} {
		got := about("InfoNCE", set)
		if got < 9*last || got <= 0 {
			t.Errorf("%s: got %v after %v", set, got, last)
		}
		last = got
	}
	if little, much := about("Con-D"), about("Con-D", "tuning.epochs=100"); much < 10*little {
		t.Errorf("a fine-tuning of one epoch takes %v, one of 100 %v", little, much)
	}
	grid := must.Get(OpenComparison([]string{"InfoNCE"}, Options{Scale: "tiny", Home: t.TempDir()}))(t)
	grid.Plan.Scale.Scenes.Train = 1e7
	many := slices.Repeat(grid.Plan.Runs(), 1000)
	for k := range many {
		many[k].Train.Epochs = 1 << 24
	}
	if got := must.Get(grid.estimate(many, "go"))(t); got < 1000*time.Hour {
		t.Errorf("of more than there is time: got %v", got)
	}
}
