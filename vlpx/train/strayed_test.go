package train

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// straying is InfoNCE whose loss is no number, or infinite, from a point of training on, in epochs.
type straying struct {
	negative.InfoNCE
	From     float64
	Infinite bool
}

func (s straying) ITC(f negative.Features) negative.Contrasted {
	c := s.InfoNCE.ITC(f)
	to := math.NaN()
	if s.Infinite {
		to = math.Inf(1)
	}
	strays := GreaterOrEqual(f.Progress, ConstAs(f.Progress, s.From))
	c.Loss = Add(c.Loss, Where(strays, ConstAs(c.Loss, to), ZerosLike(c.Loss)))
	return c
}

// A loss that is no number, or infinite, ends the training at its step, by its name, and the last checkpoint before it stays.
func TestStrayedLoss(t *testing.T) {
	for says, s := range map[string]straying{
		"epoch 0, step 0: ITC is NaN":  {},
		"epoch 1, step 3: ITC is NaN":  {From: 1.6},
		"epoch 2, step 0: ITC is +Inf": {From: 2, Infinite: true},
	} {
		job := smallest(t, negative.Method{Name: "straying", Contrast: s}.WithDefaults())
		m, _, err := Train(t.Context(), job)
		if err == nil {
			m.Close()
		}
		must.Fail(t, err, says)
		kept := filepath.Join(job.Dir, CheckpointName)
		if _, err := os.Stat(kept); s.From < 1 {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: a checkpoint was kept (%v)", says, err)
			}
			continue
		}
		if _, state := saved(t, job.Dir); state.Epoch != int(s.From) || state.Step != 0 {
			t.Errorf("%s: the checkpoint is of step %d of epoch %d", says, state.Step, state.Epoch)
		}
	}
}
