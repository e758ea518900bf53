package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// ordered is what inOrder was shown, which has no field for it: its JSON is all that it is.
var ordered []negative.Seen

type inOrder struct{}

func (inOrder) Start(run negative.Start) (negative.Sampler, error) {
	return negative.Ordered(run, func(s negative.Seen, draw *rand.Rand) []int {
		s.Image, s.Text = slices.Clone(s.Image), slices.Clone(s.Text)
		ordered = append(ordered, s)
		return draw.Perm(s.Pairs)
	})
}

// A run that looks orders its first epoch by the embeddings of the model that it starts from, and trains its epochs, stopped or not.
func TestLook(t *testing.T) {
	first := smallest(t, plain)
	finish(t, first)
	looking := func() Job {
		job := tuning(t, first)
		job.Config.Method.Batches, job.Config.Look = inOrder{}, true
		return job
	}
	ordered = nil
	job := looking()
	want := finish(t, job)
	if len(want.Epochs) != job.Config.Epochs || len(ordered) != job.Config.Epochs {
		t.Fatalf("%d epochs of training with %d orders, want %d each", len(want.Epochs), len(ordered), job.Config.Epochs)
	}

	tr := must.Get(newTrainer(tuning(t, first)))(t) // as it was before the first step
	defer tr.close()
	must.Get(tr.sampler.Epoch(0))(t)
	pairs := must.Get(tr.sampler.Next())(t)
	if err := tr.loader.Submit(tr.request(pairs, 0)); err != nil {
		t.Fatal(err)
	}
	batch := must.Get(tr.loader.Next(t.Context()))(t)
	image, text, err := tr.embed(batch)
	if err != nil {
		t.Fatal(err)
	}
	dim := ordered[0].Dim
	for k, pair := range batch.Pairs {
		for d := range dim {
			for _, of := range [][2]float32{{ordered[0].Image[pair*dim+d], image[k*dim+d]}, {ordered[0].Text[pair*dim+d], text[k*dim+d]}} {
				if math.Abs(float64(of[0]-of[1])) > 1e-6 {
					t.Fatalf("pair %d: the first order sees %g, the model that the run starts from gives %g", pair, of[0], of[1])
				}
			}
		}
	}

	if g, w := asJSON(t, finish(t, looking(), 1, 5, 8).Epochs), asJSON(t, want.Epochs); g != w {
		t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
	}
	job = looking()
	job.Config.Init = ""
	if _, _, err := Train(t.Context(), job); err == nil {
		t.Error("a run that starts from no model looks at its embeddings")
	}
}

// Of an image's vectors the nearest to its text is taken.
func TestNearest(t *testing.T) {
	images := []float32{1, 0, 0, 1 /* second image */, 0, -1, .6, .8}
	got := nearest(images, []float32{0, 1, 1, 0}, 2, 2)
	if want := []float32{0, 1, .6, .8}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
