package run

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// packed are the members of an archive, in their order, to be changed and packed again.
type member struct {
	tar.Header
	content []byte
}

func unpacked(t testing.TB, path string) (all []member) {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	z := must.Get(gzip.NewReader(file))(t)
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content := must.Get(io.ReadAll(r))(t)
		all = append(all, member{*header, content})
	}
}

func packed(t testing.TB, all []member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, m := range all {
		header := m.Header
		if header.Typeflag == tar.TypeReg {
			header.Size = int64(len(m.content))
		}
		must.Do(t, w.WriteHeader(&header))
		must.Get(w.Write(m.content))(t)
	}
	must.Do(t, errors.Join(w.Close(), z.Close()))
	return b.Bytes()
}

// What is exported is there again in another store, to the byte, with the runs that it needs; what that store has stays.
func TestArchive(t *testing.T) {
	r := tuned(t)
	e := labelled(t, t.TempDir(), r)
	makeRun(t, e, r)
	must.Get(e.EvaluateBy(t.Context(), r, "val", r.Tasks[0]))(t)
	dir := t.TempDir()
	whole, results := filepath.Join(dir, "whole.tar.gz"), filepath.Join(dir, "results.tar.gz")
	gone, err := e.Store.Export(t.Context(), whole, Archive{IDs: []string{r.ID()}})
	if err != nil || len(gone) != 2 || gone[0].ID != r.Init.ID() {
		t.Fatalf("got %v (%v), want the run and, before it, the one that it needs", gone, err)
	}
	other := OpenStore(t.TempDir())
	taken, there, err := other.Import(t.Context(), whole)
	if err != nil || !slices.Equal(taken, []string{r.Init.ID(), r.ID()}) || there != nil {
		t.Fatalf("took %v, had %v (%v), want both runs", taken, there, err)
	}
	for id, entry := range entries(t, e.Store) {
		files := must.Get(os.ReadDir(entry.Dir))(t)
		for _, file := range files {
			want := must.Get(os.ReadFile(filepath.Join(entry.Dir, file.Name())))(t)
			if got, err := os.ReadFile(filepath.Join(other.folders.Folder(id), file.Name())); file.Name() != store.LockName &&
				(err != nil || !bytes.Equal(got, want)) {
				t.Errorf("%s of run %s came as something else (%v)", file.Name(), id, err)
			}
		}
	}
	elsewhere := executor(t, t.TempDir())
	elsewhere.Store = other
	if got, err := elsewhere.Evaluate(t.Context(), r, "test"); err != nil || got["TR@1"] != mustResult(t, e, r).Metrics["TR@1"] {
		t.Errorf("measured elsewhere: %v (%v)", got, err)
	}
	if found, err := other.Verify(t.Context(), nil); err != nil || found != nil {
		t.Errorf("verifying it finds %v (%v)", found, err)
	}
	if taken, there, err := other.Import(t.Context(), whole); err != nil || taken != nil || len(there) != 2 {
		t.Errorf("a second time it took %v, had %v (%v)", taken, there, err)
	}

	gone, err = e.Store.Export(t.Context(), results, Archive{IDs: []string{r.ID()}, Alone: true, Results: true})
	if err != nil || len(gone) != 1 {
		t.Fatalf("got %v (%v), want the run alone", gone, err)
	}
	third := OpenStore(t.TempDir())
	must.Get2(third.Import(t.Context(), results))(t)
	if got := entries(t, third)[r.ID()]; got.State != Finished || got.Model != 0 || !reflect.DeepEqual(got.Result, mustResult(t, e, r)) {
		t.Errorf("got %+v, want the result without weights", got)
	}
	found, err := third.Verify(t.Context(), nil)
	if err != nil || len(found) != 1 || !found[0].Harmless || !strings.Contains(found[0].What, Short(r.Init.ID())) {
		t.Errorf("verifying it finds %v (%v), want that the run it needs is not there", found, err)
	}
	must.Fail(t, must.Err(third.Export(t.Context(), whole+"2", Archive{IDs: []string{r.ID()}})), "export it alone",
		"a run whose need is not there")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := e.Store.Export(stopped, whole+"3", Archive{IDs: []string{r.ID()}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v of an export that was stopped", err)
	}
	fourth := OpenStore(t.TempDir())
	if _, _, err := fourth.Import(stopped, whole); !errors.Is(err, context.Canceled) || len(entries(t, fourth)) != 0 {
		t.Errorf("got %v of an import that was stopped, want nothing taken", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("there are %v (%v), want the two archives alone", left, err)
	}
}

func mustResult(t *testing.T, e *Executor, r Run) Result {
	t.Helper()
	result := must.Get(e.Store.Result(r))(t)
	return result
}

// smallArchive is one of a run that was never trained, which is all that the rules of an archive look at.
func smallArchive(t testing.TB) (path, id string) {
	t.Helper()
	s, r := OpenStore(t.TempDir()), Run{}
	must.Do(t, os.MkdirAll(s.Dir(r), 0o755))
	must.Do(t, errors.Join(s.write(r, runName, r.JSON()),
		s.publish(r, resultName, Result{ID: r.ID(), Metrics: map[string]float64{"TR@1": 1}})))
	path = filepath.Join(t.TempDir(), "runs.tar.gz")
	must.Get(s.Export(context.Background(), path, Archive{IDs: []string{r.ID()}}))(t)
	return path, r.ID()
}

// A store from elsewhere may have a pipe in the place of a lock, and settings of any length: a run's list ends at once, and says so.
func TestHostileStore(t *testing.T) {
	lengthen := func(blanks int) func(dir string) error {
		return func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, runName))
			return errors.Join(err, os.WriteFile(filepath.Join(dir, runName), append(bytes.Repeat([]byte(" "), blanks), text...), 0o644))
		}
	}
	for want, spoil := range map[string]func(dir string) error{
		"settings of":     lengthen(5 << 20),
		"such a file has": lengthen(100 << 20),
		"no regular file": func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, store.LockName), 0o600) },
	} {
		path, id := smallArchive(t)
		s := OpenStore(t.TempDir())
		must.Do(t, must.Err2(s.Import(t.Context(), path)))
		dir := s.folders.Folder(id)
		os.Remove(filepath.Join(dir, store.LockName))
		must.Do(t, spoil(dir))
		done := make(chan error, 1)
		go func() {
			_, err := s.Entries()
			_, kept := s.Kept(id)
			done <- errors.Join(err, kept, s.folders.Hold(id, func(string) error { return nil }))
		}()
		select {
		case err := <-done:
			must.Fail(t, err, want)
		case <-time.After(20 * time.Second):
			t.Errorf("%s: nothing after 20 s", want)
		}
	}
}

