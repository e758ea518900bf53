package layout

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Folders and shards with commas between are one collection; what is in them is in its hash, and where they lie is not.
func TestOpenSeveral(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8))))
	tar := shard(t, b.String())
	files := map[string]string{"shards/0.tar": tar, "shards/1.tar": tar, "v/0.tar": tar, "a,b={c}/train/square/0.png": b.String()}
	root := write(t, files)
	t.Setenv("VLPX_DATA", root)
	name := must.Get(Find("shards/{0..1}.tar,val=v/0.tar"))(t)
	if want := "train=" + root + "/shards/{0..1}.tar,val=" + root + "/v/0.tar"; name != want || Absolute(name) != want {
		t.Errorf("got %s and %s, want %s", name, Absolute(name), want)
	}
	c := must.Get(Open(name))(t)
	if c.Name() != "shards" || !slices.Equal(c.Splits(), []string{"train", "val"}) {
		t.Errorf("got %s with %v", c.Name(), c.Splits())
	}
	elsewhere := write(t, files)
	t.Setenv("VLPX_DATA", elsewhere)
	if other := must.Get(Open(must.Get(Find("shards/{0..1}.tar,val=v/0.tar"))(t)))(t); other.Hash() != c.Hash() {
		t.Errorf("the same shards elsewhere have the hash %s, want %s", other.Hash(), c.Hash())
	}
	both := must.Get(Open(must.Get(Find("shards,v"))(t)))(t)
	set := must.Get(both.Split("train"))(t)
	if both.Name() != "shards+v" || set.Len() != 3 || set.Key(2) != "v/0.tar/0" {
		t.Errorf("got %d images of %s, the last one %s", set.Len(), both.Name(), set.Key(2))
	}
	odd := filepath.Join(elsewhere, "a,b={c}") // a folder that is there is one, whatever it is called
	if c := must.Get(Open(must.Get(Find(odd))(t)))(t); c.Name() != "a,b={c}" {
		t.Errorf("got %s", c.Name())
	}
	t.Chdir(elsewhere)
	if got, want := Absolute("v/0.tar,flickr8k"), "train="+elsewhere+"/v/0.tar,flickr8k"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFindRefuses(t *testing.T) {
	root := write(t, map[string]string{"v/0.tar": ""})
	t.Setenv("VLPX_DATA", root)
	for name, want := range map[string]string{
		"v,":                    "empty",
		"v,w":                   "data w: no such folder",
		"dev=v/0.tar":           `no split "dev"`,
		"v/{0..9.tar":           "not closed",
		"v/{0..1}.tar,":         "empty",
		"w/{0..1}.tar":          "data w: no such folder",
		"https://h/0.tar":       "vlpx data fetch 'train=https://h/0.tar'",
		"https://h/a":           `"a" is no plain .tar and no .parquet`,
		"ftp://h/0.tar":         "http:// or https://",
		"https://h/{0..1}.tar,": "empty",
		"v/{0.tar,1.parquet}":   "not of one kind",
	} {
		_, err := Find(name)
		must.Fail(t, err, want, name)
	}
	must.Do(t, os.WriteFile(filepath.Join(root, "v", "0.tar"), []byte(shard(t, "x")), 0o644))
	must.Fail(t, must.Err(Open(must.Get(Find("v/{0..1}.tar"))(t))), "v: train/1.tar: open")
	must.Fail(t, must.Err(Open("v,{")), "not closed")
}
