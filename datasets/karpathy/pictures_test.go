package karpathy

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// album is a folder of files with a memory, which remembers anything at once.
type album struct {
	t              *testing.T
	folder, memory string
}

func newAlbum(t *testing.T, files map[string]string) album {
	dir := t.TempDir()
	a := album{t, filepath.Join(dir, "images"), filepath.Join(dir, "cache", "memory.json")}
	if err := os.Mkdir(a.folder, 0o755); err != nil {
		t.Fatal(err)
	}
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
	p := openPictures(a.folder, a.memory)
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
	was, err := os.Stat(filepath.Join(a.folder, "b.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // more than the step of the system's clock
	a.write("b.jpg", "sEcond")
	modified := was.ModTime()
	if runtime.GOOS != "linux" {
		modified = modified.Add(time.Second)
	}
	if err := os.Chtimes(filepath.Join(a.folder, "b.jpg"), modified, modified); err != nil {
		t.Fatal(err)
	}
	want[1] = digest("sEcond")
	if got, read := a.look("a.jpg", "b.jpg", "gone.jpg"); !reflect.DeepEqual(got, want) || read != 6 {
		t.Errorf("got %x with %d bytes read, want %x with 6", got, read, want)
	}
}

// A memory that is damaged, or not of this program's making, is no memory.
func TestDamagedMemory(t *testing.T) {
	a := newAlbum(t, map[string]string{"a.jpg": "first"})
	a.look("a.jpg")
	whole, err := os.ReadFile(a.memory)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty": "", "cut off": string(whole[:len(whole)/2]), "null": "null", "a list": "[1]", "short digest": strings.Replace(string(whole), `"Digest":"`, `"Digest":"AAAA","Was":"`, 1),
	} {
		if err := os.WriteFile(a.memory, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, read := a.look("a.jpg"); !reflect.DeepEqual(got, [][]byte{digest("first")}) || read != 5 {
			t.Errorf("%s: got %x with %d bytes read, want %x with 5", name, got, read, digest("first"))
		}
	}
}

// A file that changed a moment ago is read again next time: a second change within a step of the clock would be unseen.
func TestUnsettledFilesAreReadAgain(t *testing.T) {
	a := newAlbum(t, map[string]string{"a.jpg": "first"})
	for range 2 {
		p := openPictures(a.folder, a.memory)
		p.least, p.settled = 1, time.Hour
		if got, err := p.digests([]string{"a.jpg"}); err != nil || !reflect.DeepEqual(got, [][]byte{digest("first")}) || p.read.Load() != 5 {
			t.Errorf("got %x with %d bytes read (%v), want %x with 5", got, p.read.Load(), err, digest("first"))
		}
	}
}

// Few bytes leave no file behind, and a place that cannot be written is told while the digests stay right.
func TestMemoryIsOptional(t *testing.T) {
	a := newAlbum(t, map[string]string{"a.jpg": "first"})
	if _, err := openPictures(a.folder, a.memory).digests([]string{"a.jpg"}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(a.memory); !os.IsNotExist(err) {
		t.Errorf("five bytes are remembered: %v", err)
	}
	a.write("file", "")
	p := openPictures(a.folder, filepath.Join(a.folder, "file", "memory.json"))
	p.least = 1
	if got, err := p.digests([]string{"a.jpg"}); err == nil || !reflect.DeepEqual(got, [][]byte{digest("first")}) {
		t.Errorf("got %x and %v, want %x and an error", got, err, digest("first"))
	}
}

// A collection whose images cannot be remembered says so, since each Open then takes as long as the first.
func TestForgetfulCollection(t *testing.T) {
	dir := pets(t, nil)
	if err := os.Truncate(filepath.Join(dir, "images", "c.jpg"), worthRemembering); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "dataset_pets.json"))
	if runtime.GOOS != "linux" {
		t.Skip("the cache folder's place is named by XDG_CACHE_HOME on Linux alone")
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	skipped := c.Skipped()
	if last := skipped[len(skipped)-1].Error(); !strings.Contains(last, "cannot be remembered") || !strings.Contains(last, "dataset_pets.json") {
		t.Errorf("got %q, want it to say that the images cannot be remembered, and where", last)
	}
}

// Folders that lie at different places have memories of their own, below the user's cache folder.
func TestMemoryOf(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	one, err := memoryOf("one")
	if err != nil {
		t.Fatal(err)
	}
	other, err := memoryOf("other")
	if err != nil || one == other {
		t.Errorf("got %s and %s (%v), want two", one, other, err)
	}
	if runtime.GOOS == "linux" && filepath.Dir(one) != filepath.Join(cache, "vlpx", "pictures") {
		t.Errorf("got %s, want it in %s", one, cache)
	}
}

// An unreadable image is part of the identity, too, and is not taken for an empty one.
func TestUnreadableImagesAreInTheHash(t *testing.T) {
	hash := func(make func(path string) error) string {
		dir := pets(t, nil)
		path := filepath.Join(dir, "images", "c.jpg")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		c, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		return c.Hash()
	}
	dangling := hash(func(path string) error { return os.Symlink("nowhere", path) })
	empty := hash(func(path string) error { return os.WriteFile(path, nil, 0o644) })
	linked := hash(func(path string) error { return os.Symlink("a.jpg", path) })
	whole := hash(func(path string) error { return os.WriteFile(path, photoBytes(t), 0o644) })
	if dangling == empty || dangling == whole {
		t.Errorf("got %s for a dangling link, %s for an empty file, %s for a whole one, want three hashes", dangling, empty, whole)
	}
	if linked != whole {
		t.Errorf("got %s for a link to the same content, want %s", linked, whole)
	}
}
