package train

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// stored is a store of a weight of each rank and a random state, scaled by x.
func stored(t testing.TB, x float32) *model.Store {
	t.Helper()
	store := model.NewStore()
	for path, value := range map[string]any{
		"/model/tau":    x,
		"/model/bias":   []float32{x, -x},
		"/model/matrix": [][]float32{{x, 2 * x, 3 * x}, {0, -x, x / 3}},
		"/rng":          []uint64{1, 1 << 63, 3},
	} {
		put(t, store, path, value)
	}
	return store
}

func put(t testing.TB, store *model.Store, path string, value any) {
	t.Helper()
	tensor, err := tensors.FromAnyValue(value)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.CreateVariable(path, tensor); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d variables, want %d", what, len(got), len(want))
	}
	for path, value := range want {
		if got[path] != value {
			t.Errorf("%s: %s: got bytes %x, want %x", what, path, got[path], value)
		}
	}
}

func TestCheckpointRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), CheckpointName)
	state := progress{Epoch: 2, Step: 5, Sampler: []byte{0, 255}, Current: tally{Steps: 5, Losses: Losses{negative.ITC: 1.0 / 3}}, Broken: []string{"a.jpg"}}
	if err := SaveCheckpoint(path, stored(t, 0.1), state); err != nil {
		t.Fatal(err)
	}
	want := variables(t, stored(t, 0.1), "/")
	for name, into := range map[string]*model.Store{"empty store": model.NewStore(), "full store": stored(t, 9)} {
		var got progress
		if err := LoadCheckpoint(path, into, &got); err != nil {
			t.Fatal(err)
		}
		same(t, name, variables(t, into, "/"), want)
		if !reflect.DeepEqual(got, state) {
			t.Errorf("%s: got state %+v, want %+v", name, got, state)
		}
	}
	if err := LoadCheckpoint(path+"x", model.NewStore(), new(progress)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for a file that is not there, want fs.ErrNotExist", err)
	}
}

// A file cut off anywhere, or with any byte changed, is an error that names it and leaves the store as it was.
func TestDamagedCheckpoint(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if err := SaveCheckpoint(whole, stored(t, 1), progress{}); err != nil {
		t.Fatal(err)
	}
	content := []byte(read(t, whole))
	into := stored(t, 2)
	want := variables(t, into, "/")
	damaged := filepath.Join(dir, "damaged")
	refuse := func(what string, at int, content []byte) {
		t.Helper()
		if err := os.WriteFile(damaged, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := LoadCheckpoint(damaged, into, new(progress)); err == nil || !strings.Contains(err.Error(), damaged) {
			t.Errorf("%s byte %d: got error %v, want one that names the file", what, at, err)
		}
	}
	for i := range content {
		refuse("cut off at", i, content[:i])
		flipped := bytes.Clone(content)
		flipped[i] ^= 1 << (i % 8)
		refuse("changed", i, flipped)
	}
	refuse("added", len(content), append(bytes.Clone(content), 0))
	same(t, "after all", variables(t, into, "/"), want)
}

// Checkpoints within an epoch are as far apart as is asked for, and so far that a large one costs one part in fifty of the time.
func TestCheckpointsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			every, saving, passed time.Duration
			want                  bool
		}{
			{10 * time.Second, 100 * time.Millisecond, 9 * time.Second, false}, {10 * time.Second, 100 * time.Millisecond, 11 * time.Second, true},
			{10 * time.Second, 2 * time.Second, 99 * time.Second, false}, {10 * time.Second, 2 * time.Second, 101 * time.Second, true},
			{0, 0, time.Hour, false},
		} {
			tr := &trainer{job: Job{Every: c.every}, saved: time.Now(), saving: c.saving}
			time.Sleep(c.passed)
			if got := tr.due(); got != c.want {
				t.Errorf("every %v, %v after one that took %v: got %v", c.every, c.passed, c.saving, got)
			}
		}
	})
}

// A checkpoint of a model of other sizes is refused before any variable is replaced.
func TestCheckpointOfAnotherModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), CheckpointName)
	if err := SaveCheckpoint(path, stored(t, 1), progress{}); err != nil {
		t.Fatal(err)
	}
	other := model.NewStore()
	for path, value := range map[string]any{"/model/bias": []float32{5, 6}, "/model/matrix": [][]float32{{1}, {2}}} {
		put(t, other, path, value)
	}
	want := variables(t, other, "/")
	if err := LoadCheckpoint(path, other, new(progress)); err == nil || !strings.Contains(err.Error(), "/model/matrix") {
		t.Errorf("got error %v, want one that names /model/matrix", err)
	}
	same(t, "after all", variables(t, other, "/"), want)
}

