package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// A result that was edited is not read; one as it was written, or of an older version, is.
func TestSeal(t *testing.T) {
	s, r := OpenStore(t.TempDir()), Run{}
	path := filepath.Join(s.Dir(r), resultName)
	must.Do(t, os.MkdirAll(s.Dir(r), 0o755))
	write := func(code string) []byte {
		must.Do(t, s.publish(r, resultName, Result{ID: r.ID(), Code: code, Metrics: map[string]float64{"TR@1": 12.5},
			Updated: &Update{Code: "x"}}))
		return must.Get(os.ReadFile(path))(t)
	}
	written := write("0123456789abcdef")
	if at := store.Seal.FindSubmatchIndex(written); at == nil || !json.Valid(written) {
		t.Fatalf("got the file %s, want JSON that ends with a sum", written)
	}
	stripped := func(text []byte) []byte { return store.Seal.ReplaceAll(text, []byte("\n}\n")) }
	for what, c := range map[string]struct {
		text  []byte
		found bool
	}{
		"as written":          {written, false},
		"of an older version": {stripped(write("")), false},
		"without its sum":     {stripped(written), true},
		"edited":              {bytes.Replace(written, []byte("12.5"), []byte("92.5"), 1), true},
		"with a space more":   {bytes.Replace(written, []byte("12.5"), []byte("12.5 "), 1), true},
	} {
		must.Do(t, os.WriteFile(path, c.text, 0o644))
		got, err := s.Result(r)
		switch {
		case c.found && (!errors.Is(err, store.ErrUnsealed) || !strings.Contains(err.Error(), path)):
			t.Errorf("%s: got %v (%v), want an error that names the file", what, got.Metrics, err)
		case !c.found && (err != nil || got.Metrics["TR@1"] != 12.5):
			t.Errorf("%s: got %v (%v), want it read", what, got.Metrics, err)
		}
	}
}

// A pipe in the place of a result is an error; nobody waits for what it may give.
func TestPipeForAResult(t *testing.T) {
	s, r := OpenStore(t.TempDir()), Run{}
	if err := errors.Join(os.MkdirAll(s.Dir(r), 0o755), syscall.Mkfifo(s.ResultFile(r), 0o644)); err != nil {
		t.Skip(err)
	}
	if _, err := s.Result(r); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
}

// A finished run of which any file was edited, though it can still be read, is not exported, and verifying tells of it. One that became
// absurdly long is told unread. Files of older versions have no sums.
func TestChangedFiles(t *testing.T) {
	e, r := executor(t, t.TempDir()), smallest(t)
	e.Label = func(Run) Label { return Label{Scale: "tiny"} }
	must.Get(e.Run(t.Context(), r))(t)
	of := Measure{Split: "test", Tasks: eval.Tasks{gap{}}}
	must.Do(t, e.Store.Keep(r, Evaluation{ID: r.ID(), Of: of, Metrics: map[string]float64{"gap": 7}}))
	task := must.Get(of.name())(t)
	export := func() error {
		_, err := e.Store.Export(t.Context(), filepath.Join(t.TempDir(), "a"), Archive{IDs: []string{r.ID()}, Results: true})
		return err
	}
	if err := export(); err != nil {
		t.Fatalf("untouched: %v", err)
	}
	for name, edit := range map[string]func(string) string{
		resultName:       func(s string) string { return strings.Replace(s, `"TR@1": `, `"TR@1": 1`, 1) },
		labelName:        func(s string) string { return strings.Replace(s, "tiny", "mini", 1) },
		task:             func(s string) string { return strings.Replace(s, ": 7", ": 9", 1) },
		train.CurvesName: func(s string) string { return strings.Replace(s, `"rate":0`, `"rate":1`, 1) },
		tokenizerName: func(s string) string {
			return strings.NewReplacer(`"red"`, `"blue"`, `"blue"`, `"red"`).Replace(s)
		},
	} {
		path := filepath.Join(e.Store.Dir(r), name)
		before := must.Get(os.ReadFile(path))(t)
		after := edit(string(before))
		if after == string(before) {
			t.Fatalf("%s: nothing to edit in %s", name, before)
		}
		must.Do(t, os.WriteFile(path, []byte(after), 0o644))
		if err := export(); err == nil {
			t.Errorf("%s: it is exported", name)
		}
		found, err := e.Store.Verify(t.Context(), nil)
		if err != nil || len(found) != 1 || found[0].Harmless || !strings.Contains(found[0].What, path) {
			t.Errorf("%s: verifying finds %v (%v), want the file", name, found, err)
		}
		if kept, err := e.Store.Kept(r.ID()); err == nil && name == tokenizerName {
			if _, err := e.Store.Tokenizer(kept); !errors.Is(err, store.ErrUnsealed) {
				t.Errorf("the edited tokenizer is taken: %v", err)
			}
		}
		must.Do(t, os.WriteFile(path, before, 0o644))
	}
	for name, bytes := range map[string]int64{resultName: 65 << 20, labelName: 65 << 20, task: 65 << 20, tokenizerName: 40 << 30,
		train.CurvesName: 40 << 30} {
		path := filepath.Join(e.Store.Dir(r), name)
		before, began := must.Get(os.ReadFile(path))(t), time.Now()
		must.Do(t, os.Truncate(path, bytes)) // a hole
		found, err := e.Store.Verify(t.Context(), nil)
		if err != nil || len(found) != 1 || found[0].Harmless || !strings.Contains(found[0].What, path) ||
			!strings.Contains(found[0].What, "at most") {
			t.Errorf("%s of %d bytes: verifying finds %v (%v), want the file with a bound", name, bytes, found, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s of %d bytes: verifying takes %v", name, bytes, took)
		}
		must.Do(t, os.WriteFile(path, before, 0o644))
	}
}

// A result that is too long to be read is not written either.
func TestLongResult(t *testing.T) {
	s, r := OpenStore(t.TempDir()), Run{}
	must.Do(t, os.MkdirAll(s.Dir(r), 0o755))
	_, err := s.finish(r, Result{ID: r.ID(), Skipped: []string{strings.Repeat("x", 64<<20)}})
	if err == nil || !strings.Contains(err.Error(), "67108864 at most") {
		t.Errorf("got %v", err)
	}
	if _, done, err := s.Find(r); done || err != nil {
		t.Errorf("the run is done: %v (%v)", done, err)
	}
}
