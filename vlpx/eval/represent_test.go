package eval_test

import (
	"math"
	"testing"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
)

// TestRepresent: ALBEF's representation is the class token, the first of the states, of every image by itself.
func TestRepresent(t *testing.T) {
	b := newBench(t)
	got := must.Get(b.Represent(t.Context()))(t)
	const width = 12
	if len(got) != b.Set.Len()*width {
		t.Fatalf("got %d numbers of %d images, want %d each", len(got), b.Set.Len(), width)
	}
	for i := range b.Set.Len() {
		pixels, _ := must.Get2(loader.Pixels(t.Context(), b.Set, []int{i}, b.Size))(t)
		encoded := must.Get(b.Model.Images(pixels))(t)
		for k := range width {
			if have, want := got[i*width+k], encoded.States[k]; math.Abs(float64(have-want)) > 1e-5 {
				t.Errorf("image %d, component %d: got %g, want %g", i, k, have, want)
			}
		}
	}
	if _, able := b.Model.Framework().(framework.Represents); !able {
		t.Error("ALBEF has no representations of its own")
	}
}
