package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/datasets/export"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/audit"
)

// Scenes tell by themselves; as files they tell by Con-D, until a person has judged what was written of them, and are placed on the map.
func TestMap(t *testing.T) {
	o := smallest(t.TempDir())
	r := modelOf(t, "MAFA", o)
	known := must.Get(Map(t.Context(), r.ID(), Mapping{Batch: 4, Anchors: 6}, o, nil))(t)
	if e, ok := known.Estimate(audit.Hardest, audit.Told); !ok || e.Of != 6 || known.Best() != audit.Told || len(known.Table().Rows) != 4 {
		t.Errorf("got %+v, %v by %s", e, ok, known.Best())
	}
	if len(known.Nearest.Rows) != 2 || known.Figure == nil || !strings.Contains(known.Nearest.Note, "By what is known your data have ") {
		t.Errorf("the map has %d nearest places, want one a framework: %s", len(known.Nearest.Rows), known.Nearest.Note)
	}
	dir := filepath.Join(t.TempDir(), "mine")
	must.Do(t, os.Mkdir(dir, 0o755))
	must.Do(t, export.Write(t.Context(), dir, must.Get(r.Data.Open())(t)))
	o.Data = dir
	files := must.Get(Map(t.Context(), r.ID(), Mapping{Batch: 4, Anchors: 6}, o, nil))(t)
	if _, ok := files.Estimate(audit.InBatch, audit.Told); ok || files.Best() != audit.ByConD {
		t.Errorf("of files it tells by %s, want by Con-D", files.Best())
	}
	table := filepath.Join(dir, "judgements.csv")
	for _, file := range []string{table, filepath.Join(t.TempDir(), "map.png"), filepath.Join(t.TempDir(), "map.pdf"),
		filepath.Join(t.TempDir(), "map.svg")} {
		must.Do(t, files.Write(file))
	}
	must.Fail(t, files.Write(table), "somebody may have judged in it")
	text := strings.ReplaceAll(string(must.Get(os.ReadFile(table))(t)), "batch,,", "batch,yes,")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "both,,", "both,yes,"), "hardest,,", "hardest,no,")
	must.Do(t, os.WriteFile(table, []byte(text), 0o644))
	judged := must.Get(Map(t.Context(), r.ID(), Mapping{Batch: 4, Anchors: 6}, o, nil))(t)
	if e, ok := judged.Estimate(audit.InBatch, audit.Told); !ok || e.Share != 100 || judged.Best() != audit.Told {
		t.Errorf("got %+v, %v of what was judged, want all true", e, ok)
	}
	judged.Figure = nil
	must.Fail(t, judged.Write(filepath.Join(dir, "map.svg")), "no results of vlpx/map to draw")
}

func TestMapMistakes(t *testing.T) {
	o := smallest(t.TempDir())
	r := modelOf(t, "InfoNCE", o)
	of := func(m Mapping) error { return must.Err(Map(t.Context(), r.ID(), m, o, nil)) }
	must.Fail(t, of(Mapping{Batch: 1}), "two pairs or more")
	must.Fail(t, of(Mapping{Batch: 1000}), "no mini-batch of 1000")
	must.Fail(t, of(Mapping{Split: "dev"}), `no split "dev"`)
	must.Fail(t, must.Err(Map(t.Context(), "xyz", Mapping{}, o, nil)), "vlpx runs says which there are")
}
