package train

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// wrong is a contrast whose reporting is wrong.
type wrong struct {
	negative.InfoNCE
	Tells string
}

func (w wrong) ITC(f negative.Features) negative.Contrasted {
	c := w.InfoNCE.ITC(f)
	switch w.Tells {
	case "twice":
		f.Tell("x", c.Loss)
		f.Tell("x", c.Loss)
	case "vector":
		f.Tell("x", ReduceSum(c.I2T, -1))
	case "nothing":
		f.Tell("x", nil)
	case "no whole":
		f.TellShare("x", c.I2T, nil)
	case "unnamed":
		f.Tell(" ", c.Loss)
	case "infinite":
		f.Tell("x", Div(c.Loss, Sub(c.Loss, c.Loss)))
	case "truth":
		f.TellShare("x", f.Truth().Holds, f.Truth().Known)
	case "empty":
		f.TellShare("x", Sub(c.I2T, c.I2T), Sub(c.I2T, c.I2T))
	default:
		f.Tell(w.Tells, c.Loss)
	}
	return c
}

// lost is an order of one's own that reports no number.
type lost struct{}

func (l lost) Start(run negative.Start) (negative.Sampler, error) {
	return negative.Ordered(run, l.order)
}

func (lost) order(seen negative.Seen, draw *rand.Rand) []int {
	seen.TellShare("x", math.NaN(), 1)
	return draw.Perm(seen.Pairs)
}

// A reporting that is wrong is refused before the first step where the graph shows it, and names the part.
func TestWrongTelling(t *testing.T) {
	with := func(tells string) negative.Method {
		return negative.Method{Name: "mine", Contrast: wrong{Tells: tells}}.WithDefaults()
	}
	both := with("one of matching")
	both.Matching = tellingMatching{}
	for name, c := range map[string]struct {
		method negative.Method
		want   string
	}{
		"twice":      {with("twice"), `the contrast train.wrong reports "x" twice in one step`},
		"a vector":   {with("vector"), `reports "x" of shape (Float32)[4]; report a scalar`},
		"nothing":    {with("nothing"), `reports "x", and there is no number`},
		"no whole":   {with("no whole"), `reports a share called "x" of nothing`},
		"unnamed":    {with("unnamed"), `reports a number called " "`},
		"infinite":   {with("infinite"), `epoch 0, step 0: the contrast train.wrong reports "x", which is +Inf of 1`},
		"a loss":     {with("ITC"), `the contrast train.wrong reports "ITC", which is a loss of ALBEF; give the number another name`},
		"the step's": {with("gradient norm"), `reports "gradient norm", which is reported of each step`},
		"counted":    {with(FalseInBatch), `reports "FN in batch", which is what training counts`},
		"a task's":   {with("TR@1"), `reports "TR@1", which is measured by retrieval`},
		"two parts":  {both, `the contrast train.wrong and the matching train.tellingMatching both report "one of matching"`},
		"no truth":   {with("truth"), "asks for the truth of pairs, of which this data knows nothing, so that it is nil"},
		"lost": {negative.Method{Name: "mine", Batches: lost{}}.WithDefaults(),
			`epoch 1, step 0: the batches train.lost reports "x", which is NaN of 1`},
		"of the sampler": {negative.Method{Name: "mine", Contrast: wrong{Tells: "ordered epoch"}, Batches: byEpoch{}}.WithDefaults(),
			`the batches train.byEpoch reports "ordered epoch", which is what the contrast train.wrong reports`},
	} {
		job := smallest(t, c.method)
		job.Taken = map[string]string{"TR@1": "measured by retrieval"}
		if name == "no truth" {
			job.Set = withoutRelation{job.Set}
		}
		must.Fail(t, must.Err2(Train(t.Context(), job)), c.want, "%s", name)
	}
	for _, record := range finish(t, smallest(t, with("empty"))).Epochs {
		if _, told := record.Counted()["x"]; told {
			t.Errorf("epoch %d: a share of nothing is reported", record.Epoch)
		}
	}
}
