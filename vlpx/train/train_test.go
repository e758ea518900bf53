package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets/karpathy"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/negative"
)

var plain = negative.Plain()

// finish trains a job, cancelling it after each of the steps (counted over the whole run) and going on.
func finish(t *testing.T, job Job, stops ...int) Outcome {
	t.Helper()
	for _, stop := range stops {
		ctx, cancel := context.WithCancel(t.Context())
		job.Report = func(r Report) {
			if r.Step == stop {
				cancel()
			}
		}
		if _, _, err := Train(ctx, job); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %d: got %v, want context.Canceled", stop, err)
		}
	}
	job.Report = nil
	m, out, err := Train(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	return out
}

// A run that was stopped anywhere ends in the bits of one that was not: weights, moments, queue, momentum weights, random
// state, sampler, records and curves. There are 5 steps an epoch, and 3 epochs.
func TestResumeIsBitIdentical(t *testing.T) {
	ahead := negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8, Baseline: 0.9, Lookahead: 2})
	ahead.Name += " two ahead"
	for _, method := range []negative.Method{plain, negative.ALBEF(8), negative.GRITVLP(8, 16),
		negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 5, Hidden: 8}), ahead} {
		t.Run(method.Name, func(t *testing.T) {
			whole := smallest(t, method)
			evaluate := func(_ context.Context, m *Model, epoch int) (map[string]float64, error) {
				return map[string]float64{"epoch": float64(epoch)}, nil
			}
			whole.Evaluate = evaluate
			want := finish(t, whole)
			wantStore, wantState := saved(t, whole.Dir)
			for _, stops := range [][]int{{1}, {5}, {2, 3, 4}, {6, 9, 10, 14}} {
				job := smallest(t, method)
				job.Evaluate = evaluate
				got := finish(t, job, stops...)
				if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
					t.Errorf("stopped at %v: got epochs\n%s\nwant\n%s", stops, g, w)
				}
				if g, w := read(t, job.Dir, CurvesName), read(t, whole.Dir, CurvesName); g != w {
					t.Errorf("stopped at %v: got curves\n%s\nwant\n%s", stops, g, w)
				}
				store, state := saved(t, job.Dir)
				same(t, fmt.Sprintf("stopped at %v", stops), variables(t, store, "/"), variables(t, wantStore, "/"))
				if !bytes.Equal(state.Sampler, wantState.Sampler) {
					t.Errorf("stopped at %v: the sampler's state differs", stops)
				}
			}
		})
	}
}

// A run that is stopped while it evaluates keeps the epoch's last steps.
func TestStoppedWhileEvaluating(t *testing.T) {
	whole, job := smallest(t, plain), smallest(t, plain)
	want := finish(t, whole)
	ctx, cancel := context.WithCancel(t.Context())
	job.Evaluate = func(ctx context.Context, _ *Model, epoch int) (map[string]float64, error) {
		if epoch == 1 {
			cancel()
		}
		return nil, ctx.Err()
	}
	if _, _, err := Train(ctx, job); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, state := saved(t, job.Dir); state.Epoch != 1 || state.Step != 5 {
		t.Errorf("got a checkpoint at epoch %d, step %d, want epoch 1, step 5", state.Epoch, state.Step)
	}
	job.Evaluate = nil
	if got := finish(t, job); asJSON(t, got.Epochs) != asJSON(t, want.Epochs) {
		t.Errorf("got epochs %+v, want %+v", got.Epochs, want.Epochs)
	}
}

// What a killed process leaves beside the checkpoint goes, and curves that are lost or too long do not stop a run.
func TestResumeTidiesTheFolder(t *testing.T) {
	for name, curves := range map[string]func(path string) error{
		"too long": func(path string) error {
			text, err := os.ReadFile(path)
			return errors.Join(err, os.WriteFile(path, append(text, "{\"half a li"...), 0o644))
		},
		"lost": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			job := smallest(t, plain)
			ctx, cancel := context.WithCancel(t.Context())
			job.Report = func(r Report) {
				if r.Step == 7 {
					cancel()
				}
			}
			if _, _, err := Train(ctx, job); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			left := filepath.Join(job.Dir, "."+CheckpointName+"123")
			if err := errors.Join(curves(filepath.Join(job.Dir, CurvesName)), os.WriteFile(left, []byte("half"), 0o600)); err != nil {
				t.Fatal(err)
			}
			finish(t, job)
			if text := read(t, job.Dir, CurvesName); strings.ContainsAny(text, "\x00") || strings.Contains(text, "half") ||
				!strings.Contains(text, `{"epoch":2,`) {
				t.Errorf("got curves %q", text)
			}
			if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v for the file of a killed process, want it gone", err)
			}
		})
	}
}

// Epoch 0 learns at 1e-3; at epoch 1 the cosine is at its end, 1e30.
func TestExplosionKeepsTheLastGoodCheckpoint(t *testing.T) {
	job := smallest(t, plain)
	job.Config.Schedule = Schedule{Rate: 1e-3, Min: 1e30, Epochs: 1}
	_, _, err := Train(t.Context(), job)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"epoch 1, step ", "ITC ", "ITM ", "MLM ", "NaN", "pairs of this batch are [", "lower the learning rate"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
	store, state := saved(t, job.Dir)
	if state.Epoch != 1 || state.Step != 0 || len(state.Epochs) != 1 {
		t.Errorf("got a checkpoint at epoch %d, step %d with %d records, want the end of epoch 0", state.Epoch, state.Step, len(state.Epochs))
	}
	for _, x := range vector(t, store, "/model/text_projection/bias") {
		if !(math.Abs(float64(x)) < 1) {
			t.Errorf("got a weight of %g in the checkpoint", x)
		}
	}
}

