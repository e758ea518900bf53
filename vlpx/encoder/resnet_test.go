package encoder

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Depth, width and image are free; each stage but the first halves the sides.
func TestStagesOfAnySize(t *testing.T) {
	pixels := normals(rand.New(rand.NewPCG(1, 1)), 2*32*32*3)
	plain, clip := ResNet{Image: 32, Layers: []int{2, 1, 1}, Width: 4}, CLIPResNet{Image: 32, Layers: []int{1, 2}, Width: 4, Heads: 2, Output: 5}
	if got := plain.Output(); got != 64 {
		t.Errorf("width of the features: got %d, want 64", got)
	}
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
		"/clip/stem/convolution3/" + Weights: true, "/clip/stage2/layer_1/norm2/" + RunningVariance: false, "/clip/pool/position/" + Embedding: true,
	} {
		if v := n.store.GetVariable(path); v == nil || v.Trainable != trainable {
			t.Errorf("variable %s: got %v, want one that is trainable: %v", path, v, trainable)
		}
	}
}

// An image that does not come out even would leave the attention pool without a number of positions.
func TestCLIPResNetRefusesImages(t *testing.T) {
	r := CLIPResNet{Image: 40, Layers: []int{1, 1, 1, 1}, Width: 4, Heads: 2, Output: 5}
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(backend.Finalize)
	exec, err := model.NewExec(backend, model.NewStore(), func(s *model.Scope, x *Node) *Node { return r.Encode(s, x, false) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.Call(shaped(make([]float32, 40*40*3), 1, 40, 40, 3)); err == nil || !strings.Contains(err.Error(), "a multiple of 32") {
		t.Errorf("got error %v, want one that says what to do", err)
	}
}
