package webdataset

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// Shards by their paths, from folders of their own, are the data that a folder of them is.
func TestOpenShards(t *testing.T) {
	a, b, c := shard(t, captioned(t, 0, 2)...), shard(t, captioned(t, 2, 1)...), shard(t, captioned(t, 3, 2)...)
	whole := mustOpen(t, map[string][]byte{"train/0.tar": a, "train/1.tar": b, "val/0.tar": c})
	dir := folder(t, map[string][]byte{"one/0.tar": a, "one/more/1.tar": b, "two/0.tar": c})
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
		return paths
	}
	of := must.Get(OpenShards("mine", dir, map[string][]string{"train": in("one/more/1.tar", "one/0.tar"), "val": in("two/0.tar")}))(t)
	if of.Hash() != whole.Hash() || of.Name() != "mine" {
		t.Errorf("%s has the hash %s, and as a folder %s", of.Name(), of.Hash(), whole.Hash())
	}
	s := set(t, of, "train")
	if s.Len() != 3 || s.Key(2) != "train/1.tar/000000002" || len(s.Shards()) != 2 {
		t.Errorf("got %d images in shards from %v, the last one %s", s.Len(), s.Shards(), s.Key(2))
	}
	if img, err := s.Image(t.Context(), 2); err != nil || img.Bounds().Dx() != 3 {
		t.Errorf("got %v (%v), want a width of 3", img, err)
	}
	must.Fail(t, must.Err(OpenShards("mine", dir, map[string][]string{"train": in("one/0.tar", "two/0.tar")})), "both called train/0.tar")
	must.Fail(t, must.Err(OpenShards("mine", dir, map[string][]string{"train": in("one/9.tar")})), "mine: train/9.tar: open")
}

// A shard that is written anew while it is read is an error that says so, whether its bytes lie elsewhere or not.
func TestChangedShard(t *testing.T) {
	for what, change := range map[string]func(path string, data []byte) error{
		"longer":  func(path string, data []byte) error { return os.WriteFile(path, append(data, data...), 0o644) },
		"touched": func(path string, data []byte) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
		"another in its place": func(path string, data []byte) error {
			return errors.Join(os.WriteFile(path+".new", data[:len(data)-512], 0o644), os.Rename(path+".new", path))
		},
	} {
		data := shard(t, captioned(t, 0, 2)...)
		dir := folder(t, map[string][]byte{"0.tar": data})
		s := set(t, must.Get(Open(dir))(t), "train")
		must.Get(s.Image(t.Context(), 1))(t)
		must.Do(t, change(filepath.Join(dir, "0.tar"), data))
		must.Fail(t, must.Err(s.Image(t.Context(), 1)), `image 1 ("0.tar/000000001"): the shard has changed since it was opened`, what)
	}
}
