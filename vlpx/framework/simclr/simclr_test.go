package simclr

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// published is SogCLR's model.
func published() Model {
	return Model{ResNet: encoder.ResNet{Image: 224, Layers: []int{3, 4, 6, 3}, Width: 64}, Hidden: 2048, Embed: 128, Temperature: 0.1}
}

func tiny() Model {
	return Model{ResNet: encoder.ResNet{Image: 8, Layers: []int{1, 1}, Width: 4, Basic: true, Stem: 1}, Hidden: 6, Embed: 5,
		Temperature: 0.2}
}

func viT() Model {
	return Model{Vision: encoder.ViT{Image: 8, Patch: 4, Width: 4, Layers: 1, Heads: 1, MLP: 4}, Hidden: 6, Embed: 5, Temperature: 0.2}
}

// ResNet-50 without its classifier, and a head of two matrices and the first one's normalisation.
func TestPublishedParameters(t *testing.T) {
	backend := enginetest.PureGo(t)
	store := model.NewStore()
	must.Do(t, framework.Declare(published(), framework.Use{Method: negative.Plain(), Batch: 128, Image: 224}, backend, store))
	if got, want := framework.Parameters(store), 23_508_032+2048*2048+2*2048+2048*128; got != want {
		t.Errorf("got %d parameters, want %d", got, want)
	}
}

func TestCheck(t *testing.T) {
	use := func(m Model) framework.Use {
		return framework.Use{Method: negative.Plain(), Batch: 4, Image: max(m.ResNet.Image, m.Vision.Image)}
	}
	for _, m := range []Model{published(), tiny(), viT()} {
		must.Do(t, framework.Check(m, use(m)))
	}
	for says, spoil := range map[string]func(*Model, *framework.Use){
		"at least one stage":           func(m *Model, _ *framework.Use) { m.ResNet.Layers = nil },
		"a block or more in each":      func(m *Model, _ *framework.Use) { m.ResNet.Layers = []int{1, 0} },
		"a stem with stride -1":        func(m *Model, _ *framework.Use) { m.ResNet.Stem = -1 },
		"seen by one encoder":          func(m *Model, _ *framework.Use) { m.Vision = viT().Vision },
		"heads that divide the width":  func(m *Model, _ *framework.Use) { *m = viT(); m.Vision.Heads = 3 },
		"no locked encoder":            func(m *Model, _ *framework.Use) { *m = viT(); m.Vision.Locked = 3 },
		"a projection head of 0":       func(m *Model, _ *framework.Use) { m.Hidden = 0 },
		"an embedding of -1":           func(m *Model, _ *framework.Use) { m.Embed = -1 },
		"a temperature of 0":           func(m *Model, _ *framework.Use) { m.Temperature = 0 },
		"a temperature of NaN":         func(m *Model, _ *framework.Use) { m.Temperature = math.NaN() },
		"images of 9 pixels":           func(_ *Model, u *framework.Use) { u.Image = 9 },
		"a mini-batch of one image":    func(_ *Model, u *framework.Use) { u.Batch = 1 },
		"needs image-text matching":    func(_ *Model, u *framework.Use) { u.Method = negative.MAFA(8, 8) },
		"needs embeddings of images a": func(_ *Model, u *framework.Use) { u.Method = negative.GRITVLP(8, 8) },
	} {
		m := tiny()
		u := use(m)
		spoil(&m, &u)
		must.Fail(t, framework.Check(m, u), says)
	}
}

