package cifar

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

// record is one with some labels whose red is the column, green the row and blue a number.
func record(blue int, labels ...byte) string {
	r := labels
	for i := range plane {
		r = append(r, byte(i%side))
	}
	for i := range plane {
		r = append(r, byte(i/side))
	}
	return string(r) + strings.Repeat(string([]byte{byte(blue)}), plane)
}

// records are n of CIFAR-10, of class and blue i mod 10 from first on.
func records(first, n int) string {
	var all strings.Builder
	for i := first; i < first+n; i++ {
		all.WriteString(record(i%10, byte(i%10)))
	}
	return all.String()
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(w.Write([]byte(text)))(t)
	must.Do(t, w.Close())
	return b.String()
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func split(t *testing.T, c *Collection, name string) *Set {
	t.Helper()
	s := must.Get(c.Split(name))(t)
	return s.(*Set)
}

// batches is CIFAR-10 in its five files, the third gzipped, of six records each.
func batches(t *testing.T) map[string]string {
	files := map[string]string{"test_batch.bin": records(7, 3),
		namesOf10: "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntow_truck\n\n"}
	for k := range 5 {
		files[fmt.Sprintf("data_batch_%d.bin", k+1)] = records(6*k, 6)
	}
	files["data_batch_3.bin.gz"] = gzipped(t, files["data_batch_3.bin"])
	delete(files, "data_batch_3.bin")
	return files
}

func TestCIFAR10(t *testing.T) {
	c := must.Get(Open(folder(t, batches(t))))(t)
	if c.Name() != "CIFAR-10" || !slices.Equal(c.Splits(), []string{"train", "val", "test"}) {
		t.Errorf("got %q with %q", c.Name(), c.Splits())
	}
	for _, want := range []struct {
		split    string
		n, first int
	}{{"train", 27, 0}, {"val", 3, 27}, {"test", 3, 7}} {
		s := split(t, c, want.split)
		if s.Len() != want.n || s.Name() != "CIFAR-10/"+want.split || len(datasets.Pairs(s)) != want.n {
			t.Errorf("got %s of %d images and %d pairs, want %s of %d", s.Name(), s.Len(), len(datasets.Pairs(s)), want.split, want.n)
		}
		for i := range s.Len() {
			class := (want.first + i) % 10
			img := must.Get(s.Image(t.Context(), i))(t)
			if got, want := img.At(5, 20), (color.NRGBA{5, 20, byte(class), 255}); s.Class(i) != class || got != want ||
				img.Bounds() != image.Rect(0, 0, 32, 32) {
				t.Errorf("%s: got class %d and %v of %v, want class %d and %v", s.Key(i), s.Class(i), got, img.Bounds(), class, want)
			}
		}
	}
	if s := split(t, c, "val"); s.Classes()[9] != "tow truck" || s.Key(1) != "val-000001" {
		t.Errorf("got class %q and key %q", s.Classes()[9], s.Key(1))
	}
	if _, err := c.Split("dev"); err == nil || err.Error() != `CIFAR-10: no split "dev"; there are [train val test]` {
		t.Errorf("an unknown split: got error %v", err)
	}
}

// The class of CIFAR-100 is the second label; names come from a list or JSON, and where there are none they are numbers.
func TestCIFAR100(t *testing.T) {
	var train strings.Builder
	for i := range 20 {
		train.WriteString(record(i, byte(i), byte(5*i)))
	}
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("aquarium_fish_%d", i)
	}
	for what, c := range map[string]struct{ file, text, want string }{
		"list":  {namesOf100, strings.Join(names, "\r\n"), "aquarium fish 95"},
		"JSON":  {namesInJSON, `{"fine": ["` + strings.Join(names, `","`) + `"]}`, "aquarium fish 95"},
		"other": {namesInJSON, `{"rough": []}`, "class 95"},
		"none":  {"readme.txt", "", "class 95"},
	} {
		collection, err := Open(folder(t, map[string]string{"train.bin": train.String(), c.file: c.text}))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := collection.Splits(); !slices.Equal(got, []string{"train", "val"}) || collection.Name() != "CIFAR-100" {
			t.Errorf("%s: got %s with splits %q, want no test", what, collection.Name(), got)
		}
		s := split(t, collection, "val") // the last two
		if got := s.Classes()[s.Class(1)]; s.Len() != 2 || s.Class(0) != 90 || got != c.want {
			t.Errorf("%s: got classes %d and %q of %d images, want 90 and %q of 2", what, s.Class(0), got, s.Len(), c.want)
		}
	}
}

