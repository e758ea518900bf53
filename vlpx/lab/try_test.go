package lab

import (
	"math"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// With orthogonal embeddings all similarities but the own are 0: InfoNCE is -log(e^s / (e^s + 1)) with s = 1/tau, and each embedding's
// gradient, 1/2 of an image as it is given, is the softmax's. Numbers that a part reports stand in the table.
func TestTry(t *testing.T) {
	image, text := [][]float32{{2, 0}, {0, 2}}, [][]float32{{1, 0}, {0, 1}}
	o := Options{Scale: "tiny", Home: t.TempDir(), Set: []string{"temperature=.5"}}
	got := must.Get(Try(negative.InfoNCE{}, image, text, o))(t)
	wrong := 1 / (math.E*math.E + 1) // softmax of the other caption at s = 2
	if want := -math.Log(1 - wrong); math.Abs(got.Loss-want) > 1e-5 {
		t.Errorf("loss %g, want %g", got.Loss, want)
	}
	if g, want := float64(got.ByImage[0][1]), wrong/2; math.Abs(g-want) > 1e-5 || math.Abs(float64(got.ByImage[0][0])) > 1e-5 {
		t.Errorf("gradient %v, want [0 %g]", got.ByImage[0], want)
	}
	got = must.Get(Try(negative.SigLIP{Scale: 10, Bias: -10}, image, text, o))(t)
	if note := got.Table().Note; !strings.Contains(note, "SigLIP's bias: -10.") {
		t.Errorf("the note is %q", note)
	}
	must.Fail(t, must.Err(Try(negative.InfoNCE{}, image, text[:1], o)), "2 images and 1 captions")
	must.Fail(t, must.Err(Try(negative.InfoNCE{}, image, [][]float32{{1, 0}, {0}}, o)), "row 3")
}
