package plan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/scale"
)

// By coarse labels a folder of CIFAR-100 is other data of the same images, read once; nothing else has them.
func TestLabels(t *testing.T) {
	dir := t.TempDir()
	var records []byte
	for i := range 20 {
		records = slices.Concat(records, []byte{byte(i % 2), byte(i % 10)}, make([]byte, 3*32*32))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "train.bin"), records, 0o644))
	q := Request{Data: dir}
	whole := must.Get(q.images(scale.Scale{Name: "tiny", Images: 7}))(t)
	coarse := must.Get(q.images(scale.Scale{Name: "tiny", Images: 7, Labels: "coarse"}))(t)
	if whole.Name != "CIFAR-100" || coarse.Name != "CIFAR-100 coarse" || coarse.Hash == whole.Hash || coarse.Dir != dir || coarse.Images != 7 {
		t.Errorf("got %+v and %+v, want the same images by other classes", whole, coarse)
	}
	if opened := must.Get(coarse.Open())(t); opened.Name() != coarse.Name {
		t.Errorf("opened %s, want %s", opened.Name(), coarse.Name)
	}
	other := coarse
	other.Labels = "finer"
	must.Fail(t, must.Err(other.Open()), `Data.Labels is "finer"; use "coarse" of CIFAR-100`, "unknown labels")
	must.Fail(t, must.Err((Request{Data: t.TempDir()}).images(scale.Scale{Labels: "coarse"})), "layouts", "no data")
	must.Fail(t, must.Err((Request{}).images(scale.Scale{Labels: "coarse"})), "scenes have no such classes", "scenes")
	must.Do(t, os.WriteFile(filepath.Join(dir, "batches.meta.txt"), []byte("a\nb\n"), 0o644))
	must.Fail(t, must.Err((Request{Data: dir}).images(scale.Scale{Labels: "coarse"})), "CIFAR-10", "ten classes")
}
