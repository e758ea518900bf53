package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework/albef"
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
	m, out := must.Get2(Train(t.Context(), job))(t)
	m.Close()
	return out
}

// A run that was stopped anywhere ends in the bits of one that was not: weights, moments, queue, momentum weights, random
// state, which dropout draws from, sampler, records and curves. There are 5 steps an epoch, and 3 epochs.
func TestResumeIsBitIdentical(t *testing.T) {
	ahead := negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8, Baseline: 0.9, Lookahead: 2})
	ahead.Name += " two ahead"
	reference := smallest(t, plain)
	finish(t, reference)
	learned := negative.MAFA(8, 16)
	learned.Positives = negative.ECM{Low: 0.26, High: 0.34} // some scores of the untrained Con-D are in each of the three ranges
	augmented := plain
	augmented.Name += " augmented"
	kept := negative.Method{Name: "numbers of samples", Contrast: negative.FastCLIP{Version: 2, Gamma: 0.5, Decay: 2,
		Temperature: 0.1, Rho: 7,
		Rate: 0.01},
		LeftOut: negative.Thresholds{Alpha: 0.2, Learn: 1, FromBatch: true}}.WithDefaults()
	for _, method := range []negative.Method{plain, negative.ALBEF(8), negative.GRITVLP(8, 16),
		negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 5, Hidden: 8}), ahead, learned, augmented, kept, negative.SRCL(3),
		negative.Quantile("Quantile", 0.9, 8, 16), negative.ProgressiveQuantile("Progressive", 0.5, 1, 8, 16)} {
		t.Run(method.Name, func(t *testing.T) {
			started := func() Job {
				job := withReference(smallest(t, method), reference)
				if method.Name == augmented.Name {
					job.Config.Transform = transform.ALBEF(16)
				}
				job.Evaluate = func(_ context.Context, m *Model, epoch int) (map[string]float64, error) {
					return map[string]float64{"epoch": float64(epoch)}, nil
				}
				return job
			}
			whole := started()
			if whole.Config.Framework.Framework.(albef.Model).Text.Dropout == 0 {
				t.Fatal("without dropout nothing draws from the store")
			}
			want := finish(t, whole)
			wantStore, wantState := saved(t, whole.Dir)
			for _, stops := range [][]int{{1}, {5}, {2, 3, 4}, {6, 9, 10, 14}} {
				job := started()
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
			if method.Name == learned.Name {
				var v negative.Verdicts
				for _, e := range want.Epochs {
					v = v.Plus(e.Observed.Judgements().Images).Plus(e.Observed.Judgements().Texts)
				}
				t.Logf("Con-D's verdicts: %+v", v)
				for kind := range v.True {
					if v.True[kind]+v.False[kind] == 0 {
						t.Errorf("Con-D gave no verdict of kind %d", kind)
					}
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
			must.Do(t, errors.Join(curves(filepath.Join(job.Dir, CurvesName)), os.WriteFile(left, []byte("half"), 0o600)))
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
	for _, want := range []string{"epoch 1, step ", "ITC ", "ITM ", "MLM ", "NaN", "pairs of its mini-batch are [",
		"lower the learning rate"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
	store, state := saved(t, job.Dir)
	if state.Epoch != 1 || state.Step != 0 || len(state.Epochs) != 1 {
		t.Errorf("got a checkpoint at epoch %d, step %d with %d records, want the end of epoch 0", state.Epoch, state.Step,
			len(state.Epochs))
	}
	for _, x := range vector(t, store, "/model/text_projection/bias") {
		if !(math.Abs(float64(x)) < 1) {
			t.Errorf("got a weight of %g in the checkpoint", x)
		}
	}
}

// A checkpoint that cannot be written when a run is stopped is reported; the run does not claim to be kept.
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
