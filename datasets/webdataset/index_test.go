package webdataset

import (
	"archive/tar"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// entry is a file of a shard; a name that ends in a slash is a folder.
type entry struct{ name, text string }

// shard is a tar of entries.
func shard(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Size: int64(len(e.text)), Mode: 0o644, Typeflag: tar.TypeReg}
		if strings.HasSuffix(e.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		must.Do(t, w.WriteHeader(header))
		must.Get(io.WriteString(w, e.text))(t)
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

// pictures reads a whole shard, one entry after another, and returns the first picture of each key.
func pictures(data []byte) map[string]string {
	found := map[string]string{}
	r := tar.NewReader(bytes.NewReader(data))
	for {
		header, err := r.Next()
		if err != nil {
			return found
		}
		key, ending := split(header.Name)
		text, err := io.ReadAll(r)
		if header.Typeflag == tar.TypeReg && err == nil && len(text) > 0 &&
			slices.Contains([]string{"jpg", "jpeg", "png", "webp"}, ending) && found[key] == "" {
			found[key] = string(text)
		}
	}
}

func mustIndex(t testing.TB, data []byte) indexed {
	t.Helper()
	found := must.Get(index(bytes.NewReader(data)))(t)
	return found
}

func TestSplitOfNames(t *testing.T) {
	for name, want := range map[string][2]string{
		"000.jpg": {"000", "jpg"}, "a/b.c/000.seg.PNG": {"a/b.c/000", "seg.png"}, "./0.txt": {"./0", "txt"}, "a.b/c": {"a.b/c", ""},
		".hidden.jpg": {".hidden.jpg", ""}, "a/._0.jpg": {"a/._0.jpg", ""}, "": {"", ""}, "0.": {"0", ""},
	} {
		if key, ending := split(name); key != want[0] || ending != want[1] {
			t.Errorf("%q: got %q and %q, want %q", name, key, ending, want)
		}
	}
}

// Samples stand in the order of their first entries, and their pictures where a reader of the whole finds them.
func TestIndex(t *testing.T) {
	data := shard(t, entry{"a/", ""}, entry{"a/0.txt", " two cats\n"}, entry{"a/0.jpg", strings.Repeat("0", 700)},
		entry{"a/0.json", `{"caption": "other"}`},
		entry{"1.png", "1"}, entry{"2.cls", "7\n"}, entry{"1.json", `{"caption": "a dog", "width": 3}`},
		entry{"2.WebP", strings.Repeat("2", 512)},
		entry{"2.npy", "left alone"}, entry{"3.jpg", "3"}, entry{"3.json", "no JSON"}, entry{"4.jpg", "\xff"}, entry{"4.txt", "caf\xe9"},
		entry{strings.Repeat("long/", 60) + "5.jpg", "5"}, entry{".x.jpg", "hidden"})
	found := mustIndex(t, data)
	if found.cut != nil || len(found.skipped) > 0 {
		t.Errorf("got %v left out and %v, want nothing", found.skipped, found.cut)
	}
	whole := pictures(data)
	for i, want := range []struct {
		key, caption string
		class        int
	}{
		{"a/0", "two cats", -1}, {"1", "a dog", -1}, {"2", "", 7}, {"3", "", -1}, {"4", "caf\uFFFD", -1},
		{strings.Repeat("long/", 60) + "5", "", -1},
	} {
		s := found.samples[i]
		if s.key != want.key || s.caption() != want.caption || s.class != want.class {
			t.Errorf("sample %d: got %q, %q and class %d, want %+v", i, s.key, s.caption(), s.class, want)
		}
		if got := string(data[s.offset : s.offset+s.size]); got != whole[s.key] {
			t.Errorf("%s: got a picture of %d bytes, want one of %d", s.key, len(got), len(whole[s.key]))
		}
	}
	if len(found.samples) != len(whole) {
		t.Errorf("got %d samples, want %d", len(found.samples), len(whole))
	}
}

func TestOmissions(t *testing.T) {
	found := mustIndex(t, shard(t, entry{"0.txt", "no picture"}, entry{"1.jpg", "a"}, entry{"1.png", "b"}, entry{"2.jpg", ""},
		entry{"3.jpg", "a"}, entry{"3.cls", "cat"}, entry{"4.jpg", "a"}, entry{"4.cls", "-1"}, entry{"5.jpg", "a"},
		entry{"5.txt", strings.Repeat("x", maxText+1)},
		entry{"6.jpg", "a"}, entry{"6.cls", "1048576"}))
	want := []omitted{
		{"the sample has a picture before this one; drop one of them", "1.png"},
		{"no picture, .jpg, .jpeg, .png or .webp; put one beside it", "0"},
		{"the picture is empty; get it again", "2"},
		{"no class from 0 to 1048575 in its .cls; write one", "3"},
		{"no class from 0 to 1048575 in its .cls; write one", "4"},
		{"a text of more than 1048576 bytes; shorten it", "5"},
		{"no class from 0 to 1048575 in its .cls; write one", "6"},
	}
	if !slices.Equal(found.skipped, want) {
		t.Errorf("left out: got %q, want %q", found.skipped, want)
	}
	if len(found.samples) != 1 || found.samples[0].key != "1" {
		t.Errorf("got %+v, want sample 1 alone", found.samples)
	}
}

// Links and files that do not lie in the shard as they are, are left out.
func TestLinks(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink} {
		must.Do(t, w.WriteHeader(&tar.Header{Name: "0.jpg", Linkname: "/etc/passwd", Typeflag: kind}))
	}
	must.Do(t, w.Close())
	if found := mustIndex(t, b.Bytes()); len(found.samples) > 0 || len(found.skipped) != 2 {
		t.Errorf("got %+v, want two entries left out", found)
	}
}

// Wherever a shard is cut, what lies before the cut is found, and the cut is told with its byte.
func TestCutShards(t *testing.T) {
	whole := shard(t, entry{"0.jpg", strings.Repeat("a", 600)}, entry{"0.txt", "a"}, entry{"1.jpg", strings.Repeat("b", 100)},
		entry{"1.txt", "b"})
	all := mustIndex(t, whole)
	const marks = 2 * 512
	for cut := range len(whole) {
		found := mustIndex(t, whole[:cut])
		if cut < len(whole)-marks && (found.cut == nil || !strings.Contains(found.cut.Error(), "byte ")) {
			t.Fatalf("cut at byte %d: got %v, want an error with the byte", cut, found.cut)
		}
		want := 0
		for _, s := range all.samples {
			if s.offset+s.size <= int64(cut) {
				want++
			}
		}
		if len(found.samples) != want {
			t.Fatalf("cut at byte %d: got %d samples, want %d", cut, len(found.samples), want)
		}
	}
	damaged := slices.Clone(whole)
	damaged[1536+3] ^= 0xff // in the name of the second header
	if found := mustIndex(t, damaged); len(found.samples) != 1 || found.cut == nil ||
		!strings.Contains(found.cut.Error(), "damaged at byte 1536") {
		t.Errorf("a damaged header: got %+v, want one sample and the byte", found)
	}
}

func TestRefusedShards(t *testing.T) {
	for want, data := range map[string][]byte{
		`the entry "../x.jpg" lies outside`:      shard(t, entry{"0.jpg", "a"}, entry{"../x.jpg", "b"}),
		`the entry "/etc/x.jpg" lies outside`:    shard(t, entry{"/etc/x.jpg", "b"}),
		`the entry "a/../../x.jpg" lies outside`: shard(t, entry{"a/../../x.jpg", "b"}),
		"unpack it with gunzip":                  {0x1f, 0x8b, 8, 0},
	} {
		must.Fail(t, must.Err(index(bytes.NewReader(data))), want)
	}
}

// Whatever the bytes, a sample is a picture that a reader of the whole finds, too, and no key is there twice.
func FuzzIndex(f *testing.F) {
	whole := shard(f, entry{"a/0.jpg", strings.Repeat("a", 600)}, entry{"a/0.txt", "a"}, entry{"1.cls", "3"}, entry{"1.png", "b"},
		entry{"1.json", `{"caption":"c"}`})
	f.Add(whole)
	f.Add(whole[:1700])
	f.Add(shard(f, entry{"../0.jpg", "a"}))
	f.Add(shard(f, entry{strings.Repeat("long/", 60) + "0.jpg", "a"}))
	f.Add([]byte{0x1f, 0x8b})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := index(bytes.NewReader(data))
		if err != nil {
			if len(found.samples) > 0 {
				t.Fatalf("samples %+v beside the error %v", found.samples, err)
			}
			return
		}
		want, seen := pictures(data), map[string]bool{}
		for _, s := range found.samples {
			if seen[s.key] || s.offset < 0 || s.size < 1 || s.offset+s.size > int64(len(data)) || s.class < noClass || s.class >= maxClass {
				t.Fatalf("sample %+v of %d bytes", s, len(data))
			}
			seen[s.key] = true
			if got := string(data[s.offset : s.offset+s.size]); got != want[s.key] {
				t.Fatalf("%q: got the picture %q, want %q", s.key, got, want[s.key])
			}
		}
	})
}