// By its coarse classes CIFAR-100 is another collection of the same images.
func TestCoarse(t *testing.T) {
	var train strings.Builder
	for i := range 20 {
		train.WriteString(record(i, byte(i), byte(5*i)))
	}
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprintf("large_animals_%d", i)
	}
	for what, c := range map[string]struct{ file, text, want string }{
		"list": {namesOf20, strings.Join(names, "\n"), "large animals 19"},
		"JSON": {namesInJSON, `{"fine": ["a"], "coarse": ["` + strings.Join(names, `","`) + `"]}`, "large animals 19"},
		"none": {"readme.txt", "", "class 19"},
	} {
		dir := folder(t, map[string]string{"train.bin": train.String(), c.file: c.text})
		coarse, err := OpenCoarse(dir)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		s := split(t, coarse, "val") // the last two
		if got := s.Classes()[s.Class(1)]; s.Len() != 2 || s.Class(0) != 18 || got != c.want || len(s.Classes()) != 20 ||
			coarse.Name() != "CIFAR-100 coarse" {
			t.Errorf("%s: got class %d, then %q of %d, of %s, want 18 and %q of 20", what, s.Class(0), got, len(s.Classes()),
				coarse.Name(), c.want)
		}
		if fine, err := Open(dir); what != "JSON" && (err != nil || fine.Hash() == coarse.Hash()) {
			t.Errorf("%s: the hash is that of the fine classes (%v)", what, err)
		}
	}
	must.Fail(t, must.Err(OpenCoarse(folder(t, batches(t)))), "CIFAR-10 has no coarse classes", "CIFAR-10")
	must.Fail(t, must.Err(OpenCoarse(folder(t, map[string]string{"train.bin": train.String(), namesOf20: "a\nb"}))),
		"coarse_label_names.txt: 2 names of the 20 classes of CIFAR-100 coarse", "two names")
}

