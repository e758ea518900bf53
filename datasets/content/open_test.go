package content

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// A pipe is refused by its name, and so is a folder; opening them does not wait.
func TestRegular(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "dataset_x.json")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{pipe, dir, os.DevNull} {
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := Picture(name); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s as a picture: got %v", name, err)
		}
	}
}

// A file that is absurdly long is refused by its size: as a list of images, and as a picture, which counts as one that cannot be read.
func TestAbsurdlyLongFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dataset_x.json", "a.png"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte("{"), 0o644))
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Skip(err)
		}
		began := time.Now()
		must.Fail(t, must.Err(Open(path)), name+" has 1099511627776 bytes; such a file has at most")
		must.Fail(t, must.Err(Picture(path)), name+" has 1099511627776 bytes; such a file has at most")
		var digest strings.Builder
		must.Do(t, Digest(dir, []string{name}, &digest))
		if want := "unreadable " + name + "\n"; digest.String() != want {
			t.Errorf("the digest has %q, want %q", &digest, want)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("that took %v", took)
		}
	}
}

// More bytes than the bound are an error, not the end.
func TestBounded(t *testing.T) {
	if text, err := io.ReadAll(&bounded{strings.NewReader("12345"), 5}); err != nil || string(text) != "12345" {
		t.Errorf("got %q (%v)", text, err)
	}
	if _, err := io.ReadAll(&bounded{strings.NewReader("123456"), 5}); err == nil || !strings.Contains(err.Error(), "unpacks to more than") {
		t.Errorf("got %v", err)
	}
}

// An image whose header claims absurd dimensions is refused by them.
func TestAbsurdDimensions(t *testing.T) {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), 100_000), 100_000)
	header = append(header, 8, 6, 0, 0, 0)
	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	png = binary.BigEndian.AppendUint32(png, crc32.ChecksumIEEE(header))
	png = append(png, "\x00\x00\x00\x01IDAT\x00"...)
	if _, err := Decode(bytes.NewReader(png)); err == nil || !strings.Contains(err.Error(), "100000 x 100000") {
		t.Errorf("got %v", err)
	}
}

// An entry of a list that is absurdly long is refused by its name, however long the list may be.
func TestLongEntry(t *testing.T) {
	read := func(caption string, times int) (n int, err error) {
		o := Object{Fields: map[string]func(*Object) error{
			"images": Each("images", "image", func(int, string) error { n++; return nil }),
		}}
		entries := strings.TrimSuffix(strings.Repeat(`"`+caption+`",`, times), ",")
		return n, o.Read(strings.NewReader(`{"images": [` + entries + `], "rest": 1}`))
	}
	if _, err := read(strings.Repeat("a", 3*mostOfEntry), 1); err == nil || !strings.Contains(err.Error(), "image 0: it is longer than") {
		t.Errorf("got %v", err)
	}
	if _, err := read(strings.Repeat("a", mostOfEntry/4), 20); err != nil {
		t.Errorf("a long list: %v", err)
	}
}

// What nobody reads of an object is passed over without being held, as far as it is no bomb: a text of gigabytes, blanks between values or
// behind the object, lists in lists without end.
func TestBombsInAnObject(t *testing.T) {
	for text, want := range map[string]string{
		`{"other": "` + strings.Repeat("a", 3*mostOfEntry):                                   `field "other": it is longer than`,
		`{` + strings.Repeat(" ", 3*mostOfEntry):                                             "it is longer than",
		`{"images": []}` + strings.Repeat(" ", 3*mostOfEntry):                                "there is more after the end",
		`{"name": "` + strings.Repeat("a", 3*mostOfEntry) + `"}`:                             `"name": it is longer than`,
		`{"other": ` + strings.Repeat("[", 20_000):                                           `field "other": it nests too deeply`,
		`{"other": [` + strings.Repeat(`"`+strings.Repeat("a", 1<<20)+`",`, mostSkipped>>20): `field "other": it is longer than`,
		`{"other": [1, {"a": [null, "b"]}, []], "images": ["a"]}`:                            "",
	} {
		var name string
		o := Object{Fields: map[string]func(*Object) error{
			"images": Each("images", "image", func(int, string) error { return nil }), "name": Value("name", &name),
		}}
		err := o.Read(strings.NewReader(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.30s: got %v, want %q", text, err, want)
		}
	}
}

// A file that is read whole is refused unread where it is too long, and where it is a pipe.
func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vocab.txt")
	if err := os.WriteFile(path, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadFile(path); err != nil || string(text) != "words" {
		t.Errorf("got %q (%v)", text, err)
	}
	if err := os.Truncate(path, LongestText+1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "such a file has at most") {
		t.Errorf("a long file: got %v", err)
	}
	if _, err := ReadFile(os.DevNull); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a device: got %v", err)
	}
}