// NT-Xent in float64 of embeddings that are reported: for each view the softmax over the other view of the image and both views of the
// others.
func TestStepOfTwoViews(t *testing.T) {
	backend := enginetest.PureGo(t)
	for name, m := range map[string]Model{"ResNet": tiny(), "ViT": viT()} {
		const batch = 5
		u := framework.Use{Method: negative.Plain(), Batch: batch, Image: 8}
		store := model.NewStore()
		must.Do(t, framework.Initialise(m, u, backend, store, negative.Start{Pairs: batch, BatchSize: batch, Dim: m.Dim(), Epochs: 1,
			Seed: 1}))
		exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
			s.Store().SetTraining(in[0].Graph(), true)
			forward := m.Step(s.Store().RootScope(), u,
				field.Nodes{field.Image: in[0], field.View: in[1], field.Progress: ScalarZero(in[0].Graph(), in[0].DType())})
			return []*Node{forward.Losses[negative.ITC], forward.Outputs[field.ImageEmbedding], forward.Outputs[field.TextEmbedding]}
		}))(t)
		defer exec.Finalize()
		rng, pixels := rand.New(rand.NewPCG(1, 1)), func(rng *rand.Rand) *tensors.Tensor {
			x := make([]float32, batch*8*8*3)
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			return tensors.FromFlatDataAndDimensions(x, batch, 8, 8, 3)
		}
		out, err := exec.Call(pixels(rng), pixels(rng))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		views := [2][]float32{tensors.MustCopyFlatData[float32](out[1]), tensors.MustCopyFlatData[float32](out[2])}
		cosine := func(v, i, w, j int) (sum float64) {
			for k := range m.Embed {
				sum += float64(views[v][i*m.Embed+k]) * float64(views[w][j*m.Embed+k])
			}
			return sum
		}
		want := 0.0
		for v := range views {
			for i := range batch {
				sum := 0.0
				for w := range views {
					for j := range batch {
						if v != w || i != j {
							sum += math.Exp(cosine(v, i, w, j) / m.Temperature)
						}
					}
				}
				want += (math.Log(sum) - cosine(v, i, 1-v, i)/m.Temperature) / batch
			}
			if length := cosine(v, 0, v, 0); math.Abs(length-1) > 1e-5 {
				t.Errorf("%s: an embedding is %g long", name, length)
			}
		}
		if got := float64(tensors.ToScalar[float32](out[0])); math.Abs(got-want) > 1e-4 {
			t.Errorf("%s: got a loss of %g, want %g", name, got, want)
		}
	}
}

// The backbone of a torchvision ResNet is the first value of every variable of the encoder, and of no other; sizes that differ are
// reported.
func TestFirstValues(t *testing.T) {
	source := must.Get(weights.Find("../../../internal/test/golden/testdata/models/resnet50_like_forward/weights.safetensors"))(t)
	m := Model{ResNet: encoder.ResNet{Image: 64, Layers: []int{1, 2, 1, 1}, Width: 4}, Hidden: 6, Embed: 5, Temperature: 0.2}
	backend := enginetest.PureGo(t)
	store := model.NewStore()
	must.Do(t, framework.Declare(m, framework.Use{Method: negative.Plain(), Image: 64}, backend, store))
	values, _ := must.Get2(m.First(framework.Vision, source))(t)
	for v := range store.Scope(framework.Model).IterVariables() {
		value, has := values[v.Path()]
		if want := strings.HasPrefix(v.Path(), "/model/vision/"); has != want || has && !v.Shape().Equal(value.Shape()) {
			t.Errorf("%s: read %t, want %t, in the shape %s", v.Path(), has, want, v.Shape())
		}
		delete(values, v.Path())
	}
	if len(values) > 0 {
		t.Errorf("%d values are of no variable", len(values))
	}
	for says, spoil := range map[string]func(*Model){
		"the width is 4, the model's 8":                          func(m *Model) { m.ResNet.Width = 8 },
		"the number of blocks of stage 2 is 2, the model's 3":    func(m *Model) { m.ResNet.Layers = []int{1, 3, 1, 1} },
		"the number of stages is 4, the model's 3":               func(m *Model) { m.ResNet.Layers = []int{1, 2, 1} },
		"a ResNet of bottlenecks with the stem for large images": func(m *Model) { m.ResNet.Basic = true },
		"no image encoder that is a vision transformer":          func(m *Model) { *m = viT() },
	} {
		other := m
		spoil(&other)
		must.Fail(t, must.Err2(other.First(framework.Vision, source)), says)
	}
	must.Fail(t, must.Err2(m.First(framework.Text, source)), "an image encoder alone", "a text encoder")
}
