package eval_test

import (
	"math"
	"testing"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/framework"
)

// TestRepresent: ALBEF's representation is the class token, the first of the states, of every image by itself.
func TestRepresent(t *testing.T) {
	b := newBench(t)
	got, err := b.Represent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const width = 12
	if len(got) != b.Set.Len()*width {
		t.Fatalf("got %d numbers of %d images, want %d each", len(got), b.Set.Len(), width)
	}
	for i := range b.Set.Len() {
		pixels, _, err := loader.Pixels(t.Context(), b.Set, []int{i}, b.Size)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := b.Model.Images(pixels)
		if err != nil {
			t.Fatal(err)
		}
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