// Whatever is wrong with an archive, it is refused before anything of it is in the store.
func TestImportRefuses(t *testing.T) {
	path, id := smallArchive(t)
	about := func(all []member, change func(*store.Manifest)) {
		var m store.Manifest
		must.Do(t, json.Unmarshal(all[0].content, &m))
		change(&m)
		text := must.Get(json.Marshal(m))(t)
		all[0].content = text
	}
	for want, change := range map[string]func([]member) []member{
		"runs of format 99": func(all []member) []member {
			about(all, func(m *store.Manifest) { m.Format = 99 })
			return all
		},
		"version 2": func(all []member) []member {
			about(all, func(m *store.Manifest) { m.Version = 2 })
			return all
		},
		`"../../etc"`: func(all []member) []member {
			about(all, func(m *store.Manifest) { m.Runs[0].ID = "../../etc" })
			return all
		},
		`"../evil"`: func(all []member) []member {
			about(all, func(m *store.Manifest) { m.Runs[0].Files[0].Name = "../evil" })
			return all
		},
		`"lock"`: func(all []member) []member {
			about(all, func(m *store.Manifest) { m.Runs[0].Files[0].Name = store.LockName })
			return all
		},
		"is there twice": func(all []member) []member {
			about(all, func(m *store.Manifest) { m.Runs = append(m.Runs, m.Runs[0]) })
			return all
		},
		"lacks its settings": func(all []member) []member {
			about(all, func(m *store.Manifest) { m.Runs[0].Files = m.Runs[0].Files[:1] })
			return all
		},
		"where its manifest has": func(all []member) []member {
			all[1].Name = "../" + all[1].Name
			return all
		},
		"link of 0 bytes": func(all []member) []member {
			all[1].Header = tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}
			all[1].content = nil
			return all
		},
		"not what the manifest says": func(all []member) []member {
			all[1].content = bytes.Replace(all[1].content, []byte("1"), []byte("2"), 1)
			return all
		},
		"not in its manifest": func(all []member) []member { return append(all, all[1]) },
		"cut off":             func(all []member) []member { return all[:2] },
		"no archive of runs":  func(all []member) []member { return all[1:] },
	} {
		t.Run(want, func(t *testing.T) {
			spoilt := filepath.Join(t.TempDir(), "spoilt.tar.gz")
			must.Do(t, os.WriteFile(spoilt, packed(t, change(unpacked(t, path))), 0o644))
			s := OpenStore(t.TempDir())
			if _, _, err := s.Import(t.Context(), spoilt); err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), spoilt) {
				t.Errorf("got %v, want an error that names the file and says %q", err, want)
			}
			if left, err := os.ReadDir(s.folders.Dir()); err != nil || len(left) > 0 {
				t.Errorf("left %v (%v)", left, err)
			}
		})
	}
	text := must.Get(os.ReadFile(path))(t)
	for _, n := range []int{0, 1, len(text) / 2, len(text) - 1} {
		spoilt := filepath.Join(t.TempDir(), "cut.tar.gz")
		must.Do(t, os.WriteFile(spoilt, text[:n], 0o644))
		if _, _, err := OpenStore(t.TempDir()).Import(t.Context(), spoilt); err == nil {
			t.Errorf("%d of %d bytes are taken", n, len(text))
		}
	}
	// One whose result is another run's has the right sums, and is no run.
	all := unpacked(t, path)
	all[1].content = store.Sealed(store.Seal.ReplaceAll(bytes.Replace(all[1].content, []byte(id), []byte("0123456789abcdef"), 1), []byte("}")))
	all[0].content = toldBy(t, all[1:])
	spoilt := filepath.Join(t.TempDir(), "other.tar.gz")
	must.Do(t, os.WriteFile(spoilt, packed(t, all), 0o644))
	must.Fail(t, must.Err2(OpenStore(t.TempDir()).Import(t.Context(), spoilt)), `this is the result of run "0123456789abcdef"`,
		"another run's result")
}