// A checkpoint that cannot be written when a run is stopped is told; the run does not claim to be kept.
func TestStoppedOnAFullDisk(t *testing.T) {
	job := smallest(t, plain)
	if text, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", job.Dir).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a tmpfs: %v: %s", err, text)
	}
	t.Cleanup(func() { exec.Command("umount", job.Dir).Run() })
	ctx, cancel := context.WithCancel(t.Context())
	job.Report = func(Report) { cancel() }
	if _, _, err := Train(ctx, job); err == nil || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "no space") {
		t.Errorf("got %v, want an error for want of space that is not context.Canceled", err)
	}
}

// photographs makes a folder in Karpathy's layout of one-coloured JPEGs with two captions each; the third is cut off.
func photographs(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	var entries []string
	for i := range n {
		picture := image.NewRGBA(image.Rect(0, 0, 64, 48))
		for at := range 64 * 48 {
			picture.Set(at%64, at/64, color.RGBA{uint8(40 * i), uint8(at), uint8(at / 8), 255})
		}
		var content bytes.Buffer
		if err := jpeg.Encode(&content, picture, nil); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			content.Truncate(content.Len() / 2)
		}
		if err := os.WriteFile(filepath.Join(dir, "images", fmt.Sprintf("%d.jpg", i)), content.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, fmt.Sprintf(`{"filename": "%d.jpg", "split": "train", "sentences": [{"raw": "shade %d"}, {"raw": "a picture"}]}`, i, i))
	}
	text := fmt.Sprintf(`{"dataset": "shades", "images": [%s]}`, strings.Join(entries, ", "))
	if err := os.WriteFile(filepath.Join(dir, "dataset_shades.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A broken image costs its place in the mini-batches and is told once, also by a run that was stopped in between.
func TestBrokenImage(t *testing.T) {
	c, err := karpathy.Open(photographs(t, 6))
	if err != nil {
		t.Fatal(err)
	}
	set, err := c.Split("train")
	if err != nil {
		t.Fatal(err)
	}
	for _, stops := range [][]int{nil, {3, 6}} {
		out := finish(t, jobOn(t, set, plain), stops...)
		if len(out.Epochs) != 3 || len(out.Skipped) != 1 || !strings.Contains(out.Skipped[0], "2.jpg") {
			t.Errorf("stopped at %v: got %d epochs, skipped %q; want 3 epochs and 2.jpg skipped", stops, len(out.Epochs), out.Skipped)
		}
	}
}

// Five steps give the same losses on pure Go and on ONNX Runtime.
func TestEnginesAgree(t *testing.T) {
	choice, missing := engine.Choose(engine.Cache())
	if i := slices.IndexFunc(missing, func(m engine.Missing) bool { return m.Name == "onnx:cpu" }); i >= 0 {
		if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "onnx") {
			t.Fatalf("VLPX_REQUIRE names onnx, but %s", missing[i].Why)
		}
		t.Skipf("%s; %s", missing[i].Why, missing[i].Get)
	}
	if choice.Name != "onnx:cpu" {
		t.Setenv("GOMLX_BACKEND", "onnx:cpu")
		choice, _ = engine.Choose(engine.Cache())
	}
	onnx, err := engine.Open(choice)
	if err != nil {
		t.Fatal(err)
	}
	defer onnx.Finalize()
	reference := smallest(t, plain)
	finish(t, reference)
	for _, method := range []negative.Method{negative.ALBEF(8), negative.GRITVLP(8, 16), negative.MAFA(8, 16), mining(), negative.SRCL(3)} {
		steps := func(job Job) []Output {
			if method.NeedsReference() {
				job.Config.Reference, job.Reference = "of the test", reference.Dir
			}
			job.Config.Framework.Text.Dropout = 0 // each engine has its own draws
			tr, err := newTrainer(job)
			if err != nil {
				t.Fatal(err)
			}
			defer tr.close()
			if tr.steps, err = tr.sampler.Epoch(0); err != nil {
				t.Fatal(err)
			}
			var all []Output
			for range 5 {
				pairs, err := tr.sampler.Next()
				if err != nil {
					t.Fatal(err)
				}
				if err := tr.loader.Submit(loader.Request{Pairs: pairs, Step: tr.Step}); err != nil {
					t.Fatal(err)
				}
				batch, err := tr.loader.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				out, err := tr.run(tr.input(batch))
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, out)
				tr.Step++
			}
			return all
		}
		slow, fast := smallest(t, method), smallest(t, method)
		fast.Backend = onnx
		want, got := steps(slow), steps(fast)
		for i := range want {
			for name, v := range map[string][2]float64{
				"ITC": {got[i].ITC, want[i].ITC}, "ITM": {got[i].ITM, want[i].ITM}, "MLM": {got[i].MLM, want[i].MLM},
				"temperature": {got[i].Temperature, want[i].Temperature},
			} {
				if math.Abs(v[0]-v[1]) > 1e-4*math.Abs(v[1]) {
					t.Errorf("%s, step %d, %s: got %g on ONNX Runtime, want %g", method.Name, i, name, v[0], v[1])
				}
			}
		}
	}
}
