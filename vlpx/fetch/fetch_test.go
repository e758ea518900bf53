package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// server is a test's: it has one file, and does what a bad one does.
type server struct {
	mu      sync.Mutex
	content string
	tag     string
	cutAt   int  // bytes after which it hangs up; 0 for never
	stalls  bool // at cutAt it says no more instead
	lies    bool // it gives the range from the start, whatever is asked for
	asked   []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Header.Get("Range"))
	w.Header().Set("ETag", s.tag)
	switch {
	case s.lies && r.Header.Get("Range") != "":
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(s.content)-1, len(s.content)))
		w.WriteHeader(http.StatusPartialContent)
		fmt.Fprint(w, s.content)
	case s.cutAt > 0:
		w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
		fmt.Fprint(w, s.content[:s.cutAt])
		w.(http.Flusher).Flush()
		if s.stalls {
			<-r.Context().Done()
		}
	default:
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(s.content))
	}
}

// at is a file of the server, and the file's place.
func (s *server) at(t *testing.T) File {
	site := httptest.NewServer(s)
	t.Cleanup(site.Close)
	return File{From: site.URL + "/00000.tar", To: filepath.Join(t.TempDir(), "train", "00000.tar")}
}

const text = "what is to be fetched, byte by byte, and once"

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// has is an error where a file is not there whole, or something lies beside it.
func (f File) has(t *testing.T, want string) {
	t.Helper()
	if got, err := os.ReadFile(f.To); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if entries := must.Get(os.ReadDir(filepath.Dir(f.To)))(t); len(entries) != 1 {
		t.Errorf("got %v, want the file alone", entries)
	}
}

func TestGet(t *testing.T) {
	s := &server{content: text, tag: `"1"`}
	f := s.at(t)
	if sum := must.Get(f.Get(t.Context(), nil))(t); sum != sumOf(text) {
		t.Errorf("got the checksum %s, want %s", sum, sumOf(text))
	}
	f.has(t, text)
	if sum, err := f.Get(t.Context(), nil); err != nil || sum != "" || len(s.asked) != 1 {
		t.Errorf("got %q, %v and %d requests, want what is there", sum, err, len(s.asked))
	}
}

// Whatever a server does on the way, the file is the one that the server has in the end, and a part that fits is not fetched again.
func TestGetGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		bad   func(*server)
		says  string
		then  func(*server)
		asked string // of the second request
	}{
		"cut":               {func(s *server) {}, "cut off", func(s *server) {}, "bytes=10-"},
		"stalled":           {func(s *server) { s.stalls = true }, "no byte came for", func(s *server) {}, "bytes=10-"},
		"changed":           {func(s *server) {}, "cut off", func(s *server) { s.content, s.tag = "something else", `"2"` }, "bytes=10-"},
		"without a version": {func(s *server) { s.tag = "" }, "cut off", func(s *server) { s.content = "something else" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{content: text, tag: `"1"`, cutAt: 10}
			c.bad(s)
			f := s.at(t)
			f.wait = time.Second
			_, err := f.Get(t.Context(), nil)
			must.Fail(t, err, c.says, "goes on from there")
			if _, err := os.Stat(f.To); err == nil {
				t.Error("a part is taken for the whole")
			}
			s.mu.Lock()
			s.cutAt, s.stalls = 0, false
			c.then(s)
			s.mu.Unlock()
			f.wait = 0
			must.Get(f.Get(t.Context(), nil))(t)
			f.has(t, s.content)
			if s.asked[1] != c.asked {
				t.Errorf("asked for %q, want %q", s.asked[1], c.asked)
			}
		})
	}
}

func TestGetRefuses(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, c := range map[string]struct {
		server *server
		file   func(*File)
		part   string
		says   string
	}{
		"another checksum": {&server{content: text}, func(f *File) { f.SHA256 = sumOf("other") }, "", "want " + sumOf("other")},
		"too large":        {&server{content: text}, func(f *File) { f.Most = 10 }, "", "more bytes than are allowed, 10"},
		"a wrong range":    {&server{content: text, lies: true}, func(f *File) { f.SHA256 = sumOf(text) }, "what is", `"bytes 0-`},
		"a part too long":  {&server{content: text, tag: `"1"`}, func(f *File) {}, text + text, "shorter file"},
		"a page and no parquet": {&server{content: "PAR1<html>" + strings.Repeat(".", 600)}, func(f *File) { f.Sound = isParquet }, "",
			"no parquet"},
		"a page and no tar":  {&server{content: "<html>" + strings.Repeat(".", 600)}, func(f *File) { f.Sound = isTar }, "", "no tar"},
		"nobody there":       {&server{}, func(f *File) { f.From = closed.URL }, "", "cannot be reached"},
		"nothing there":      {&server{}, func(f *File) { f.From += "/" + strings.Repeat("%", 1) }, "", "invalid URL escape"},
		"without a checksum": {&server{content: text}, func(f *File) { f.States = func(*http.Response) string { return "" } }, "", "cannot be verified"},
	} {
		t.Run(name, func(t *testing.T) {
			f := c.server.at(t)
			c.file(&f)
			if c.part != "" {
				must.Do(t, os.MkdirAll(filepath.Dir(f.To), 0o755))
				must.Do(t, os.WriteFile(f.To+".part", []byte(c.part), 0o644))
				must.Do(t, os.WriteFile(f.To+".part.version", fmt.Appendf(nil, "%d\n%s", len(c.part), `"1"`), 0o644))
			}
			_, err := f.Get(t.Context(), nil)
			must.Fail(t, err, c.says)
			if entries := must.Get(os.ReadDir(filepath.Dir(f.To)))(t); len(entries) != 0 {
				t.Errorf("%v lie there, want nothing", entries)
			}
		})
	}
}