// What stops a resumed run tells what to do about it.
func TestTrainOnADamagedCheckpoint(t *testing.T) {
	job := smallest(t, plain)
	path := filepath.Join(job.Dir, CheckpointName)
	if err := os.WriteFile(path, []byte("vlpx check"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := Train(t.Context(), job)
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("got %v, want an error that names the file and says to delete it", err)
	}
	if _, err := Load(job.Backend, job.Config, job.Tokenizer, job.Dir); err == nil || !strings.Contains(err.Error(), "delete its folder") {
		t.Errorf("got %v, want an error that says to delete the run", err)
	}
}

func TestCheckpointThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "gone", CheckpointName), filepath.Join(file, CheckpointName)} {
		if err := SaveCheckpoint(path, stored(t, 1), progress{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("got error %v, want one that names %s", err, path)
		}
	}
}

// A disk that fills up while a checkpoint is written leaves the one before it, and nothing else.
func TestCheckpointOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if text, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a tmpfs: %v: %s", err, text)
	}
	t.Cleanup(func() { exec.Command("umount", dir).Run() })
	path := filepath.Join(dir, CheckpointName)
	if err := SaveCheckpoint(path, stored(t, 1), progress{}); err != nil {
		t.Fatal(err)
	}
	large := stored(t, 2)
	put(t, large, "/model/large", make([]float32, 1<<16))
	if err := SaveCheckpoint(path, large, progress{}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("got error %v, want one for want of space", err)
	}
	store, _ := saved(t, dir)
	same(t, "the one before", variables(t, store, "/"), variables(t, stored(t, 1), "/"))
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("got files %v (%v), want the checkpoint alone", files, err)
	}
}

// No bytes make the reader panic, take much memory, or leave half a checkpoint in the store.
func FuzzReadCheckpoint(f *testing.F) {
	path := filepath.Join(f.TempDir(), CheckpointName)
	if err := SaveCheckpoint(path, stored(f, 1), progress{}); err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	add := func(data []byte) {
		f.Add(data, false)
		f.Add(data, true)
	}
	add(content)
	add(content[:len(content)/2])
	for old, altered := range map[string]string{`"Dims":[2,3]`: `"Dims":[9,9]`, `"Bytes":24`: `"Bytes":99`, "Float32": "Invalid", "Uint64": "String",
		`"Dims":[2]`: `"Dims":[0]`, `[3]`: `[9]`, "/model/tau": "Amodel/tau", "/model/bias": "//////bias", "/rng": "////", "/model/matrix": "/model/matri/"} {
		add(bytes.Replace(content, []byte(old), []byte(altered), 1))
	}
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal && len(data) >= 4 { // what is behind the checksum's guard
			data = binary.LittleEndian.AppendUint32(bytes.Clone(data[:len(data)-4]), crc32.ChecksumIEEE(data[:len(data)-4]))
		}
		into := stored(t, 2)
		want := variables(t, into, "/")
		var state progress
		if err := readCheckpoint(bytes.NewReader(data), int64(len(data)), into, &state); err != nil {
			same(t, "after an error", variables(t, into, "/"), want)
			return
		}
		if len(data) < 4 || binary.LittleEndian.Uint32(data[len(data)-4:]) != crc32.ChecksumIEEE(data[:len(data)-4]) {
			t.Error("took bytes whose checksum does not match")
		}
		// What it holds reads back: into an empty store it gives what it gave into a full one, and so does what is written from there.
		alone := model.NewStore()
		if err := readCheckpoint(bytes.NewReader(data), int64(len(data)), alone, new(progress)); err != nil {
			t.Fatalf("into an empty store: %v", err)
		}
		held := variables(t, alone, "/")
		for path, value := range variables(t, into, "/") {
			if has, holds := held[path]; holds && has != value || !holds && want[path] != value {
				t.Errorf("%s: got bytes %x, want those of the file, or those from before", path, value)
			}
		}
		again := filepath.Join(t.TempDir(), CheckpointName)
		if err := SaveCheckpoint(again, alone, state); err != nil {
			t.Fatal(err)
		}
		store, reread := saved(t, filepath.Dir(again))
		maps.DeleteFunc(held, func(path, _ string) bool { return strings.HasPrefix(path, framework.Frozen+"/") })
		same(t, "written again", variables(t, store, "/"), held)
		if !reflect.DeepEqual(reread, state) {
			t.Errorf("got state %+v, want %+v", reread, state)
		}
	})
}
