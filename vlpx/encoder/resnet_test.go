package encoder

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// Depth, width and image are free; each stage but the first halves the sides.
func TestStagesOfAnySize(t *testing.T) {
	pixels := normals(rand.New(rand.NewPCG(1, 1)), 2*32*32*3)
	plain, clip := ResNet{Image: 32, Layers: []int{2, 1, 1}, Width: 4},
		CLIPResNet{Image: 32, Layers: []int{1, 2}, Width: 4, Heads: 2, Output: 5}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		for i, maps := range plain.Stages(s.At("plain"), in[0], false) {
			maps.AssertDims(2, 8>>i, 8>>i, 16<<i)
		}
		for i, maps := range clip.Stages(s.At("clip"), in[0], false) {
			maps.AssertDims(2, 8>>i, 8>>i, 16<<i)
		}
		features, pooled := plain.Encode(s.At("plain"), in[0], false), clip.Encode(s.At("clip"), in[0], true)
		features.AssertDims(2, 64)
		pooled.AssertDims(2, 5)
		return []*Node{features, pooled}
	}, shaped(pixels, 2, 32, 32, 3))
	for path, trainable := range map[string]bool{
		"/plain/stage1/layer_1/convolution3/" + Weights: true, "/plain/stage2/layer_0/shortcut/norm/" + RunningMean: false,
		"/clip/stem/convolution3/" + Weights: true, "/clip/stage2/layer_1/norm2/" + RunningVariance: false, "/clip/pool/position/" +
			Embedding: true,
	} {
		if v := n.store.GetVariable(path); v == nil || v.Trainable != trainable {
			t.Errorf("variable %s: got %v, want one that is trainable: %v", path, v, trainable)
		}
	}
}

// ResNet-18 and ResNet-50 have as many parameters without their classifiers (torchvision), and the stem for small images leaves them
// their sides.
func TestBlocks(t *testing.T) {
	backend := enginetest.PureGo(t)
	for _, c := range []struct {
		r          ResNet
		first      int // side of the first maps
		parameters int
	}{
		{ResNet{Layers: []int{2, 2, 2, 2}, Width: 64, Basic: true}, 8, 11_176_512},
		{ResNet{Layers: []int{3, 4, 6, 3}, Width: 64}, 8, 23_508_032},
		{ResNet{Layers: []int{2, 2, 2, 2}, Width: 64, Basic: true, Stem: 1}, 32, 11_176_512 - (49-9)*3*64},
		{ResNet{Layers: []int{1}, Width: 2, Basic: true, Stem: 2}, 16, 9*3*2 + 2*9*2*2 + 3*2*2},
	} {
		c.r.Image = 32
		store := model.NewStore()
		exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, x *Node) *Node {
			maps := c.r.Stages(s, x, false)
			maps[0].AssertDims(2, c.first, c.first, c.r.first(false).out())
			maps[len(maps)-1].AssertDims(2, c.first>>(len(maps)-1), c.first>>(len(maps)-1), c.r.first(false).out()<<(len(c.r.Layers)-1))
			return maps[len(maps)-1]
		}))(t)
		if _, err := exec.Compile(shapes.Make(dtypes.Float32, 2, 32, 32, 3)); err != nil {
			t.Fatalf("%+v: %v", c.r, err)
		}
		got := 0
		for v := range store.IterVariables() {
			if v.Trainable {
				got += v.Shape().Size()
			}
		}
		if got != c.parameters {
			t.Errorf("%+v: got %d parameters, want %d", c.r, got, c.parameters)
		}
		exec.Finalize()
	}
}

// An image that does not come out even would leave the attention pool without a number of positions.
func TestCLIPResNetRefusesImages(t *testing.T) {
	r := CLIPResNet{Image: 40, Layers: []int{1, 1, 1, 1}, Width: 4, Heads: 2, Output: 5}
	backend := enginetest.PureGo(t)
	exec := must.Get(model.NewExec(backend, model.NewStore(), func(s *model.Scope, x *Node) *Node { return r.Encode(s, x, false) }))(t)
	must.Fail(t, must.Err(exec.Call(shaped(make([]float32, 40*40*3), 1, 40, 40, 3))), "a multiple of 32")
}