func TestMistakes(t *testing.T) {
	whole := batches(t)
	with := func(name, text string) map[string]string {
		files := map[string]string{}
		for k, v := range whole {
			files[k] = v
		}
		if files[name] = text; text == "" {
			delete(files, name)
		}
		return files
	}
	all := whole["data_batch_2.bin"]
	packed := whole["data_batch_3.bin.gz"]
	for want, files := range map[string]map[string]string{
		"data_batch_2.bin: cut off in record 5, at byte 15465: a record of CIFAR-10 has 3073 bytes": with("data_batch_2.bin",
			all[:5*3073+100]),
		"data_batch_3.bin.gz: cut off in record ":                      with("data_batch_3.bin.gz", packed[:len(packed)-9]),
		"data_batch_3.bin.gz: cut off at the gzip header":              with("data_batch_3.bin.gz", packed[:5]),
		"data_batch_2.bin: record 1, at byte 3073: label 10; ":         with("data_batch_2.bin", record(0, 1)+record(0, 10)),
		"data_batch_4.bin: file does not exist; put it there":          with("data_batch_4.bin", ""),
		"neither train.bin nor data_batch_1.bin, plain or .gz":         with("data_batch_1.bin", ""),
		"batches.meta.txt: 2 names of the 10 classes of CIFAR-10":      with(namesOf10, "a\nb"),
		"train.bin: record 0, at byte 0: label 20; those of CIFAR-100": {"train.bin": record(0, 20, 1)},
		"train.bin: record 1, at byte 3075: label 100; ":               {"train.bin": record(0, 1, 1) + record(0, 19, 100)},
		"meta.json: unexpected end of JSON input; mend it":             {"train.bin": record(0, 1, 1), namesInJSON: "{"},
		"9 training records; the last tenth":                           {"train.bin": strings.Repeat(record(0, 1, 1), 9)},
		"train.bin: the file is empty":                                 {"train.bin": ""},
	} {
		dir := folder(t, files)
		if _, err := Open(dir); err == nil || !strings.HasPrefix(err.Error(), "cifar: "+dir+": "+want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}

func TestHash(t *testing.T) {
	hash := func(change func(files map[string]string)) string {
		files := batches(t)
		change(files)
		c := must.Get(Open(folder(t, files)))(t)
		return c.Hash()
	}
	plain := hash(func(map[string]string) {})
	packed := hash(func(f map[string]string) {
		f["test_batch.bin.gz"] = gzipped(t, f["test_batch.bin"])
		delete(f, "test_batch.bin")
	})
	if packed != plain {
		t.Errorf("packed: got %s, want %s", packed, plain)
	}
	for what, change := range map[string]func(map[string]string){
		"a pixel": func(f map[string]string) {
			f["data_batch_1.bin"] = f["data_batch_1.bin"][:9999] + "?" + f["data_batch_1.bin"][10000:]
		},
		"a name":  func(f map[string]string) { f[namesOf10] = strings.Replace(f[namesOf10], "cat", "dog", 1) },
		"no test": func(f map[string]string) { delete(f, "test_batch.bin") },
	} {
		if hash(change) == plain {
			t.Errorf("%s: the hash stays %s", what, plain)
		}
	}
}

func TestImageErrors(t *testing.T) {
	c := must.Get(Open(folder(t, batches(t))))(t)
	s := split(t, c, "test")
	for _, i := range []int{-1, 3} {
		if _, err := s.Image(t.Context(), i); err == nil || !strings.HasSuffix(err.Error(), "indices run from 0 to 2") {
			t.Errorf("Image(%d): got error %v", i, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Image(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}

// A file that unpacks to far more records than there are is refused before it fills the memory.
func TestTooManyRecords(t *testing.T) {
	_, err := cifar10.parse(endless{})
	must.Fail(t, err, "more than 100000 records")
}

// endless is a file of zeros without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Whatever the bytes, they are whole records with labels in range, kept as they are, or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(records(0, 2)), false)
	f.Add([]byte(record(0, 19, 99)), true)
	f.Add([]byte(record(0, 20, 99)), true)
	f.Add([]byte(records(0, 1))[:700], false)
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, data []byte, hundred bool) {
		v := cifar10
		if hundred {
			v = cifar100
		}
		got, err := v.parse(bytes.NewReader(data))
		good := len(data) > 0 && len(data)%v.size() == 0
		for at := 0; good && at < len(data); at += v.size() {
			for k, limit := range v.limits {
				good = good && int(data[at+k]) < limit
			}
		}
		if (err == nil) != good || err == nil && !bytes.Equal(got, data) {
			t.Fatalf("%d bytes of %s: error %v, want records: %v", len(data), v.name, err, good)
		}
		if good {
			s := &Set{format: v, data: got}
			img, err := s.Image(t.Context(), s.Len()-1)
			if last := data[len(data)-1]; err != nil || img.At(31, 31).(color.NRGBA).B != last || s.Class(0) >= v.classes() {
				t.Fatalf("the last image is %v (%v), want it to end in blue %d", img, err, last)
			}
		}
	})
}

// TestSubset is CIFAR-100's, shuffled: a hundred images of each class to train and validate, twenty to test.
func TestSubset(t *testing.T) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA does not name a folder with cifar100/")
	}
	c := must.Get(Open(filepath.Join(root, "cifar100")))(t)
	seen := map[string]map[string]int{}
	for name, want := range map[string]int{"train": 9000, "val": 1000, "test": 2000} {
		s := split(t, c, name)
		if s.Len() != want {
			t.Errorf("%s: got %d images, want %d", name, s.Len(), want)
		}
		seen[name] = map[string]int{}
		for i := range s.Len() {
			seen[name][s.Classes()[s.Class(i)]]++
		}
	}
	for class, n := range seen["train"] {
		if n += seen["val"][class]; n != 100 || seen["test"][class] != 20 {
			t.Errorf("%s: got %d images to train and validate and %d to test, want 100 and 20", class, n, seen["test"][class])
		}
	}
	if len(seen["train"]) != 100 || seen["train"]["aquarium fish"] == 0 {
		t.Errorf("got %d classes, want a hundred with aquarium fish", len(seen["train"]))
	}
	coarse := must.Get(OpenCoarse(filepath.Join(root, "cifar100")))(t)
	of := map[int]int{} // the coarse class of each fine one
	for fine, large, i := split(t, c, "train"), split(t, coarse, "train"), 0; i < fine.Len(); i++ {
		if k, known := of[fine.Class(i)]; known && k != large.Class(i) {
			t.Errorf("%s is of %s and of %s", fine.Classes()[fine.Class(i)], large.Classes()[k], large.Classes()[large.Class(i)])
		}
		of[fine.Class(i)] = large.Class(i)
	}
	if s := split(t, coarse, "test"); s.Classes()[s.Class(0)] != "fruit and vegetables" {
		t.Errorf("an apple is of %s", s.Classes()[s.Class(0)])
	}
	// The file names of meta.json tell the class of each test image: the first is an apple, the second a bus, the third a rocket.
	s := split(t, c, "test")
	for i, want := range []string{"apple", "bus", "rocket"} {
		if got := s.Classes()[s.Class(i)]; got != want {
			t.Errorf("test image %d: got %s, want %s", i, got, want)
		}
	}
}
