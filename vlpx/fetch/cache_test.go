package fetch

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"vlpx.internal/datasets/place"
	"vlpx.internal/internal/test/must"
)

// tarOf is a shard with one file.
func tarOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must.Do(t, w.WriteHeader(&tar.Header{Name: "0.txt", Mode: 0o644, Size: int64(len(text))}))
	must.Get(w.Write([]byte(text)))(t)
	must.Do(t, w.Close())
	return b.String()
}

// site is a test's server of shards, by their paths.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	shards map[string]string
	bad    func(w http.ResponseWriter, r *http.Request, shard string) bool // answers in its own way, if it does
	asked  int
}

func newSite(t *testing.T, names ...string) *site {
	s := &site{shards: map[string]string{}}
	for _, name := range names {
		s.shards[name] = tarOf(t, name)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked++
		shard, ok := s.shards[r.URL.Path]
		bad := s.bad
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", fmt.Sprintf("%q", sumOf(shard)))
		if bad == nil || r.Method == http.MethodHead || !bad(w, r, shard) {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(shard))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) places(t *testing.T, names ...string) []place.Place {
	t.Helper()
	return must.Get(place.Parse(strings.ReplaceAll(strings.Join(names, ","), "URL", s.URL)))(t)
}

// newCache is a cache that says what it does into lines.
func newCache(t *testing.T, most uint64) (c Cache, lines *strings.Builder) {
	lines = new(strings.Builder)
	return Cache{Dir: t.TempDir(), Most: most, Say: func(format string, args ...any) { fmt.Fprintf(lines, format+"\n", args...) }}, lines
}

// has is an error where the shards of places are not those of the server.
func (s *site) has(t *testing.T, places []place.Place, paths ...string) {
	t.Helper()
	for _, p := range places {
		for _, name := range must.Get(p.Names())(t) {
			if got := string(must.Get(os.ReadFile(filepath.Join(p.Dir, name)))(t)); got != s.shards[paths[0]] {
				t.Errorf("%s/%s has %d bytes, not those of %s", p.Dir, name, len(got), paths[0])
			}
			paths = paths[1:]
		}
	}
}

// release lets go of what this process uses, as its end does.
func release() {
	held.Lock()
	defer held.Unlock()
	for used, lock := range held.locks {
		lock.Unlock()
		delete(held.locks, used)
	}
}

// What is there needs no server; what is not is told at once without one.
func TestCache(t *testing.T) {
	s := newSite(t, "/cc/0.tar", "/cc/1.tar", "/cc/2.tar")
	c, said := newCache(t, 1e6)
	asked := s.places(t, "URL/cc/{0..1}.tar", "val=URL/cc/2.tar", "elsewhere")
	got := must.Get(c.Local(t.Context(), asked))(t)
	s.has(t, got[:2], "/cc/0.tar", "/cc/1.tar", "/cc/2.tar")
	if got[0].Shards != "{0..1}.tar" || got[1].Split != "val" || got[0].Called() != "cc" || got[0].Remote() || got[2].Dir != "elsewhere" {
		t.Errorf("got %+v", got)
	}
	if !strings.Contains(said.String(), "3 of 3 shards are fetched into") {
		t.Errorf("said %q", said)
	}
	s.Close()
	must.Get(c.Local(t.Context(), asked))(t)
	start := time.Now()
	_, err := c.Local(t.Context(), s.places(t, "URL/cc/{0..4}.tar"))
	must.Fail(t, err, "the server cannot be reached")
	must.Fail(t, err, "2 of 5 shards are not in "+c.Dir)
	if waited := time.Since(start); waited > 5*time.Second {
		t.Errorf("that was told after %v", waited)
	}
}

// A server that cuts, stalls or lies is borne as long as more comes, and what it gives in the end is what it has.
func TestCacheOfABadServer(t *testing.T) {
	for what, bad := range map[string]func(w http.ResponseWriter, r *http.Request, shard string) bool{
		"cuts": func(w http.ResponseWriter, r *http.Request, shard string) bool {
			from := 0
			if fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); from > 0 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(shard)-1, len(shard)))
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(shard)-from))
			if from > 0 {
				w.WriteHeader(http.StatusPartialContent)
			}
			fmt.Fprint(w, shard[from:min(len(shard), from+700)])
			return true
		},
		"says that it has none of its tag": func(w http.ResponseWriter, r *http.Request, shard string) bool {
			w.Header().Del("ETag")
			return false
		},
	} {
		s := newSite(t, "/0.tar")
		s.bad = bad
		c, _ := newCache(t, 1e6)
		got, err := c.Local(t.Context(), s.places(t, "URL/0.tar"))
		if err != nil {
			t.Errorf("a server that %s: %v", what, err)
			continue
		}
		s.has(t, got, "/0.tar")
	}
	for want, bad := range map[string]func(w http.ResponseWriter, r *http.Request, shard string) bool{
		"cut off": func(w http.ResponseWriter, _ *http.Request, shard string) bool {
			w.Header().Set("Content-Length", fmt.Sprint(len(shard)))
			return true
		},
		"what came is no tar": func(w http.ResponseWriter, _ *http.Request, _ string) bool {
			fmt.Fprint(w, strings.Repeat("<html>", 200))
			return true
		},
		"its SHA-256 is": func(w http.ResponseWriter, _ *http.Request, shard string) bool {
			fmt.Fprint(w, strings.Replace(shard, "/0.tar", "/1.tar", 1))
			return true
		},
	} {
		s := newSite(t, "/0.tar")
		s.bad = bad
		sums := filepath.Join(t.TempDir(), "sums")
		must.Do(t, os.WriteFile(sums, []byte(sumOf(s.shards["/0.tar"])+"  0.tar\n"), 0o644))
		c, _ := newCache(t, 1e6)
		asked := s.places(t, "URL/0.tar")
		if strings.Contains(want, "SHA-256") {
			asked = s.places(t, "URL/0.tar", "sums="+sums)
		}
		must.Fail(t, must.Err(c.Local(t.Context(), asked)), want)
		s.mu.Lock()
		s.bad = nil
		s.mu.Unlock()
		s.has(t, must.Get(c.Local(t.Context(), asked))(t), "/0.tar")
	}
}

