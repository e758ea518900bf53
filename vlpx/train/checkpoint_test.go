package train

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
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
	tensor := must.Get(tensors.FromAnyValue(value))(t)
	must.Get(store.CreateVariable(path, tensor))(t)
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
	state := progress{Epoch: 2, Step: 5, Sampler: []byte{0, 255}, Current: tally{Steps: 5, Losses: Losses{negative.ITC: 1.0 / 3}},
		Broken: []string{"a.jpg"}}
	must.Do(t, SaveCheckpoint(path, stored(t, 0.1), state))
	want := variables(t, stored(t, 0.1), "/")
	for name, into := range map[string]*model.Store{"empty store": model.NewStore(), "full store": stored(t, 9)} {
		var got progress
		must.Do(t, LoadCheckpoint(path, into, &got))
		same(t, name, variables(t, into, "/"), want)
		if !reflect.DeepEqual(got, state) {
			t.Errorf("%s: got state %+v, want %+v", name, got, state)
		}
	}
	if err := LoadCheckpoint(path+"x", model.NewStore(), new(progress)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v for a file that is not there, want fs.ErrNotExist", err)
	}
}

// Every type that a variable may have comes back as it was; one that the format has no name for is refused.
func TestCheckpointOfTypes(t *testing.T) {
	path := filepath.Join(t.TempDir(), CheckpointName)
	store := model.NewStore()
	for name, value := range map[string]any{
		"f64": []float64{0.1,
			math.Inf(1)}, "bf16": []bfloat16.BFloat16{bfloat16.FromFloat32(0.5)}, "f16": []float16.Float16{float16.FromFloat32(2)},
		"i64": []int64{-1}, "i32": []int32{-2}, "i16": []int16{-3}, "i8": []int8{-4}, "u64": []uint64{1 << 63}, "u32": []uint32{5},
		"u16": []uint16{6}, "u8": []uint8{7, 8, 9}, "bool": []bool{true, false, true},
	} {
		put(t, store, "/model/"+name, value)
	}
	must.Do(t, SaveCheckpoint(path, store, 7))
	into, state := model.NewStore(), 0
	if err := LoadCheckpoint(path, into, &state); err != nil || state != 7 {
		t.Fatalf("got state %d, %v", state, err)
	}
	same(t, "types", variables(t, into, "/"), variables(t, store, "/"))
	put(t, store, "/model/complex", []complex64{1i})
	must.Fail(t, SaveCheckpoint(path, store, 7), "/model/complex")
}