// A small archive that unpacks to far more, in a file or behind the last one, is refused before it is written.
func TestArchiveBomb(t *testing.T) {
	path, _ := smallArchive(t)
	all := unpacked(t, path)
	all[2].content = append(bytes.Clone(all[2].content), bytes.Repeat([]byte(" "), 64<<20)...)
	all[0].content = toldBy(t, all[1:])
	bomb := filepath.Join(t.TempDir(), "bomb.tar.gz")
	must.Do(t, os.WriteFile(bomb, packed(t, all), 0o644))
	must.Fail(t, must.Err2(OpenStore(t.TempDir()).Import(t.Context(), bomb)), "more than 100 times its own")

	whole := must.Get(gzip.NewReader(bytes.NewReader(must.Get(os.ReadFile(path))(t))))(t)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(io.Copy(z, whole))(t)
	must.Get(z.Write(make([]byte, 64<<20)))(t)
	must.Do(t, z.Close())
	must.Do(t, os.WriteFile(bomb, b.Bytes(), 0o644))
	must.Fail(t, must.Err2(OpenStore(t.TempDir()).Import(t.Context(), bomb)), "more follows its end")
}

// toldBy is a manifest that is true of members, each of which is ID/NAME.
func toldBy(t testing.TB, all []member) []byte {
	t.Helper()
	m := store.Manifest{Version: store.ArchiveVersion, Format: format}
	for _, x := range all {
		id, name, _ := strings.Cut(x.Name, "/")
		sum := sha256.Sum256(x.content)
		file := store.PackedFile{Name: name, Bytes: int64(len(x.content)), SHA256: hex.EncodeToString(sum[:])}
		if n := len(m.Runs); n == 0 || m.Runs[n-1].ID != id {
			m.Runs = append(m.Runs, store.PackedRun{ID: id})
		}
		last := &m.Runs[len(m.Runs)-1]
		last.Files = append(last.Files, file)
	}
	text := must.Get(json.Marshal(m))(t)
	return text
}