// Parquet comes as tars do, and a page in its place is refused.
func TestCacheOfParquet(t *testing.T) {
	s := newSite(t)
	s.shards["/a/train-0.parquet"], s.shards["/a/page.parquet"] = "PAR1"+strings.Repeat("x", 600)+"PAR1", "<html>"
	c, _ := newCache(t, 1e6)
	got := must.Get(c.Local(t.Context(), s.places(t, "URL/a/train-{0..0}.parquet")))(t)
	s.has(t, got, "/a/train-0.parquet")
	if got[0].Ending() != place.Parquet {
		t.Errorf("got %+v", got)
	}
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, "URL/a/page.parquet"))), "what came is no parquet")
}

// Shards are held against their checksums also where they have come before, or lie here.
func TestCacheSums(t *testing.T) {
	s := newSite(t, "/0.tar", "/1.tar")
	c, _ := newCache(t, 1e6)
	got := must.Get(c.Local(t.Context(), s.places(t, "URL/{0..1}.tar")))(t)
	sums := filepath.Join(t.TempDir(), "sums")
	write := func(first string) {
		must.Do(t, os.WriteFile(sums, []byte(first+"  0.tar\n"+sumOf(s.shards["/1.tar"])+"  1.tar\n"), 0o644))
	}
	with := "sums=" + sums
	write(sumOf(s.shards["/0.tar"]))
	if checked := must.Get(c.Local(t.Context(), s.places(t, "URL/{0..1}.tar", with)))(t); len(checked) != 1 || checked[0] != got[0] {
		t.Errorf("got %+v, want %+v", checked, got)
	}
	write(sumOf("other"))
	here := got[0].Dir + "/{0..1}.tar"
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, here, with))), "0.tar: its SHA-256 is "+sumOf(s.shards["/0.tar"]))
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, "URL/{0..1}.tar", with))), "it was removed, fetch it again")
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, here, with))), "0.tar: it cannot be read")
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, with, with))), "a second file of checksums")
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, "sums=gone"))), "gone")
	must.Do(t, os.WriteFile(sums, []byte("x"), 0o644))
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, with))), "sums: line 1")
}

