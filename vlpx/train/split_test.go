package train

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// onDevices is a job on so many devices, each with a memory of its own.
func onDevices(t *testing.T, job Job, devices int) Job {
	t.Helper()
	job.Config.Devices = devices
	job.Backend = &enginetest.Several{Backend: enginetest.PureGo(t), Devices: devices}
	job.Dir = t.TempDir()
	return job
}

// A run whose mini-batches are divided among devices has the very weights, moments, queues, thresholds and random numbers of one on a
// single device, where no engine rounds otherwise: in every framework and stage, with dropout, momentum encoders, a queue, a reference
// model, new positives, numbers of samples and thresholds, written sentences, a scheduled sampler that asks what a step improved, and batch
// normalisation. So it has when it is stopped and goes on.
func TestDevicesChangeNothing(t *testing.T) {
	sogCLR := negative.Method{Name: "SogCLR", Contrast: negative.SogCLR{Gamma: 0.8, Temperature: 0.1}}
	reference := smallest(t, plain)
	finish(t, reference)
	jobs := map[string]Job{
		"CLIP": onCLIP(t, scheduledByITC(), true), "SimCLR": onSimCLR(t, viewMethods()[1], false), "BLIP-2": onGenerative(t),
		"UNITER": pretraining(onUNITER(t, negative.Plain(), 0.1)), "GPT": onGPT(t, 0.1), "OPT": onOPT(t),
		"questions": answering(t, reference, negative.InfoNCE{}, 3), "statements": stating(t),
	}
	generator := onUNITER(t, writingBy("UNITER+MLM", func(m *negative.TAGS) { m.Keep = 0 }), 0.1)
	finish(t, generator)
	jobs["TAGS"] = withReference(onUNITER(t, writing(), 0.1), generator)
	found := negative.Method{Name: "thresholds", Contrast: negative.FastCLIP{Version: 2, Gamma: 0.5, Decay: 2, Temperature: 0.1, Rho: 7,
		Rate: 0.01},
		LeftOut: negative.Thresholds{Alpha: 0.2, Learn: 1, FromBatch: true}}
	for _, method := range []negative.Method{negative.ALBEF(8), negative.SRCL(3), mining(), sogCLR.WithDefaults(), found.WithDefaults(),
		negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8})} {
		jobs[method.Name] = withReference(smallest(t, method), reference)
	}
	for name, one := range jobs {
		t.Run(name, func(t *testing.T) {
			if _, embeds := one.Config.Framework.Framework.(framework.EmbedsImages); embeds {
				one.Evaluate = embedded
			}
			two := onDevices(t, one, 2)
			want := finish(t, one)
			got := finish(t, two, 2, 4)
			if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
				t.Errorf("got epochs\n%s\nwant\n%s", g, w)
			}
			learned, _ := saved(t, one.Dir)
			divided, _ := saved(t, two.Dir)
			same(t, "on two devices", variables(t, divided, "/"), variables(t, learned, "/"))
		})
	}
}

// embedded measures a model by the sum of an image's embedding, on one device.
func embedded(_ context.Context, m *Model, _ int) (map[string]float64, error) {
	inference, err := m.Inference()
	if err != nil {
		return nil, err
	}
	size := inference.ImageSize()
	pixels := make([]float32, size)
	for i := range pixels {
		pixels[i] = float32(i%7) / 7
	}
	images, err := inference.Images(pixels)
	if err != nil {
		return nil, err
	}
	sum := 0.0
	for _, x := range images.Features {
		sum += float64(x)
	}
	return map[string]float64{"sum": sum}, nil
}

// Each device gets its part of a field that has a row a pair, and all of any other.
func TestDevicesShareTheMiniBatch(t *testing.T) {
	job := onDevices(t, smallest(t, negative.ALBEF(8)), 2)
	run := must.Get(newTrainer(job))(t)
	defer run.close()
	must.Do(t, run.step.open())
	shapes := run.step.layout.parts()
	var parts []string
	for k, f := range run.step.inputs {
		if got, twin := shapes[k], shapes[len(shapes)/2+k]; !got.Equal(twin) {
			t.Errorf("%s is %s on the first device and %s on the second", f.Name, got, twin)
		} else if f.Shape.Size() == 2*got.Size() {
			parts = append(parts, string(f.Name))
		} else if !got.Equal(f.Shape) {
			t.Errorf("%s is %s on a device, and %s in all", f.Name, got, f.Shape)
		}
	}
	slices.Sort(parts)
	want := []string{string(field.Captions), string(field.Image), string(field.Masked), string(field.Words)}
	slices.Sort(want)
	listtest.Equal(t, "fields in parts", parts, want)
}

// What cannot be divided is reported before anything is trained, with what to set.
func TestDevicesThatAreNotThere(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Job)
		want   []string
	}{
		"more than the engine has": {func(j *Job) { j.Config.Devices = 4 }, []string{"devices=4", "has 2", "set devices=2", "4 GPUs"}},
		"an engine of one":         {func(j *Job) { j.Backend = enginetest.PureGo(t) }, []string{"has 1", "set devices=1"}},
		"an engine that cannot divide": {func(j *Job) { j.Backend = undivided{j.Backend.(*enginetest.Several)} },
			[]string{"cannot divide", "set devices=1", "XLA"}},
		"unequal parts": {func(j *Job) { j.Config.Devices = 3 }, []string{"4 pairs", "3 devices", "batchsize to a multiple of 3"}},
		"one by name":   {func(j *Job) { j.Config.Devices = 1 }, []string{"1 devices", "none for one"}},
		"less than one": {func(j *Job) { j.Config.Devices = -2 }, []string{"-2 devices"}},
	} {
		t.Run(name, func(t *testing.T) {
			job := onDevices(t, smallest(t, plain), 2)
			c.change(&job)
			_, _, err := Train(t.Context(), job)
			if err == nil {
				t.Fatal("it trained")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not report %q", err, part)
				}
			}
		})
	}
}

// undivided is an engine of several devices that runs a program on one of them alone.
type undivided struct{ *enginetest.Several }

func (u undivided) Builder(name string) compute.Builder {
	return undividedBuilder{u.Several.Builder(name)}
}

type undividedBuilder struct{ compute.Builder }

func (undividedBuilder) DistributedAutoSharding(...compute.Mesh) error {
	return compute.ErrNotImplemented
}
