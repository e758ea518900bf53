package weights

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// fakeHub is a test's hub: it states a checksum and sends one on to a store, as the hub does.
type fakeHub struct {
	content []byte
	sum     string // that it states
	cutAt   int    // bytes after which the store hangs up; 0 for never
	asked   []string
}

func (h *fakeHub) serve(t *testing.T) string {
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.asked = append(h.asked, r.Header.Get("Range"))
		if h.cutAt > 0 {
			w.Header().Set("Content-Length", fmt.Sprint(len(h.content)))
			w.Write(h.content[:h.cutAt])
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(h.content)))
	}))
	t.Cleanup(store.Close)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/someone/model/resolve/main/model.safetensors" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("X-Linked-Etag", `"`+h.sum+`"`)
		http.Redirect(w, r, store.URL+"/blob", http.StatusFound)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// someone is a checkpoint that the test's hub has. It has the name of a known one, by which it is found.
var someone = Known{Name: "vit-tiny", Hub: "someone/model", Revision: "main", File: "model.safetensors"}

func served(t *testing.T) (*fakeHub, string) {
	content := encode(t, map[string]tensor{"blocks.0.attn.qkv.weight": {[]int{30, 10}, 0}})
	sum := sha256.Sum256(content)
	h := &fakeHub{content: content, sum: hex.EncodeToString(sum[:])}
	return h, h.serve(t)
}

func TestFetch(t *testing.T) {
	h, address := served(t)
	places := Places{Cache: t.TempDir()}
	var last, total int64
	source := must.Get(places.Fetch(t.Context(), someone, address, func(done, of int64) { last, total = done, of }))(t)
	if size := int64(len(h.content)); last != size || total != size {
		t.Errorf("progress ended at %d of %d, want %d", last, total, size)
	}
	if got, err := os.ReadFile(source.Path); err != nil || string(got) != string(h.content) {
		t.Errorf("the file differs: %v", err)
	}
	if source.Name != "vit-tiny" || source.Hash != h.sum[:16] {
		t.Errorf("got %+v, want vit-tiny with the hash %s", source, h.sum[:16])
	}
	if got, err := os.ReadFile(source.Path + ".sha256"); err != nil || !strings.HasPrefix(string(got), h.sum+"  model.safetensors") {
		t.Errorf("beside it: %q, %v", got, err)
	}
	h.content = nil
	if again, err := places.Fetch(t.Context(), someone, address, nil); err != nil || again != source || len(h.asked) != 1 {
		t.Errorf("fetched again: %+v, %v, asked %d times; want what is there, unasked", again, err, len(h.asked))
	}
}

// What a fetch that was cut off got is not fetched again.
func TestFetchGoesOn(t *testing.T) {
	h, address := served(t)
	places := Places{Cache: t.TempDir()}
	h.cutAt = 1000
	if _, err := places.Fetch(t.Context(), someone, address, nil); err == nil ||
		!strings.Contains(err.Error(), "the same command goes on") {
		t.Fatalf("got error %v, want one that says how to go on", err)
	}
	if _, err := os.Stat(filepath.Join(places.Cache, "vit-tiny", "model.safetensors")); err == nil {
		t.Error("a part is taken for the whole")
	}
	h.cutAt = 0
	source := must.Get(places.Fetch(t.Context(), someone, address, nil))(t)
	if got, err := os.ReadFile(source.Path); err != nil || string(got) != string(h.content) {
		t.Errorf("the file differs: %v", err)
	}
	if want := "bytes=1000-"; h.asked[1] != want {
		t.Errorf("asked for %q, want %q", h.asked[1], want)
	}
}

// A part that is whole already, as after a kill before its renaming, is verified and taken.
func TestFetchTakesAWholePart(t *testing.T) {
	h, address := served(t)
	places := Places{Cache: t.TempDir()}
	folder := filepath.Join(places.Cache, "vit-tiny")
	must.Do(t, os.MkdirAll(folder, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(folder, "model.safetensors.part"), h.content, 0o600))
	if source, err := places.Fetch(t.Context(), someone, address, nil); err != nil || source.Hash != h.sum[:16] {
		t.Errorf("got %+v, %v", source, err)
	}
}

func TestFetchRefuses(t *testing.T) {
	h, address := served(t)
	elsewhere, pinned := someone, someone
	elsewhere.Hub = "nobody/model"
	pinned.SHA256 = strings.Repeat("0", 64)
	unstated := &fakeHub{content: h.content}
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, c := range map[string]struct {
		known   Known
		address string
		want    []string
	}{
		"a checksum that differs":  {pinned, address, []string{"want 0000", "removed"}},
		"a page that is not there": {elsewhere, address, []string{"404 Not Found"}},
		"no checksum":              {someone, unstated.serve(t), []string{"cannot be verified"}},
		"no network": {someone, closed.URL, []string{"the server cannot be reached", "someone/model/resolve/main/model.safetensors",
			"put it at"}},
	} {
		places := Places{Cache: t.TempDir()}
		_, err := places.Fetch(t.Context(), c.known, c.address, nil)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v, want one that says %q", name, err, want)
			}
		}
		if source, err := places.Find("vit-tiny"); err != nil || source.Hash != "" {
			t.Errorf("%s: got %+v, %v; want nothing", name, source, err)
		}
	}
}

// What the hub's own tools have fetched is found in their cache folder.
func TestFindInTheHubsCache(t *testing.T) {
	h, _ := served(t)
	known, _ := Named("vit-tiny")
	places := Places{Cache: t.TempDir(), Hub: t.TempDir()}
	repository := filepath.Join(places.Hub, "models--timm--vit_tiny_patch16_224.augreg_in21k_ft_in1k")
	must.Do(t, os.MkdirAll(filepath.Join(repository, "refs"), 0o755))
	must.Do(t, os.MkdirAll(filepath.Join(repository, "snapshots", "abc"), 0o755))
	must.Do(t, os.WriteFile(filepath.Join(repository, "refs", known.Revision), []byte("abc"), 0o644))
	if source := must.Get(places.Find("vit-tiny"))(t); source.Hash != "" {
		t.Errorf("got %+v, and nothing is there", source)
	}
	must.Do(t, os.WriteFile(filepath.Join(repository, "snapshots", "abc", known.File), h.content, 0o644))
	if source := must.Get(places.Find("vit-tiny"))(t); source.Hash != h.sum[:16] || source.Name != "vit-tiny" {
		t.Errorf("got %+v, want that of the hub's cache", source)
	}
}