// FuzzImport takes a strange archive, whose manifest may be true of what is in it: an error, and nothing in the store or beside it; or
// whole runs.
func FuzzImport(f *testing.F) {
	path, _ := smallArchive(f)
	all := unpacked(f, path)
	f.Add([]byte(nil), all[1].Name, all[1].content, all[2].Name, all[2].content, byte(tar.TypeReg))
	f.Add(all[0].content, all[1].Name, all[1].content, all[2].Name, all[2].content, byte(tar.TypeReg))
	f.Add([]byte(nil), "../../evil", all[1].content, all[2].Name, all[2].content, byte(tar.TypeReg))
	f.Add([]byte(`{"Version": 1, "Format": 2}`), "a", []byte(nil), "b", []byte(nil), byte(tar.TypeSymlink))
	f.Add([]byte(`{"Version": 1, "Format": 2, "Runs": [{"ID": "0123456789abcdef", "Files": [{"Name": "run.json", "Bytes": 1}]}]}`),
		"0123456789abcdef/run.json", []byte("{"), "/etc/passwd", []byte("x"), byte(tar.TypeLink))
	home := f.TempDir()
	f.Fuzz(func(t *testing.T, about []byte, one string, first []byte, other string, second []byte, kind byte) {
		if len(about) == 0 {
			about = toldBy(t, []member{{tar.Header{Name: one}, first}, {tar.Header{Name: other}, second}})
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		for _, m := range []struct {
			name    string
			content []byte
			kind    byte
		}{{store.ManifestName, about, tar.TypeReg}, {one, first, tar.TypeReg}, {other, second, kind}} {
			header := tar.Header{Name: m.name, Typeflag: m.kind, Mode: 0o644, Size: int64(len(m.content))}
			if w.WriteHeader(&header) != nil {
				return
			}
			if _, err := w.Write(m.content); err != nil {
				return
			}
		}
		if errors.Join(w.Close(), z.Close()) != nil {
			return
		}
		outer := filepath.Join(home, "outer")
		must.Do(t, os.RemoveAll(outer))
		s, archive := OpenStore(filepath.Join(outer, "a", "b")), filepath.Join(home, "archive")
		must.Do(t, os.WriteFile(archive, b.Bytes(), 0o644))
		taken, _, err := s.Import(t.Context(), archive)
		var files []string
		filepath.WalkDir(outer, func(path string, d os.DirEntry, _ error) error {
			if !d.IsDir() {
				files = append(files, path)
			}
			return nil
		})
		if err != nil && len(files) > 0 {
			t.Fatalf("refused by %v, it left %q", err, files)
		}
		all := must.Get(s.Entries())(t)
		for _, e := range all {
			if e.State != Finished || !slices.Contains(taken, e.ID) {
				t.Fatalf("it took %+v, which is no whole run", e)
			}
		}
		for _, path := range files {
			if inside, err := filepath.Rel(s.folders.Dir(), path); err != nil || strings.HasPrefix(inside, "..") || strings.Count(inside, "/") != 1 {
				t.Fatalf("it wrote %q", path)
			}
		}
	})
}

// Verifying names each file that cannot be read as those do who need it.
func TestVerify(t *testing.T) {
	r := tuned(t)
	e := executor(t, t.TempDir())
	makeRun(t, e, r)
	must.Get(e.EvaluateBy(t.Context(), r, "val", r.Tasks[0]))(t)
	if found, err := e.Store.Verify(t.Context(), nil); err != nil || found != nil {
		t.Fatalf("got %v (%v) of a whole store", found, err)
	}
	dir := e.Store.Dir(r)
	tasks, err := filepath.Glob(filepath.Join(dir, taskPrefix+"*"))
	if err != nil || len(tasks) != 1 {
		t.Fatalf("got the evaluations %v (%v)", tasks, err)
	}
	for _, name := range []string{
		runName, resultName, tokenizerName, train.CheckpointName, train.BestName, train.CurvesName, filepath.Base(tasks[0]),
		minedPrefix + "0123456789abcdef.json",
	} {
		path := filepath.Join(dir, name)
		before, err := os.ReadFile(path)
		if err != nil && !strings.HasPrefix(name, minedPrefix) {
			t.Fatal(err)
		}
		spoilt := append([]byte("{}}\n"), before...)
		must.Do(t, os.WriteFile(path, spoilt, 0o644))
		found, err := e.Store.Verify(t.Context(), nil)
		if err != nil || len(found) != 1 || found[0].Harmless || found[0].ID != r.ID() || !strings.Contains(found[0].What, name) ||
			!strings.Contains(found[0].What, "; ") {
			t.Errorf("%s: got %+v (%v), want one problem of the run that names it, with what to do", name, found, err)
		}
		must.Do(t, os.WriteFile(path, before, 0o644))
		if before == nil {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, ".result.json1"), nil, 0o644))
	if found, err := e.Store.Verify(t.Context(), nil); err != nil || len(found) != 1 || !found[0].Harmless ||
		!strings.Contains(found[0].What, "vlpx prune orphans") {
		t.Errorf("got %+v (%v), want what was left", found, err)
	}
}
