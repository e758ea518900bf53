package paper_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// A report says what was set, in title, note, CSV, JSON and the figure.
func TestReportSaysWhatWasSet(t *testing.T) {
	store := run.OpenStore(t.TempDir())
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Set: []string{"Epochs=2", "scenes.test=8"}})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}})
	r := papertest.Report(t, p, store)
	table := must.Get(r.Table())(t)
	const want = "epochs=2, scenes.test=8"
	if !strings.Contains(table.Title, want) || !strings.Contains(table.Note, "Changed from the scale tiny: "+want) {
		t.Errorf("got title %q and note %q, want %q in both", table.Title, table.Note, want)
	}
	note := papertest.Figure(t, r).Note
	for _, part := range []string{"tiny with " + want, "scenes (" + p.Data.Hash[:12] + ")", "Run on go, commit c0ffee."} {
		if !strings.Contains(note, part) {
			t.Errorf("got the figure's note %q, want %q in it", note, part)
		}
	}
	text, err := json.Marshal(r)
	if err != nil || !bytes.Contains(text, []byte(`"set":["epochs=2","scenes.test=8"]`)) {
		t.Errorf("the JSON (%v) does not say what was set", err)
	}
	var file bytes.Buffer
	must.Do(t, table.CSV(&file))
	lines := must.Get(csv.NewReader(&file).ReadAll())(t)
	head := lines[0]
	if want := []string{"scale", "set", "data", "data hash", "engine", "commit", "unreadable images"}; !slices.Equal(head[len(head)-7:],
		want) {
		t.Fatalf("got columns %v, want %v last", head, want)
	}
	told := map[string]string{}
	for _, line := range lines[1:] {
		told[line[0]+" "+line[5]] = strings.Join(line[len(line)-7:], "|")
	}
	for line, wanted := range map[string]string{
		"ALBEF this store": "tiny|" + want + "|scenes|" + p.Data.Hash + "|go|c0ffee|0", "ALBEF paper": "||||||",
		"FALCON this store": "tiny|" + want + "|scenes|" + p.Data.Hash + "|||",
	} {
		if told[line] != wanted {
			t.Errorf("%s: got %q, want %q", line, told[line], wanted)
		}
	}

	plain, err := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{}), store).Table()
	if err != nil || strings.Contains(plain.Title+plain.Note, "hanged from") || strings.Contains(plain.Title, "(") {
		t.Errorf("nothing was set: got title %q, note %q (%v)", plain.Title, plain.Note, err)
	}
}

// Every report tells how many images could not be read: in table and figure note, of each row in the CSV, of each seed in the JSON.
func TestReportTellsUnreadableImages(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{1, 2}})
	for k, unread := range []map[string][]string{{"test": {"a.jpg"}}, {"test": {"a.jpg", "b.jpg"}}} {
		x := p.Rows[0][k]
		papertest.Put(t, store, x, run.Result{ID: x.ID(), Seed: x.Train.Seed, Metrics: map[string]float64{"TR@1": 1},
			Finished: papertest.Noon, Engine: "go",
			Commit: "a", Unreadable: unread, Skipped: []string{"c.jpg"}})
	}
	r := papertest.Report(t, p, store)
	if note := papertest.Figure(t, r).Note; !strings.HasSuffix(note, "3 images could not be read.") {
		t.Errorf("got the figure's note %q", note)
	}
	table := papertest.Table(t, r)
	if !strings.Contains(table.Note, "could not be read and count as the mean colour: 2 (a.jpg, b.jpg)") {
		t.Errorf("got the note %q", table.Note)
	}
	if got := table.Rows[0].Facts[1][6]; got != "3" {
		t.Errorf("got %q unreadable images of ALBEF in the CSV, want 3", got)
	}
	if got := r.Rows[0].Seeds; got[0].Unreadable != 2 || got[1].Unreadable != 3 {
		t.Errorf("got %+v, want two and three images of the seeds", got)
	}
}

