package command

import (
	"archive/tar"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"vlpx.internal/internal/test/must"
)

// shard is a tar of captioned pictures.
func shard(t *testing.T, pairs int) string {
	var b, picture bytes.Buffer
	must.Do(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))))
	w := tar.NewWriter(&b)
	for k := range pairs {
		for ending, content := range map[string]string{"png": picture.String(), "txt": fmt.Sprintf("a picture, number %d", k)} {
			must.Do(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%05d.%s", k, ending), Mode: 0o644, Size: int64(len(content))}))
			must.Get(w.Write([]byte(content)))(t)
		}
	}
	must.Do(t, w.Close())
	return b.String()
}

// Parquet files by their address are data, too: those of a folder into whose splits they are put.
func TestParquetByAddress(t *testing.T) {
	type row struct {
		Image []byte `parquet:"image"`
		Text  string `parquet:"caption"`
	}
	var picture, file bytes.Buffer
	must.Do(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))))
	w := parquet.NewGenericWriter[row](&file)
	must.Get(w.Write([]row{{picture.Bytes(), "a picture"}, {picture.Bytes(), "another one"}}))(t)
	must.Do(t, w.Close())
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.Bytes()))
	}))
	defer site.Close()
	dir := t.TempDir()
	table := func(out string) string { return out[strings.Index(out, "images"):] }
	at, errs := succeed(t, dir, "data", site.URL+"/mine/train-{0..1}.parquet,val="+site.URL+"/mine/val.parquet", "-scale", "tiny")
	if !strings.Contains(errs, "3 of 3 shards are fetched into") {
		t.Errorf("got %q", errs)
	}
	succeed(t, dir, "data", "fetch", site.URL+"/mine/train-{0..1}.parquet", "val="+site.URL+"/mine/val.parquet", "-o", "mine")
	if out, _ := succeed(t, dir, "data", "mine", "-scale", "tiny"); table(at) != table(out) {
		t.Errorf("got\n%s, want\n%s", at, out)
	}
}

// Shards that are fetched are data as any other. A call that was cut off goes on, and one of bad addresses says what is wrong.
func TestDataFetch(t *testing.T) {
	dir, content, up := t.TempDir(), shard(t, 3), true
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !up && strings.HasSuffix(r.URL.Path, "/02.tar") {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	}))
	fetch := []string{"data", "fetch", site.URL + "/set/{00..03}.tar", "val=" + site.URL + "/v.tar", "-o", "mine"}
	up = false
	if _, errs, status := executed(t, dir, fetch...); status != 1 || !strings.Contains(errs, "/set/02.tar: 404 Not Found") {
		t.Errorf("got status %d, %q; want the shard that is not there", status, errs)
	}
	up = true
	out, errs := succeed(t, dir, fetch...)
	if !strings.Contains(errs, "if all are as large as the first") || !strings.Contains(out, "5 shards are in mine") {
		t.Errorf("got %q and %q", out, errs)
	}
	if out, errs = succeed(t, dir, fetch...); strings.Contains(errs, "missing") || !strings.Contains(out, "5 shards are in mine") {
		t.Errorf("got %q and %q, want nothing fetched again", out, errs)
	}
	if out, _ = succeed(t, dir, "data", "mine", "-scale", "tiny"); !strings.Contains(out, "12") {
		t.Errorf("got %s, want the 12 images of four shards", out)
	}
	// An address itself is data, too: the same as the folder, and without the server once it has come.
	table := func(out string) string { return out[strings.Index(out, "images"):] }
	urls := site.URL + "/set/{00..03}.tar,val=" + site.URL + "/v.tar"
	at, errs := succeed(t, dir, "data", urls, "-scale", "tiny")
	if !strings.Contains(errs, "5 of 5 shards are fetched into") || table(at) != table(out) {
		t.Errorf("got %q and\n%s, want\n%s", errs, at, out)
	}
	site.Close()
	if at, errs = succeed(t, dir, "data", urls, "-scale", "tiny"); errs != "" || table(at) != table(out) {
		t.Errorf("got %q and\n%s, want\n%s", errs, at, out)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "sums"), []byte("abc x.tar\n"), 0o644))
	for want, args := range map[string][]string{
		"needs the addresses":       {"data", "fetch", "-o", "mine"},
		"name it with -o":           {"data", "fetch", site.URL + "/a.tar"},
		"cannot be reached":         {"data", "fetch", site.URL + "/a.tar", "-o", "mine"},
		"sums: line 1":              {"data", "fetch", site.URL + "/a.tar", "-o", "mine", "-sums", "sums"},
		"is no plain .tar and":      shortest("train", "InfoNCE", "-data", "https://h/x"),
		"5 of 10 shards are not in": shortest("train", "InfoNCE", "-data", urls+","+site.URL+"/other/{0..4}.tar"),
	} {
		if _, errs, status := executed(t, dir, args...); status != 1 || !strings.Contains(errs, want) {
			t.Errorf("vlpx %s: status %d, %q; want 1 and %q", strings.Join(args, " "), status, errs, want)
		}
	}
}
