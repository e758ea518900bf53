package train

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// ranks is how many devices share a mini-batch here.
const ranks = 2

// shared is a mini-batch as several devices see it, in one graph: each has embedded its own part with the same weights, and has gathered
// what the others made of theirs.
type shared struct {
	job                         Job
	store                       *model.Store
	in                          field.Nodes
	image, text                 []*Node // of each device's part, with gradient
	momentumImage, momentumText []*Node // without; nil where the method has no momentum encoders
	temperature                 *Node
	smoothing                   float64
	first                       map[*model.Variable]*Node // what the contrast kept before the step
}

// divided embeds a mini-batch part by part.
func divided(job Job, store *model.Store, in field.Nodes) *shared {
	d := &shared{job: job, store: store, in: in}
	f := job.Config.Framework.Framework.(framework.Embeds)
	if m, ok := f.(blip2.Model); ok {
		d.smoothing = m.Smoothing
	}
	each := job.Config.BatchSize / ranks
	for r := range ranks {
		part := func(name field.Name) *Node { return Slice(in.Of(name), AxisRange(r*each, (r+1)*each)) }
		s := store.Scope(framework.Model)
		d.image = append(d.image, f.EmbedImage(s, part(field.Image)).Feature)
		d.text = append(d.text, f.EmbedText(s, part(field.Captions)).Feature)
		if _, distils := job.Config.Method.Contrast.(negative.Distiller); distils {
			s = store.Scope(framework.Momentum)
			d.momentumImage = append(d.momentumImage, StopGradient(f.EmbedImage(s, part(field.Image)).Feature))
			d.momentumText = append(d.momentumText, StopGradient(f.EmbedText(s, part(field.Captions)).Feature))
		}
	}
	return d
}

// gather is what one device has of all, where the others' parts carry gradient back to them, and where they do not.
func gather(parts []*Node, own int, back bool) *Node {
	all := slices.Clone(parts)
	for r := range all {
		if !back && r != own {
			all[r] = StopGradient(all[r])
		}
	}
	return Concatenate(all, 0)
}

// again is what the contrast keeps as it was before the step.
func (d *shared) again() {
	for v, value := range d.first {
		v.SetNodeValue(value)
	}
}

// mean averages the devices' losses, and with them their gradients.
func mean(of func(rank int) *Node) *Node {
	var sum *Node
	for r := range ranks {
		loss := of(r)
		if sum == nil {
			sum = loss
		} else {
			sum = Add(sum, loss)
		}
	}
	return DivScalar(sum, ranks)
}

// byContrast has each device contrast all that is gathered, by the contrast itself.
func (d *shared) byContrast(contrast negative.Contrast, back bool) *Node {
	return mean(func(r int) *Node {
		d.again()
		f := d.job.Config.Use().Features(d.store, d.in)
		f.Image, f.Text = gather(d.image, r, back), gather(d.text, r, back)
		f.Temperature, f.Smoothing = d.temperature, d.smoothing
		if d.momentumImage != nil {
			f.MomentumImage, f.MomentumText = gather(d.momentumImage, r, true), gather(d.momentumText, r, true)
		}
		return contrast.ITC(f).Loss
	})
}

// ownAnchors has each device contrast its own anchors with all that is gathered, as the published codes do: with the momentum encoders'
// where there are any, and the queue. Without back what is gathered carries no gradient, the device's own part neither.
func (d *shared) ownAnchors(back bool) *Node {
	images, texts := d.image, d.text
	if d.momentumImage != nil {
		images, texts = d.momentumImage, d.momentumText
	}
	keys := func(parts []*Node, side string) *Node {
		all := gather(parts, 0, true)
		if !back {
			all = StopGradient(all)
		}
		for v, value := range d.first {
			if strings.HasSuffix(v.Path(), "/"+side+"/queue") {
				all = Concatenate([]*Node{all, value}, 0)
			}
		}
		return all
	}
	imageKeys, textKeys := keys(images, negative.ImageAnchors), keys(texts, negative.TextAnchors)
	each := d.job.Config.BatchSize / ranks
	return mean(func(r int) *Node {
		i2t, t2i := objective.Similarities(d.image[r], textKeys, d.temperature), objective.Similarities(d.text[r], imageKeys, d.temperature)
		all := objective.OneHotTargets(Concatenate(slices.Repeat([]*Node{i2t}, ranks), 0)) // of the anchors of all devices
		own := Slice(all, AxisRange(r*each, (r+1)*each))
		if d.smoothing > 0 {
			own = objective.Smoothed(own, d.smoothing)
		}
		i2tTargets, t2iTargets := own, own
		if distilled, ok := d.job.Config.Method.Contrast.(negative.Distilled); ok {
			mix, tau := distilled.Mix(d.in.Of(field.Progress)), StopGradient(d.temperature)
			i2tTargets = objective.Softened(own, Softmax(objective.Similarities(d.momentumImage[r], textKeys, tau), -1), mix)
			t2iTargets = objective.Softened(own, Softmax(objective.Similarities(d.momentumText[r], imageKeys, tau), -1), mix)
		}
		return objective.ITC(i2t, t2i, i2tTargets, t2iTargets)
	})
}

// apart has each device contrast its own part alone, with the queue, by the contrast itself: nothing is gathered.
func (d *shared) apart(contrast negative.Contrast) *Node {
	return mean(func(r int) *Node {
		d.again()
		f := d.job.Config.Use().Features(d.store, d.in)
		f.Image, f.Text, f.Temperature = d.image[r], d.text[r], d.temperature
		if d.momentumImage != nil {
			f.MomentumImage, f.MomentumText = d.momentumImage[r], d.momentumText[r]
		}
		return contrast.ITC(f).Loss
	})
}

