package kernels_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/kerneltest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
)

// ownCode is a part, a task and a framework of one's own.
const ownCode = `
import (
	"context"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/paper"
)

type Doubled struct{ Weight float64 }

func (d Doubled) ITC(in negative.Features) negative.Contrasted {
	i2t := objective.Similarities(in.Image, in.Text, in.Temperature)
	own, t2i := objective.OneHotTargets(i2t), Transpose(i2t, 0, 1)
	return negative.Contrasted{Loss: MulScalar(objective.ITC(i2t, t2i, own, own), factor*d.Weight), I2T: i2t, T2I: t2i}
}

const factor = 2

type Height struct{}

func (Height) Metrics() []eval.Info { return []eval.Info{{Metric: "height", What: "images"}} }

func (Height) Check(framework.Framework, datasets.Set) error { return nil }

func (Height) Measure(_ context.Context, on eval.Subject) (eval.Measured, error) {
	return eval.Measured{Metrics: eval.Result{"height": float64(on.Set.Len())}}, nil
}

type Mine struct{ clip.Model }

func (Mine) Name() string { return "Mine" }

func newMine(s paper.Scale, vocab int) framework.Framework {
	s.Framework = "CLIP"
	return Mine{s.Model(vocab).(clip.Model)}
}
`

// ownRun trains it once a seed.
const ownRun = `%%
vlpx.Run("Doubled", vlpx.Options{
	Scale: "tiny", Seeds: []uint64{SEEDS}, Model: newMine, Tasks: []eval.Task{Height{}}, Own: []negative.Method{{Name: "Doubled", Contrast: Doubled{1}}},
	Set: []string{"scenes.train=16", "scenes.test=4", "scenes.val=4", "epochs=1"},
})
`

// ownPart tells by a store when runs of what a cell declares are kept: after the kernel is started anew, with further seeds, and with other
// code in the notebook.
func ownPart(t *testing.T, prefix string) {
	home := t.TempDir()
	t.Setenv("VLPX_HOME", home)
	finished := func() map[string]time.Time {
		paths := must.Get(filepath.Glob(filepath.Join(home, "runs", "*", "result.json")))(t)
		all := map[string]time.Time{}
		for _, path := range paths {
			info := must.Get(os.Stat(path))(t)
			all[path] = info.ModTime()
		}
		return all
	}
	cell := func(change [2]string, seeds string) kernels.Cell {
		return kernels.Go(strings.Replace(ownCode, change[0], change[1], 1) + strings.Replace(ownRun, "SEEDS", seeds, 1))
	}
	pages := func(cells ...kernels.Cell) (all []string) {
		for _, c := range must.Get(kerneltest.Execute(t, prefix, cells...))(t) {
			all = append(all, c.HTML())
		}
		return all
	}
	const whole = "is identified by the whole program"
	if page := pages(cell([2]string{}, "1, 2"))[0]; len(finished()) != 2 || strings.Contains(page, whole) {
		t.Fatalf("got %d finished runs, want 2, each told apart from the rest of the program, in %s", len(finished()), page)
	}
	first := finished()
	pages(kernels.Go(ownCode+"\ntype Another struct{ Doubled }\n\nfunc more() int { return factor + 1 }\n\n%%\nfmt.Println(more())"),
		cell([2]string{"type Doubled", "// Doubled counts twice.\ntype Doubled"}, "1, 2, 3"))
	all := finished()
	maps.DeleteFunc(all, func(path string, at time.Time) bool { return first[path].Equal(at) })
	if len(finished()) != 3 || len(all) != 1 {
		t.Fatalf("after a new start with a further seed and a further cell: got %d finished runs, %d of them new, want 3 and 1",
			len(finished()), len(all))
	}
	const end = "*d.Weight), I2T: i2t, T2I: t2i}\n}\n"
	last := pages(cell([2]string{"factor = 2", "factor = 3"}, "1"), cell([2]string{"float64(on.Set.Len())", "2 * float64(on.Set.Len())"}, "1"),
		cell([2]string{`"Mine"`, `"My own"`}, "1"),
		cell([2]string{"factor" + end, "times" + end + "\nvar times = 2.0\n\nfunc set() { times = 3 }\n"}, "1"))
	if len(finished()) != 3+4 {
		t.Errorf("with a changed part, a changed task, a changed framework and a variable: got %d finished runs, want %d", len(finished()), 3+4)
	}
	if want := "Doubled " + whole +
		", so it runs anew after any change: it uses the variable times, which set may change"; !strings.Contains(last[3], want) {
		t.Errorf("no %q in %s", want, last[3])
	}
}
