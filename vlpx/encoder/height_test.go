package encoder

import (
	"testing"

	"vlpx.internal/internal/test/must"
)

// The last layer is at 1, what is before the first one higher, what is behind all, or in no stack, at 0. Each stack counts its own layers.
func TestHeightsByHand(t *testing.T) {
	want := map[string]int{
		"/model/vision/patch/weights": 3, "/model/vision/layer_0/mlp/in/bias": 2, "/model/vision/layer_1/mlp/in/bias": 1,
		"/model/vision/norm/gain": 0, "/model/vision_projection/weights": 0, "/model/scale": 0,
		"/model/text/word/embedding": 12, "/model/text/layer_0/attention/norm/gain": 11, "/model/text/layer_10/attention/norm/gain": 1,
		"/model/text/mlm/dense/bias": 0,
	}
	var paths []string
	for path := range want {
		paths = append(paths, path)
	}
	got := must.Get(Heights(paths))(t)
	for path, height := range want {
		if got[path] != height {
			t.Errorf("%s: got %d, want %d", path, got[path], height)
		}
	}
	must.Fail(t, must.Err(Heights([]string{"/model/scale"})), "none of 1 variables")
	must.Fail(t, must.Err(Heights([]string{"/model/vision/stage1/layer_0/norm1/gain"})), "is of a ResNet")
}