// Two at once: one gets the file, and the other waits for nobody.
func TestGetTwice(t *testing.T) {
	s := &server{content: text, cutAt: 10, stalls: true}
	f := s.at(t)
	first := make(chan error)
	came := make(chan bool, 100)
	go func() {
		f := f
		f.wait = 2 * time.Second
		_, err := f.Get(t.Context(), func(done, _ int64) { came <- true })
		first <- err
	}()
	<-came
	_, err := f.Get(t.Context(), nil)
	must.Fail(t, err, "another process fetches")
	must.Fail(t, <-first, "no byte came")
}

func TestAll(t *testing.T) {
	dir := t.TempDir()
	cuts := 3
	var mu sync.Mutex
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		cut := r.URL.Path == "/01.tar" && cuts > 0
		if cut {
			cuts--
		}
		mu.Unlock()
		content := strings.Repeat(r.URL.Path, 300)
		if cut {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			fmt.Fprint(w, content[:100])
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
	}))
	defer site.Close()
	files := must.Get(Shards([]string{site.URL + "/{00..11}.tar", "val=" + site.URL + "/v.tar"}, dir, nil))(t)
	if len(files) != 13 || files[12].To != filepath.Join(dir, "val", "v.tar") {
		t.Fatalf("got %+v", files)
	}
	for i := range files {
		files[i].Sound = nil
	}
	var last int
	must.Do(t, All(t.Context(), files, func(done int, _ int64) {
		mu.Lock()
		defer mu.Unlock()
		last = max(last, done)
	}))
	if last != 13 {
		t.Errorf("progress ended at %d of 13", last)
	}
	for _, f := range files {
		if got, err := os.ReadFile(f.To); err != nil || string(got) != strings.Repeat("/"+filepath.Base(f.To), 300) {
			t.Errorf("%s: %d bytes, %v", f.To, len(got), err)
		}
	}
	files[3].From += "/%"
	must.Do(t, os.Remove(files[3].To))
	must.Fail(t, All(t.Context(), files, func(int, int64) {}), "invalid URL escape")
}

func TestShardsRefuses(t *testing.T) {
	for address, says := range map[string]string{
		"dev=https://host/a.tar":                    `no split "dev"`,
		"/data/00.tar":                              "needs no fetching",
		"https://host/a.tar.gz":                     "no plain .tar",
		"https://host/{0..2}/a.tar":                 "the same name a.tar",
		"https://host/{2..0}.tar":                   "a greater last one",
		"https://host/{0..999999}.tar":              "at most 100000",
		"https://host/{a}.tar":                      "write a range",
		"https://host/{0..9}{0..9999}{0..9999}.tar": "more than 100000 files",
		"https://host/{0..2.tar":                    "not closed",
		"https://host/0}.tar":                       "not opened",
	} {
		_, err := Shards([]string{address}, "d", nil)
		must.Fail(t, err, says)
	}
	_, err := Shards([]string{"https://host/a.tar"}, "d", map[string]string{"b.tar": ""})
	must.Fail(t, err, "has none of a.tar")
	files := must.Get(Shards([]string{"https://host/a.tar?key=x"}, "d", nil))(t)
	if files[0].From != "https://host/a.tar?key=x" || files[0].To != filepath.Join("d", "train", "a.tar") {
		t.Errorf("got %+v", files[0])
	}
}

// Lines of checksums are read or told by their number.
func FuzzParseSums(f *testing.F) {
	f.Add(sumOf("a") + "  a.tar\n" + sumOf("b") + " *b.tar\n\n")
	f.Add("x")
	f.Fuzz(func(t *testing.T, text string) {
		sums, err := ParseSums(text)
		if err != nil {
			must.Fail(t, err, "line ")
		}
		for name, sum := range sums {
			if _, err := hex.DecodeString(sum); err != nil || len(sum) != 64 {
				t.Errorf("%s: %q", name, sum)
			}
		}
	})
}
