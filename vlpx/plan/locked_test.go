package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

// withViT are places at which the small encoder of a golden case, of 8-pixel patches and a width of 16, is the ViT to lock.
func withViT(t *testing.T) weights.Places {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, scale.Lockable)
	must.Do(t, os.MkdirAll(dir, 0o755))
	content := must.Get(os.ReadFile(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "vit_deit_forward",
		"weights.safetensors")))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), content, 0o644))
	return weights.Places{Cache: root}
}

// Where the ViT is there, photographs at mini are seen by it, in every run and those that it needs; where it is not, by a model of its
// own. Scenes and other scales have no encoder locked.
func TestPhotographsAtMini(t *testing.T) {
	dir := papertest.Photographs(t)
	q := plan.Request{Data: dir, Scale: "mini", Seeds: []uint64{1}, Set: []string{"mincount=1"}}
	without := papertest.Plan(t, catalogue.List(), "falcon/table1", q)
	if r := without.Rows[papertest.RowNumber(t, without, "InfoNCE")][0]; r.Locked != nil || modelOf(r).Vision.Locked != 0 ||
		r.Init != nil || r.Train.Transform.Size != 64 {
		t.Errorf("without the ViT: got %+v", r)
	}
	q.Places = withViT(t)
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", q)
	for _, r := range p.Runs() {
		v := modelOf(r).Vision
		if r.Locked == nil || r.Locked.Pixels != transform.Symmetric || r.Locked.Side != 7 || v.Locked != 16 || v.Image != 224 ||
			v.Patch != 32 ||
			v.Tokens() != 50 || r.Train.Transform != (transform.Pipeline{Size: 224}) {
			t.Errorf("%s: got %+v before %+v", r.Train.Method.Name, r.Locked, v)
		}
	}
	mafa := p.Rows[papertest.RowNumber(t, p, "MAFA")][0]
	if mafa.Init == nil || mafa.Init.Train.Method.Name != "Warm start" || mafa.Reference == nil || mafa.Reference.Init == nil {
		t.Errorf("MAFA starts from %v and asks %v, want a warm start and a tuned Con-D", mafa.Init, mafa.Reference)
	}
	table := must.Get(papertest.Report(t, p, run.OpenStore(t.TempDir())).Table())(t)
	if note := table.Note; !strings.Contains(note, "vit-tiny") || !strings.Contains(note, "supervised by ImageNet's labels") {
		t.Errorf("the note is %q, want that it names the encoder and its supervision", note)
	}
	if p.FileName("table1") == without.FileName("table1") {
		t.Error("files of both have the same name")
	}
	for name, q := range map[string]plan.Request{
		"scenes": {Scale: "mini", Seeds: q.Seeds, Places: q.Places}, "tiny": {Data: dir, Scale: "tiny", Seeds: q.Seeds, Places: q.Places},
		"none": {Data: dir, Scale: "mini", Seeds: q.Seeds, Places: q.Places, Set: q.Set, Weights: []string{"vision=none"}},
	} {
		p := papertest.Plan(t, catalogue.List(), "falcon/table1", q)
		for _, r := range p.Runs() {
			if r.Locked != nil {
				t.Errorf("%s: %s has an encoder locked", name, r.Train.Method.Name)
			}
		}
	}
}

// A setting that cannot be is told with what to do.
func TestLockedErrors(t *testing.T) {
	dir := papertest.Photographs(t)
	places := withViT(t)
	for set, want := range map[string]string{
		"locked.pixels=rgb": "clip, imagenet, symmetric", "locked.side=5": "take a divisor", "image=100": "take a multiple",
		"augment=true": "augmentation",
	} {
		a := papertest.Artifact(t, catalogue.List(), "falcon/table1")
		_, err := paper.NewPlan(a, plan.Request{Data: dir, Scale: "mini", Set: []string{"mincount=1", set}, Places: places})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", set, err, want)
		}
	}
	a := papertest.Artifact(t, catalogue.List(), "falcon/table1")
	must.Fail(t, must.Err(paper.NewPlan(a, plan.Request{Set: []string{"locked.side=7"}})), "vlpx weights fetch", "without the ViT")
}

// Without a published encoder that of a run of CLIP is locked, one for all methods, seeds and noise, and made before them.
func TestOwnEncoder(t *testing.T) {
	q := plan.Request{Seeds: []uint64{1, 2}, Set: []string{"locked.side=2", "locked.epochs=2", "captionnoise=.3"},
		Methods: []string{"InfoNCE", "GRIT-VLP"}}
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", q)
	first := p.Runs()[0]
	if first.Train.Framework.Name() != "CLIP" || first.Train.Epochs != 2 || first.Locked != nil || first.Data.Scenes.CaptionNoise != 0 {
		t.Errorf("the first run is %s of %d epochs on %+v, want CLIP of 2 on clean captions", first.Train.Framework.Name(),
			first.Train.Epochs, first.Data)
	}
	for _, r := range p.Runs()[1:] {
		if r.Encoder == nil || r.Locked.Run != first.ID() || modelOf(r).Vision.Locked != 32 {
			t.Errorf("%s, seed %d, is behind %+v, want run %s", r.Train.Method.Name, r.Train.Seed, r.Locked, first.ID())
		}
	}
	if table := papertest.Table(t, papertest.Report(t, p, run.OpenStore(t.TempDir()))); !strings.Contains(table.Note,
		"a run of CLIP of 2 epochs") {
		t.Errorf("the note %q does not tell of the encoder", table.Note)
	}
	if _, err := paper.NewPlan(papertest.Artifact(t, catalogue.List(), "falcon/table1"),
		plan.Request{Scale: "tiny", Set: []string{"locked.side=2"}}); err == nil {
		t.Error("no encoder to lock is no error")
	}
}
