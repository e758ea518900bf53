package train

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

func TestReadCurves(t *testing.T) {
	dir := t.TempDir()
	if c, err := ReadCurves(dir); err != nil || len(c.Points)+len(c.Epochs) > 0 {
		t.Errorf("without a file: got %v, %v", c, err)
	}
	const lines = `{"epoch":0,"step":0,"losses":{"ITC":3}}
{"epoch":0,"step":10,"losses":{"ITC":2,"ITM":0.5}}
{"epoch":0,"losses":{"ITC":2.5},"metrics":{"IR@1":7}}
`
	want := Curves{
		Points: []Point{{Losses: Losses{"ITC": 3}}, {Step: 10, Losses: Losses{"ITC": 2, "ITM": 0.5}}},
		Epochs: []Record{{Losses: Losses{"ITC": 2.5}, Metrics: map[string]float64{"IR@1": 7}}},
	}
	for _, text := range []string{lines, lines + `{"epoch":1,"st`, lines + "\x00"} { // being written
		must.Do(t, os.WriteFile(filepath.Join(dir, CurvesName), []byte(text), 0o644))
		if got, err := ReadCurves(dir); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, CurvesName), []byte(lines+"half\n"), 0o644))
	must.Fail(t, must.Err(ReadCurves(dir)), CurvesName+": line 4")
}

// A run's own curves are read back: every point and every record.
func TestCurvesOfARun(t *testing.T) {
	job := smallest(t, negative.Plain())
	model, outcome := must.Get2(Train(t.Context(), job))(t)
	model.Close()
	c := must.Get(ReadCurves(job.Dir))(t)
	if !reflect.DeepEqual(c.Epochs, outcome.Epochs) {
		t.Errorf("epochs %v, want %v", c.Epochs, outcome.Epochs)
	}
	if want := len(outcome.Epochs); len(c.Points) != want || c.Points[want-1].Epoch != want-1 || c.Points[0].Losses[negative.ITC] <= 0 {
		t.Errorf("points %v, want one of each of the %d epochs of five steps", c.Points, want)
	}
}

// A step counts as clipped whose gradient is longer than the bound, none where there is no bound; a run's record has the share of an epoch.
func TestClippedSteps(t *testing.T) {
	for clip, want := range map[float64]float64{0: 0, 1: 0.5, 2: 0.25, 9: 0} {
		var of tally
		for _, norm := range []float32{0.5, 2, 3, 1} {
			of.add(Output{Values: field.Values{field.GradientNorm: tensors.FromScalar(norm), field.Temperature: tensors.FromScalar(norm)}}, clip)
		}
		if got := of.record(0, 0).Clipped; got != want {
			t.Errorf("clipped to %g: got a share of %g, want %g", clip, got, want)
		}
	}
	for clip, want := range map[float64]float64{0: 0, 1e-9: 1, 1e9: 0} {
		job := smallest(t, plain)
		job.Config.Optimiser.ClipNorm = clip
		for _, e := range finish(t, job, 7).Epochs {
			if e.Clipped != want {
				t.Errorf("epoch %d of a run clipped to %g: got a share of %g, want %g", e.Epoch, clip, e.Clipped, want)
			}
		}
	}
}

func FuzzCurves(f *testing.F) {
	f.Add([]byte("{\"epoch\":0,\"step\":0}\n{\"epoch\":0}\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseCurves("curves", text)
		if lines := strings.Count(string(text), "\n"); err == nil && len(c.Points)+len(c.Epochs) != lines {
			t.Errorf("%d entries of %d lines", len(c.Points)+len(c.Epochs), lines)
		}
	})
}