// learnedBy is a loss with its gradients, and what the contrast keeps after it.
type learnedBy struct {
	loss      float64
	gradients map[string][]float64
	kept      map[string][]float64
}

// shares computes losses of one mini-batch in one graph: by the framework's own step, and by devices that share it.
func shares(t *testing.T, backend compute.Backend, dtype dtypes.DType, job Job, how map[string]func(*shared) *Node) map[string]learnedBy {
	t.Helper()
	c := job.Config
	c.Objectives = negative.Of(negative.ITC)
	f, store := c.Framework.Framework, model.NewStore()
	defer store.Finalize()
	start := negative.Start{Pairs: 8, BatchSize: c.BatchSize, Dim: framework.Dim(f), Epochs: c.Epochs, Seed: c.Seed}
	must.Do(t, framework.Initialise(f, c.Use(), backend, store, start))
	r := rand.New(rand.NewPCG(5, 1))
	for v := range store.IterVariables() {
		if v.DType() != dtypes.Float32 {
			continue
		}
		numbers := vector(t, store, v.Path())
		for k := range numbers {
			if v.Trainable && v.Shape().Rank() > 0 { // larger ones, which distinguish inputs
				numbers[k] += 0.3 * float32(r.NormFloat64())
			}
		}
		must.Do(t, v.SetValue(typed(dtype, numbers, v.Shape().Dimensions)))
	}
	var inputs []*tensors.Tensor
	for _, x := range c.Inputs() {
		numbers, ids := make([]float32, x.Shape.Size()), make([]int32, x.Shape.Size())
		for k := range numbers {
			numbers[k], ids[k] = float32(r.Float64()), int32(5+r.IntN(9))
		}
		if x.Shape.DType == dtypes.Int32 {
			inputs = append(inputs, tensors.FromFlatDataAndDimensions(ids, x.Shape.Dimensions...))
		} else {
			inputs = append(inputs, typed(dtype, numbers, x.Shape.Dimensions))
		}
	}
	names := append([]string{"whole"}, slices.Sorted(maps.Keys(how))...)
	var weights, states []*model.Variable
	exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
		nodes := field.Nodes{}
		for k, x := range c.Inputs() {
			nodes[x.Name] = in[k]
		}
		g := in[0].Graph()
		first := map[*model.Variable]*Node{}
		weights, states = nil, nil
		for _, v := range sortedVariables(store, framework.State) {
			states, first[v] = append(states, v), v.NodeValue(g)
		}
		told := c.upTo(Forward, s, nodes, 1)
		for _, v := range sortedVariables(store, framework.Model) {
			if v.Trainable && v.InUseByGraph(g) {
				weights = append(weights, v)
			}
		}
		d := divided(job, store, nodes)
		d.temperature, d.first = told.Outputs[field.Temperature], first
		var out []*Node
		for _, name := range names {
			loss := told.Losses[negative.ITC]
			if how[name] != nil {
				loss = how[name](d)
			}
			out = append(out, loss)
			var values []*Node
			for _, v := range weights {
				values = append(values, v.NodeValue(g))
			}
			out = append(out, Gradient(loss, values...)...)
			for _, v := range states {
				out = append(out, ConvertDType(v.NodeValue(g), loss.DType()))
			}
		}
		return out
	}))(t)
	defer exec.Finalize()
	results := must.Get(framework.Call(exec, inputs...))(t)
	defer framework.Release(results)
	all := map[string]learnedBy{}
	next := func() []float64 {
		x := results[0]
		results = results[1:]
		if dtype == dtypes.Float64 {
			return tensors.MustCopyFlatData[float64](x)
		}
		var wide []float64
		for _, x := range tensors.MustCopyFlatData[float32](x) {
			wide = append(wide, float64(x))
		}
		return wide
	}
	for _, name := range names {
		l := learnedBy{next()[0], map[string][]float64{}, map[string][]float64{}}
		for _, v := range weights {
			l.gradients[v.Path()] = next()
		}
		for _, v := range states {
			l.kept[v.Path()] = next()
		}
		all[name] = l
	}
	return all
}

// typed is a tensor of a type.
func typed(dtype dtypes.DType, numbers []float32, dims []int) *tensors.Tensor {
	if dtype == dtypes.Float32 {
		return tensors.FromFlatDataAndDimensions(numbers, dims...)
	}
	wide := make([]float64, len(numbers))
	for k, x := range numbers {
		wide[k] = float64(x)
	}
	return tensors.FromFlatDataAndDimensions(wide, dims...)
}

// temperatureAlone reports whether a path is the temperature's.
func temperatureAlone(path string) bool {
	return strings.HasSuffix(path, "/"+encoder.Temperature) || strings.HasSuffix(path, "/"+encoder.Scale)
}

// off reports how far gradients are off, as a share of the largest, and what is kept. Gradients but the temperature's are multiplied first.
func (l learnedBy) off(want learnedBy, times float64) (gradients, kept float64) {
	largest := 0.0
	for path, numbers := range want.gradients {
		for k, x := range numbers {
			got := l.gradients[path][k]
			if !temperatureAlone(path) {
				got *= times
			}
			largest, gradients = max(largest, math.Abs(x)), max(gradients, math.Abs(got-x))
		}
	}
	for path, numbers := range want.kept {
		for k, x := range numbers {
			kept = max(kept, math.Abs(l.kept[path][k]-x))
		}
	}
	return gradients / largest, kept
}