// Rows whose runs are of several commits, engines and data say so, each its own.
func TestRowsTellTheirOwnCommit(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{})
	for row, commits := range map[int][3]string{0: {"a", "a", "a"}, 1: {"b", "a", "b"}} {
		for k, x := range p.Rows[row] {
			papertest.Put(t, store, x, run.Result{ID: x.ID(), Seed: x.Train.Seed, Metrics: map[string]float64{"TR@1": 1},
				Finished: papertest.Noon, Engine: "go", Commit: commits[k]})
		}
	}
	r := papertest.Report(t, p, store)
	if !slices.Equal(r.Rows[0].Commits, []string{"a"}) || !slices.Equal(r.Rows[1].Commits, []string{"b", "a"}) ||
		len(r.Rows[2].Commits) != 0 {
		t.Errorf("got commits %v, %v and %v", r.Rows[0].Commits, r.Rows[1].Commits, r.Rows[2].Commits)
	}
	if want := "Run on go, commit a (ALBEF); commit b, a (GRIT-VLP)."; !strings.Contains(r.Note(), want) {
		t.Errorf("got the note %q, want %q", r.Note(), want)
	}
	if !strings.Contains(r.Note(), p.Data.Hash[:12]) || r.Rows[0].Data.Hash != p.Data.Hash {
		t.Errorf("got the note %q, want the data's hash %s", r.Note(), p.Data.Hash)
	}
	reference := must.Get(paper.NewReference(r))(t)
	r.SetReference(&reference)
	if want := "go, commit a (ALBEF); commit b, a (GRIT-VLP)."; !strings.HasSuffix(r.Note(), want) {
		t.Errorf("got the note %q, want %q last", r.Note(), want)
	}
	table := must.Get(r.Table())(t)
	if got := table.Rows[1].Facts[2]; len(got) != 6 || got[5] != "b, a" || got[3] != p.Data.Hash {
		t.Errorf("got the facts %v of the reference, want its data and its commits", got)
	}
}

func TestFileName(t *testing.T) {
	name := func(q plan.Request) string {
		t.Helper()
		a := papertest.Artifact(t, catalogue.List(), "falcon/table1")
		p := must.Get(paper.NewPlan(a, q))(t)
		return p.FileName("table1")
	}
	for want, q := range map[string]plan.Request{
		"table1":                                {},
		"table1-tiny":                           {Scale: "tiny"},
		"table1-tiny-epochs-3-d69244ba":         {Scale: "tiny", Set: []string{"Epochs=3"}},
		"table1-seeds-1-4-629d7603":             {Seeds: []uint64{1, 2, 3, 4}},
		"table1-methods-ALBEF-FALCON-946c9191":  {Methods: []string{"ALBEF", "FALCON"}},
		"table1-scenes-density-dbl-15537bd7":    {Set: []string{"scenes.density=dbl"}},
		"table1-tiny-epochs-3-seeds-7-98eeb509": {Scale: "tiny", Set: []string{"epochs=3"}, Seeds: []uint64{7}},
	} {
		if got := name(q); got != want {
			t.Errorf("%+v: got %q, want %q", q, got, want)
		}
	}
	var compared []string
	for _, rows := range [][]string{{"GRIT-VLP", "FALCON"}, {"GRIT-VLP", "Hard quantile"}, {"GRIT-VLP", "GRIT-VLP, searchspace=16"},
		{"GRIT-VLP", "GRIT-VLP, searchspace=80"}} {
		var artifact []plan.Row
		for _, row := range rows {
			r := must.Get(plan.Variant(row, nil))(t)
			artifact = append(artifact, r)
		}
		a := must.Get(paper.Compared(artifact))(t)
		p := must.Get(paper.NewPlan(a, plan.Request{Scale: "tiny"}))(t)
		compared = append(compared, p.FileName("compare"))
	}
	if want := []string{"compare-tiny-GRIT-VLP-FALCON-083a4f46", "compare-tiny-GRIT-VLP-Hard-quantile-2c9090f7",
		"compare-tiny-GRIT-VLP-GRIT-VLP-searchsp-eba66b4b",
		"compare-tiny-GRIT-VLP-GRIT-VLP-searchsp-9952df04"}; !slices.Equal(compared, want) {
		t.Errorf("got %q, want %q", compared, want)
	}
	// Of files of one name it is what they have in them that counts.
	vocabulary := func(words string) string {
		file := filepath.Join(t.TempDir(), "vocab.txt")
		must.Do(t, os.WriteFile(file, []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"+words), 0o644))
		return name(plan.Request{Scale: "tiny", Vocabulary: file})
	}
	if a, b := vocabulary("a\n"), vocabulary("b\n"); a == b || a != vocabulary("a\n") ||
		!strings.HasPrefix(a, "table1-tiny-vocabulary-vocab-txt-") {
		t.Errorf("got %q and %q of two vocabularies in files of one name", a, b)
	}
	// Names that would look the same, or are too long, have a hash.
	hostile := func(name string) string {
		return (&paper.Planned{Plan: plan.Plan{Scale: scale.Scale{Name: "mini"}, Seeds: []uint64{1, 2, 3}}}).FileName(name)
	}
	for _, pair := range [][2]string{{"a b", "a_b"}, {"a/b", `a\b`}, {strings.Repeat("x", 300), strings.Repeat("x", 301)}} {
		one, other := hostile(pair[0]), hostile(pair[1])
		if one == other || strings.ContainsAny(one+other, `/\ =,.+@`) || len(one) > 48 {
			t.Errorf("got %q and %q of %.20q and %.20q", one, other, pair[0], pair[1])
		}
	}
}
