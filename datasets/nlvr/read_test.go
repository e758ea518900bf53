package nlvr

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

const file = `{"validation": {"3": "True"}, "sentence": "A dog.", "left_url": "https://x/a.jpg", "identifier": "train-10171-0-0", "label": "True", "directory": 18, "synset": "dog"}

{"sentence": "Two dogs.", "identifier": "train-10171-0-1", "label": "False", "directory": 18}
{"sentence": "A cat.", "identifier": "dev-850-2-0", "label": "False"}`

func TestRead(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(file))
	w.Close()
	want := []Statement{
		{"train-10171-0-0", "train-10171-0-img0.png", "train-10171-0-img1.png", "train/18", "A dog.", true},
		{"train-10171-0-1", "train-10171-0-img0.png", "train-10171-0-img1.png", "train/18", "Two dogs.", false},
		{"dev-850-2-0", "dev-850-2-img0.png", "dev-850-2-img1.png", "dev", "A cat.", false},
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{"train.json": []byte(file), "ends.json": []byte(file + "\r\n"),
		"train.json.gz": packed.Bytes()} {
		name = filepath.Join(dir, name)
		must.Do(t, os.WriteFile(name, content, 0o666))
		if got, err := Read(name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v (%v), want %+v", name, got, err, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	replace := func(old, new string) string { return strings.Replace(file, old, new, 1) }
	for content, want := range map[string]string{
		"\n":                                     "no statements",
		"[]":                                     "line 1: not a statement of NLVR2",
		file[:len(file)-5]:                       "line 4: not a statement of NLVR2",
		replace("dev-850-2-0", "dev-850-2"):      `line 4: the identifier "dev-850-2"`,
		replace("dev-850-2-0", "../dev-850-2-0"): `line 4: the identifier "../dev-850-2-0"`,
		replace("dev-850-2-0", "train-10171-0-1"):                 `line 4: the identifier "train-10171-0-1" is that of line 3, too`,
		replace("A cat.", ""):                                     "line 4: dev-850-2-0: no sentence",
		replace(`-0", "label": "False"`, `-0"`):                   "line 4: dev-850-2-0: no label",
		replace(`-0", "label": "False"`, `-0", "label": "false"`): `line 4: dev-850-2-0: the label false; want "True" or "False"`,
		replace(`"directory": 18`, `"directory": "a"`):            "line 1: not a statement of NLVR2",
	} {
		name := filepath.Join(dir, "dev.json")
		must.Do(t, os.WriteFile(name, []byte(content), 0o666))
		if _, err := Read(name); err == nil || !strings.HasPrefix(err.Error(), "nlvr: dev.json: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	name := filepath.Join(dir, "cut.json.gz")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(file))
	w.Close()
	must.Do(t, os.WriteFile(name, packed.Bytes()[:packed.Len()-12], 0o666))
	must.Fail(t, must.Err(Read(name)), "cut.json.gz: cut off at line")
	must.Fail(t, must.Err(Read(filepath.Join(dir, "absent.json"))), "absent.json")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte(file[:300]))
	f.Add([]byte(`{"identifier": "test1-0-0-0", "sentence": "a", "label": true}` + "\nnull"))
	f.Fuzz(func(t *testing.T, content []byte) {
		statements, err := parse(bytes.NewReader(content))
		if (len(statements) == 0) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", statements, err)
		}
		seen := map[string]bool{}
		for _, s := range statements {
			if seen[s.ID] || !filepath.IsLocal(s.Left) || !filepath.IsLocal(filepath.FromSlash(s.Folder)) || s.Text == "" {
				t.Fatalf("accepted %+v", s)
			}
			seen[s.ID] = true
		}
	})
}
