package train

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gomlx/compute/shapes"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// On an engine whose memory is apart from the host's, a step takes its mini-batch there, with the window on what is kept of its samples,
// and brings back embeddings, that window and scalars: weights, moments, momentum encoders and queues stay.
func TestVariablesStayOnTheEngine(t *testing.T) {
	sogCLR := negative.Method{Name: "SogCLR", Contrast: negative.SogCLR{Gamma: 0.8, Temperature: 0.1}}
	for _, method := range []negative.Method{negative.Plain(), negative.ALBEF(8), negative.SRCL(3), sogCLR.WithDefaults(),
		negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8})} {
		t.Run(method.Name, func(t *testing.T) {
			reference := smallest(t, plain)
			if method.NeedsReference() {
				finish(t, reference)
			}
			var jobs [2]Job
			for i := range jobs {
				jobs[i] = withReference(smallest(t, method), reference)
			}
			apart := &enginetest.Apart{Backend: jobs[0].Backend}
			jobs[0].Backend = apart
			sideBySide(t, 2, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
				if got, want := outs[0].Loss(), outs[1].Loss(); got != want {
					t.Errorf("epoch %d, step %d: a loss of %g, and %g where memory is shared", epoch, step, got, want)
				}
				went, came := apart.Crossed()
				up, down := named(went), named(came)
				if epoch == 0 && step == 0 {
					return // first values
				}
				var batch, told []shapes.Shape
				for _, f := range runs[0].step.inputs {
					batch = append(batch, f.Shape)
				}
				for _, v := range sortedVariables(runs[0].store, negative.WindowScope) {
					batch, told = append(batch, v.Shape()), append(told, v.Shape())
				}
				listtest.Equal(t, fmt.Sprintf("epoch %d, step %d, to the engine", epoch, step), up, named(batch))
				// Of the step before what the sampler heard, of this one scalars.
				for _, x := range outs[0].Values {
					told = append(told, x.Shape())
				}
				known := named(told)
				for _, shape := range down {
					if shape != "(Float32)" && !slices.Contains(known, shape) {
						t.Errorf("epoch %d, step %d: %s came back", epoch, step, shape)
					}
				}
			})
		})
	}
}

// named are shapes in words, sorted.
func named(all []shapes.Shape) (names []string) {
	for _, shape := range all {
		names = append(names, shape.String())
	}
	slices.Sort(names)
	return names
}

// Where memory is apart the images of a mini-batch go to the engine before their step asks for them, unless nobody knows it so early, and
// the run is the same, stopped or not.
func TestImagesAreSentAhead(t *testing.T) {
	for _, c := range []struct {
		method negative.Method
		known  int // mini-batches at the first step
	}{{negative.Plain(), 2}, {negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8}), 1}} {
		shared, stopped, begun := smallest(t, c.method), smallest(t, c.method), smallest(t, c.method)
		stopped.Backend = &enginetest.Apart{Backend: stopped.Backend}
		want, got := finish(t, shared), finish(t, stopped, 1, 3, 7)
		if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
			t.Errorf("%s: got epochs\n%s\nwant\n%s", c.method.Name, g, w)
		}
		a, _ := saved(t, shared.Dir)
		b, _ := saved(t, stopped.Dir)
		same(t, c.method.Name, variables(t, b, "/"), variables(t, a, "/"))

		apart := &enginetest.Apart{Backend: begun.Backend}
		begun.Backend = apart
		tr := must.Get(newTrainer(begun))(t)
		defer tr.close()
		tr.steps = must.Get(tr.sampler.Epoch(0))(t)
		for step := range c.known {
			pairs, err := tr.sampler.Next()
			if err == nil {
				err = tr.loader.Submit(tr.request(pairs, step))
			}
			if err != nil {
				t.Fatal(err)
			}
			tr.ahead = append(tr.ahead, pairs)
		}
		must.Get(tr.next(t.Context()))(t)
		if (tr.coming != nil) != (c.known > 1) {
			t.Fatalf("%s: another mini-batch is on its way: %t", c.method.Name, tr.coming != nil)
		}
		if tr.coming == nil {
			continue
		}
		in := tr.fields(tr.coming)
		tr.coming = nil
		defer in.Release()
		image := in[field.Image].Shape()
		if up, _ := apart.Crossed(); len(up) != 1 || !up[0].Equal(image) {
			t.Errorf("%s: %v went to the engine, want %s", c.method.Name, up, image)
		}
	}
}