// The cache has its bound: what was not used for longest goes, unless it is in use, and what does not fit is told before it is fetched.
func TestCacheBound(t *testing.T) {
	t.Cleanup(release)
	s := newSite(t, "/a/0.tar", "/b/0.tar", "/c/0.tar", "/d/0.tar", "/d/1.tar", "/d/2.tar")
	c, said := newCache(t, uint64(2*len(s.shards["/a/0.tar"])+100))
	of := map[string]string{}
	for k, name := range []string{"a", "b"} {
		of[name] = must.Get(c.Local(t.Context(), s.places(t, "URL/"+name+"/0.tar")))(t)[0].Dir
		past := time.Now().Add(time.Duration(k-9) * time.Hour)
		must.Do(t, os.Chtimes(filepath.Join(filepath.Dir(of[name]), usedName), past, past))
	}
	asked := s.asked
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, "URL/d/{0..2}.tar"))), "3 shards of")
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, "URL/c/0.tar"))), "$VLPX_CACHE_GB raises that") // both are in use
	if s.asked != asked+2 {
		t.Errorf("asked %d times, want twice, for sizes", s.asked-asked)
	}
	release()
	must.Get(c.Local(t.Context(), s.places(t, "URL/b/0.tar")))(t) // used again
	release()
	must.Get(c.Local(t.Context(), s.places(t, "URL/c/0.tar")))(t)
	if _, err := os.Stat(of["a"]); err == nil {
		t.Error("a, which was not used for longest, is there")
	}
	if _, err := os.Stat(filepath.Join(of["b"], "0.tar")); err != nil {
		t.Errorf("b, which was used, is gone: %v", err)
	}
	if !strings.Contains(said.String(), filepath.Dir(of["a"])+" makes room") {
		t.Errorf("said %q", said)
	}
	// A server that says a smaller size than it gives.
	s.shards["/e/0.tar"] = tarOf(t, strings.Repeat("e", 1<<20))
	s.bad = func(w http.ResponseWriter, _ *http.Request, shard string) bool {
		for k := 0; k < len(shard); k += 4096 { // without a length
			fmt.Fprint(w, shard[k:min(k+4096, len(shard))])
			w.(http.Flusher).Flush()
		}
		return true
	}
	big := c
	big.Most = 100_000
	must.Fail(t, must.Err(big.Local(t.Context(), s.places(t, "URL/e/0.tar"))), "do not fit")
}

// Of two processes one fetches, and the other waits and takes what has come, or is stopped.
func TestCacheWaits(t *testing.T) {
	s := newSite(t, "/0.tar")
	c, said := newCache(t, 1e6)
	lock := flock.New(filepath.Join(c.Dir, fetchingName))
	must.Do(t, lock.Lock())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	must.Fail(t, must.Err(c.Local(ctx, s.places(t, "URL/0.tar"))), "deadline")
	if !strings.Contains(said.String(), "another process fetches shards") {
		t.Errorf("said %q", said)
	}
	time.AfterFunc(200*time.Millisecond, func() { lock.Unlock() })
	s.has(t, must.Get(c.Local(t.Context(), s.places(t, "URL/0.tar")))(t), "/0.tar")
	c.Dir += ",b"
	must.Fail(t, must.Err(c.Local(t.Context(), s.places(t, "URL/0.tar"))), "comma or a brace")
}
