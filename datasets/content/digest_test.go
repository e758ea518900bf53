package content

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// album is a folder of files with a memory, which remembers anything at once.
type album struct {
	t              *testing.T
	folder, memory string
}

func newAlbum(t *testing.T, files map[string]string) album {
	dir := t.TempDir()
	a := album{t, filepath.Join(dir, "images"), filepath.Join(dir, "cache", "memory.json")}
	must.Do(t, os.Mkdir(a.folder, 0o755))
	for name, content := range files {
		a.write(name, content)
	}
	return a
}

func (a album) write(name, content string) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.folder, name), []byte(content), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

// look digests files and tells how many bytes it read for that.
func (a album) look(files ...string) (digests [][]byte, read int64) {
	a.t.Helper()
	p := openMemory(a.folder, a.memory)
	p.least, p.settled = 1, -time.Hour
	digests, err := p.digests(files)
	if err != nil {
		a.t.Fatal(err)
	}
	return digests, p.read.Load()
}

func digest(content string) []byte {
	sum := sha256.Sum256([]byte(content))
	return sum[:]
}

// What did not change is not read again; what did is, although its size and its time of modification are the same.
func TestDigestsAreRemembered(t *testing.T) {
	a := newAlbum(t, map[string]string{"a.jpg": "first", "b.jpg": "second"})
	want := [][]byte{digest("first"), digest("second"), nil}
	for _, bytes := range []int64{11, 0, 0} {
		if got, read := a.look("a.jpg", "b.jpg", "gone.jpg"); !reflect.DeepEqual(got, want) || read != bytes {
			t.Errorf("got %x with %d bytes read, want %x with %d", got, read, want, bytes)
		}
	}
	was := must.Get(os.Stat(filepath.Join(a.folder, "b.jpg")))(t)
	time.Sleep(20 * time.Millisecond) // more than the step of the system's clock
	a.write("b.jpg", "sEcond")
	modified := was.ModTime()
	if runtime.GOOS != "linux" {
		modified = modified.Add(time.Second)
	}
	must.Do(t, os.Chtimes(filepath.Join(a.folder, "b.jpg"), modified, modified))
	want[1] = digest("sEcond")
	if got, read := a.look("a.jpg", "b.jpg", "gone.jpg"); !reflect.DeepEqual(got, want) || read != 6 {
		t.Errorf("got %x with %d bytes read, want %x with 6", got, read, want)
	}
}

// A memory that is damaged, or not of this program's making, is no memory.
func TestDamagedMemory(t *testing.T) {
	a := newAlbum(t, map[string]string{"a.jpg": "first"})
	a.look("a.jpg")
	whole := must.Get(os.ReadFile(a.memory))(t)
	for name, text := range map[string]string{
		"empty": "", "cut off": string(whole[:len(whole)/2]), "null": "null", "a list": "[1]",
		"short digest": strings.Replace(string(whole), `"Digest":"`, `"Digest":"AAAA","Was":"`, 1),
	} {
		must.Do(t, os.WriteFile(a.memory, []byte(text), 0o644))
		if got, read := a.look("a.jpg"); !reflect.DeepEqual(got, [][]byte{digest("first")}) || read != 5 {
			t.Errorf("%s: got %x with %d bytes read, want %x with 5", name, got, read, digest("first"))
		}
	}
}

// A file that changed a moment ago is read again next time: a second change within a step of the clock would be unseen.
func TestUnsettledFilesAreReadAgain(t *testing.T) {
	a := newAlbum(t, map[string]string{"a.jpg": "first"})
	for range 2 {
		p := openMemory(a.folder, a.memory)
		p.least, p.settled = 1, time.Hour
		if got, err := p.digests([]string{"a.jpg"}); err != nil || !reflect.DeepEqual(got, [][]byte{digest("first")}) ||
			p.read.Load() != 5 {
			t.Errorf("got %x with %d bytes read (%v), want %x with 5", got, p.read.Load(), err, digest("first"))
		}
	}
}

// Few bytes leave no file behind, and a place that cannot be written is told while the digests stay right.
func TestMemoryIsOptional(t *testing.T) {
	a := newAlbum(t, map[string]string{"a.jpg": "first"})
	if _, err := openMemory(a.folder, a.memory).digests([]string{"a.jpg"}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(a.memory); !os.IsNotExist(err) {
		t.Errorf("five bytes are remembered: %v", err)
	}
	a.write("file", "")
	p := openMemory(a.folder, filepath.Join(a.folder, "file", "memory.json"))
	p.least = 1
	if got, err := p.digests([]string{"a.jpg"}); err == nil || !reflect.DeepEqual(got, [][]byte{digest("first")}) {
		t.Errorf("got %x and %v, want %x and an error", got, err, digest("first"))
	}
}

// Folders that lie at different places have memories of their own, below the user's cache folder.
func TestMemoryOf(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	one := must.Get(memoryOf("one"))(t)
	other, err := memoryOf("other")
	if err != nil || one == other {
		t.Errorf("got %s and %s (%v), want two", one, other, err)
	}
	if runtime.GOOS == "linux" && filepath.Dir(one) != filepath.Join(cache, "vlpx", "pictures") {
		t.Errorf("got %s, want it in %s", one, cache)
	}
}
