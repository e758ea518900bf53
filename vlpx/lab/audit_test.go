package lab

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/export"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/audit"
)

// Of scenes all candidates are known and rightly so; of the same scenes as files none are, until a person has judged the table that was
// written of them.
func TestAudit(t *testing.T) {
	o := smallest(t.TempDir())
	r := modelOf(t, "MAFA", o)
	found := must.Get(Audit(t.Context(), r.ID(), Auditing{Nearest: 3}, o, nil))(t)
	set := must.Get(r.Data.TrainingSet())(t)
	if !found.Has[audit.ITM] || !found.Has[audit.ConD] || found.By != audit.ITM || len(found.Candidates) < 16 ||
		found.Trues+found.Falses != found.All || !strings.HasPrefix(found.ConD, "Con-D") {
		t.Errorf("got %d candidates by %s with %v, %d + %d of %d known, Con-D %q", len(found.Candidates), found.By, found.Has, found.Trues,
			found.Falses, found.All, found.ConD)
	}
	relation, pairs := set.(datasets.Related).Relation(), datasets.Pairs(set)
	for k, c := range found.Candidates {
		for p, pair := range pairs {
			holds, known := relation.Holds(c.Image, p)
			if pair.Text(set) == c.Caption && (!known || holds != c.True || pair.Image == c.Image) {
				t.Errorf("candidate %+v: the relation says %v, %v", c, holds, known)
			}
		}
		if k > 0 && c.Scores[audit.ITM] > found.Candidates[k-1].Scores[audit.ITM] || math.IsNaN(c.Scores[audit.ConD]) {
			t.Errorf("candidate %d is %+v behind %+v", k, c, found.Candidates[max(0, k-1)])
		}
	}
	dir := filepath.Join(t.TempDir(), "mine")
	must.Do(t, os.Mkdir(dir, 0o755))
	must.Do(t, export.Write(t.Context(), dir, must.Get(r.Data.Open())(t)))
	table := filepath.Join(dir, "judgements.csv")
	o.Data = dir
	files := must.Get(Audit(t.Context(), r.ID(), Auditing{Nearest: 3, By: "cosine"}, o, nil))(t)
	if files.Trues+files.Falses != 0 || len(files.Candidates) != len(found.Candidates) || len(files.Tables(5)) != 1 {
		t.Fatalf("of files %d are known, and there are %d candidates, want %d", files.Trues+files.Falses, len(files.Candidates),
			len(found.Candidates))
	}
	for _, file := range []string{table, filepath.Join(t.TempDir(), "gallery.png"), filepath.Join(t.TempDir(), "gallery.svg")} {
		must.Do(t, files.Write(t.Context(), file, 4))
	}
	must.Fail(t, files.Write(t.Context(), table, 4), "somebody may have judged in it")
	must.Fail(t, files.Write(t.Context(), "a.txt", 4), "ends in none of csv, json, png")
	lines := bytes.Split(bytes.TrimSpace(must.Get(os.ReadFile(table))(t)), []byte("\n"))
	for k, said := range []string{"yes", "no", "", "no"} {
		lines[k+1] = bytes.Replace(lines[k+1], []byte(",,"), []byte(","+said+","), 1)
	}
	must.Do(t, os.WriteFile(table, bytes.Join(lines, []byte("\n")), 0o644))
	if before, after := files.Set.Name(), must.Get(layout.Open(dir))(t); after.Name()+"/train" != before {
		t.Errorf("the judged data are called %s, not as %s", after.Name(), before)
	}
	judged := must.Get(Audit(t.Context(), r.ID(), Auditing{Nearest: 3, By: "cosine"}, o, nil))(t)
	if judged.Trues != 1 || judged.Falses != 2 || len(judged.Judged) != 3 {
		t.Errorf("got %d true and %d false of %d judged, want 1 and 2", judged.Trues, judged.Falses, len(judged.Judged))
	}
	if got := judged.Measure(audit.Cosine, 4); got != (audit.Found{Listed: 4, Known: 3, True: 1, Precision: 100. / 3, Recall: 100}) {
		t.Errorf("got %+v of the first four", got)
	}
	for k := range 4 {
		want := [][2]bool{{true, true}, {false, true}, {false, false}, {false, true}}[k]
		if c := judged.Candidates[k]; [2]bool{c.True, c.Known} != want || c.Caption != files.Candidates[k].Caption {
			t.Errorf("candidate %d is %+v, want %v", k, c, want)
		}
	}
	// A picture that is broken is left out, and told.
	must.Do(t, os.WriteFile(filepath.Join(dir, "images", files.Set.Key(5)), nil, 0o644))
	must.Do(t, os.Remove(table))
	broken := must.Get(Audit(t.Context(), r.ID(), Auditing{}, o, nil))(t)
	if len(broken.Unreadable) != 1 || !strings.Contains(fmt.Sprint(broken.Table(1).Note), files.Set.Key(5)) {
		t.Errorf("got %v unreadable", broken.Unreadable)
	}
	for _, c := range broken.Candidates {
		if c.Image == 5 {
			t.Errorf("%+v is of a picture that cannot be read", c)
		}
	}
}

func TestAuditMistakes(t *testing.T) {
	o := smallest(t.TempDir())
	o.Framework = "CLIP"
	r := modelOf(t, "InfoNCE", o)
	of := func(model string, a Auditing, o Options) error { return must.Err(Audit(t.Context(), model, a, o, nil)) }
	must.Fail(t, of(r.ID(), Auditing{By: "sine"}, o), `no score "sine"`)
	must.Fail(t, of(r.ID(), Auditing{By: "ITM"}, o), "has no ITM")
	must.Fail(t, of(r.ID(), Auditing{Split: "dev"}, o), `no split "dev"`)
	must.Fail(t, of(r.ID(), Auditing{Nearest: -1}, o), "take one or more")
	o.Data = t.TempDir()
	must.Fail(t, of(r.ID(), Auditing{}, o), "none of the layouts")
	o.Data, o.Framework = "", "simclr"
	must.Fail(t, of(modelOf(t, "SogCLR", o).ID(), Auditing{}, o), "no text side")
}