// Any tool of safetensors opens a checkpoint: the length of a JSON header, the header, and the values where it says.
func TestCheckpointIsSafetensors(t *testing.T) {
	path := filepath.Join(t.TempDir(), CheckpointName)
	must.Do(t, SaveCheckpoint(path, stored(t, 1), progress{Epoch: 2, Sampler: []byte{5, 6}}))
	content := []byte(read(t, path))
	length := binary.LittleEndian.Uint64(content)
	var header map[string]struct {
		DType   string   `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	must.Do(t, json.Unmarshal(content[8:8+length], &header))
	var metadata struct {
		Of map[string]string `json:"__metadata__"`
	}
	if err := json.Unmarshal(content[8:8+length], &metadata); err != nil || !strings.Contains(metadata.Of["state"], `"Epoch":2`) {
		t.Errorf("got metadata %v (%v), want strings, the state's epoch among them", metadata.Of, err)
	}
	delete(header, "__metadata__")
	values := content[8+length:]
	for name, want := range map[string]string{
		"/model/tau": "F32 [] 0000803f", "/model/bias": "F32 [2] 0000803f000080bf", "/host": "U8 [2] 0506",
		"/model/matrix": "F32 [2 3] 0000803f000000400000404000000000000080bfabaaaa3e",
		"/rng":          "U64 [3] 010000000000000000000000000000800300000000000000",
	} {
		e := header[name]
		if got := fmt.Sprintf("%s %v %x", e.DType, e.Shape, values[e.Offsets[0]:e.Offsets[1]]); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if len(header) != 5 || len(values) != 6*4+2*4+4+3*8+2 {
		t.Errorf("got %d tensors in %d bytes", len(header), len(values))
	}
	file := must.Get(weights.Open(path))(t)
	defer file.Close()
	if names := file.Names(); !slices.Equal(names, slices.Sorted(maps.Keys(header))) {
		t.Errorf("the reader of published weights finds %v", names)
	}
	script := "import sys, safetensors; f = safetensors.safe_open(sys.argv[1], 'np'); print(sorted(f.keys()), f.metadata()['crc32'])"
	if err := exec.Command("python3", "-c", "import safetensors, numpy").Run(); err != nil {
		t.Log("python3-safetensors is not here: the header alone was read")
	} else if out, err := exec.Command("python3", "-c", script, path).CombinedOutput(); err != nil || !strings.Contains(string(out),
		"'/model/tau'") {
		t.Errorf("Python: got %s (%v)", out, err)
	}
}

// A checkpoint of the first format is read as it was; cut off, changed or with more behind its end it is refused. Training that was not
// finished does not go on from it.
func TestCheckpointOfTheFirstFormat(t *testing.T) {
	content := []byte(read(t, filepath.Join("testdata", "checkpoint 1")))
	job := smallest(t, plain)
	path := filepath.Join(job.Dir, CheckpointName)
	into := stored(t, 2)
	put := func(content []byte) error {
		must.Do(t, os.WriteFile(path, content, 0o644))
		return LoadCheckpoint(path, into, new(progress))
	}
	before := variables(t, into, "/")
	for i := range content {
		flipped := bytes.Clone(content)
		flipped[i] ^= 1 << (i % 8)
		if put(content[:i]) == nil || put(flipped) == nil {
			t.Errorf("took a file that is cut off or changed at byte %d", i)
		}
	}
	if put(append(bytes.Clone(content), 0)) == nil {
		t.Error("took a file with more behind its end")
	}
	same(t, "after all", variables(t, into, "/"), before)
	must.Do(t, put(content))
	same(t, "first format", variables(t, into, "/"), variables(t, stored(t, 1), "/"))
	var state progress
	if err := readState(path, &state); err != nil || state.Epoch != 3 || state.Best.number() != 2 ||
		state.Epochs[0].Observed.Found().Negatives != 4 {
		t.Errorf("got state %+v (%v)", state, err)
	}
	job.Config.Epochs = 4
	must.Fail(t, must.Err2(Train(t.Context(), job)), "delete")
}

// A file cut off anywhere, or with any byte changed, is an error that names it and leaves the store as it was.
func TestDamagedCheckpoint(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	must.Do(t, SaveCheckpoint(whole, stored(t, 1), progress{Sampler: []byte{1, 2, 3}}))
	content := []byte(read(t, whole))
	into := stored(t, 2)
	want := variables(t, into, "/")
	damaged := filepath.Join(dir, "damaged")
	refuse := func(what string, at int, content []byte) {
		t.Helper()
		must.Do(t, os.WriteFile(damaged, content, 0o644))
		must.Fail(t, LoadCheckpoint(damaged, into, new(progress)), damaged, "%s byte %d", what, at)
	}
	for i := range content {
		refuse("cut off at", i, content[:i])
		for bit := range 8 {
			flipped := bytes.Clone(content)
			flipped[i] ^= 1 << bit
			refuse("changed", i, flipped)
		}
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
			{10 * time.Second, 100 * time.Millisecond, 9 * time.Second, false},
			{10 * time.Second, 100 * time.Millisecond, 11 * time.Second, true},
			{10 * time.Second, 2 * time.Second, 99 * time.Second, false}, {10 * time.Second, 2 * time.Second, 101 * time.Second, true},
			{0, 0, time.Hour, false},
		} {
			tr := &trainer{input: input{job: Job{Every: c.every}}, saved: time.Now(), saving: c.saving}
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
	must.Do(t, SaveCheckpoint(path, stored(t, 1), progress{}))
	other := model.NewStore()
	for path, value := range map[string]any{"/model/bias": []float32{5, 6}, "/model/matrix": [][]float32{{1}, {2}}} {
		put(t, other, path, value)
	}
	want := variables(t, other, "/")
	must.Fail(t, LoadCheckpoint(path, other, new(progress)), "/model/matrix")
	same(t, "after all", variables(t, other, "/"), want)
}

// What stops a resumed run reports what to do about it.
func TestTrainOnADamagedCheckpoint(t *testing.T) {
	job := smallest(t, plain)
	path := filepath.Join(job.Dir, CheckpointName)
	must.Do(t, os.WriteFile(path, []byte("vlpx check"), 0o644))
	_, _, err := Train(t.Context(), job)
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("got %v, want an error that names the file and says to delete it", err)
	}
	must.Fail(t, must.Err(Load(job.Backend, job.Config, job.Tokenizer, job.Dir)), "delete its folder")
}

// A model with a weight that is no number, such as of an archive from elsewhere, is not opened.
func TestModelOfNoNumbers(t *testing.T) {
	job := smallest(t, plain)
	finish(t, job)
	path, store := filepath.Join(job.Dir, CheckpointName), model.NewStore()
	var state progress
	must.Do(t, LoadCheckpoint(path, store, &state))
	must.Get(Load(job.Backend, job.Config, job.Tokenizer, job.Dir))(t).Close()
	weight := sortedVariables(store, framework.Model)[0]
	must.Do(t, must.Get(weight.Value())(t).MutableBytes(func(bytes []byte) {
		binary.LittleEndian.PutUint32(bytes[4:], math.Float32bits(float32(math.NaN())))
	}))
	must.Do(t, SaveCheckpoint(path, store, state))
	must.Fail(t, must.Err(Load(job.Backend, job.Config, job.Tokenizer, job.Dir)), job.Dir+": variable "+weight.Path()+": value 1 is NaN",
		"a weight that is no number")
}

func TestCheckpointThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(file, nil, 0o644))
	for _, path := range []string{filepath.Join(dir, "gone", CheckpointName), filepath.Join(file, CheckpointName)} {
		must.Fail(t, SaveCheckpoint(path, stored(t, 1), progress{}), path)
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
	must.Do(t, SaveCheckpoint(path, stored(t, 1), progress{}))
	large := stored(t, 2)
	put(t, large, "/model/large", make([]float32, 1<<16))
	must.Fail(t, SaveCheckpoint(path, large, progress{}), "no space")
	store, _ := saved(t, dir)
	same(t, "the one before", variables(t, store, "/"), variables(t, stored(t, 1), "/"))
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("got files %v (%v), want the checkpoint alone", files, err)
	}
}

// No bytes make the reader panic, take much memory, or leave half a checkpoint in the store.
func FuzzReadCheckpoint(f *testing.F) {
	path := filepath.Join(f.TempDir(), CheckpointName)
	must.Do(f, SaveCheckpoint(path, stored(f, 1), progress{}))
	content := must.Get(os.ReadFile(path))(f)
	add := func(data []byte) {
		f.Add(data, false)
		f.Add(data, true)
	}
	add(content)
	add(content[:len(content)/2])
	for old, altered := range map[string]string{`"shape":[2,3]`: `"shape":[9,9]`, `[0,24]`: `[0,99]`, "F32": "F99", "U64": "C64",
		`"shape":[2]`: `"shape":[0]`, `[3]`: `[9]`, "/model/tau": "Amodel/tau", "/model/bias": "//////bias", "/rng": "////",
		"/model/matrix": "/model/matri/"} {
		add(bytes.Replace(content, []byte(old), []byte(altered), 1))
	}
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		at := 8 + len(beforeSum)
		if seal && len(data) >= at+8 { // what is behind the checksum's guard
			data = bytes.Clone(data)
			copy(data[at:], noSum)
			copy(data[at:], fmt.Sprintf("%08x", crc32.ChecksumIEEE(data)))
		}
		into := stored(t, 2)
		want := variables(t, into, "/")
		var state progress
		if err := readCheckpoint(bytes.NewReader(data), int64(len(data)), into, &state); err != nil {
			same(t, "after an error", variables(t, into, "/"), want)
			return
		}
		if !strings.HasPrefix(string(data), firstMagic) {
			zeroed := bytes.Clone(data)
			copy(zeroed[at:], noSum)
			if string(data[at:at+8]) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(zeroed)) {
				t.Error("took bytes whose checksum does not match")
			}
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
		must.Do(t, SaveCheckpoint(again, alone, state))
		store, reread := saved(t, filepath.Dir(again))
		maps.DeleteFunc(held, func(path, _ string) bool { return strings.HasPrefix(path, framework.Frozen+"/") })
		same(t, "written again", variables(t, store, "/"), held)
		if !reflect.DeepEqual(reread, state) {
			t.Errorf("got state %+v, want %+v", reread, state)
		}
	})
}
