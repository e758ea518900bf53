package objective

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
)

func crossEntropy(in []*Node) *Node { return CrossEntropy(in[0], in[1]) }

// A row whose logits are the logarithms of 1 and 3 has the softmax 1/4, 3/4; one of equal logits has 1/2, 1/2.
func TestCrossEntropyByHand(t *testing.T) {
	logits := matrix{[]float64{0, math.Log(3), 7, 7}, []int{2, 2}}
	for _, c := range []struct {
		name    string
		targets []float64
		want    float64
	}{
		{"hard", []float64{1, 0, 1, 0}, 1.0397207708399179},                     // (ln 4 + ln 2) / 2
		{"soft", []float64{0.5, 0.5, 0.5, 0.5}, 0.7650676986728905},             // ((ln 4 + ln 4/3) / 2 + ln 2) / 2
		{"rows that sum to 2 and 0", []float64{2, 0, 0, 0}, 1.3862943611198906}, // 2 ln 4 / 2
	} {
		near(t, c.name, value(t, crossEntropy, logits, matrix{c.targets, []int{2, 2}}), c.want)
	}
}

// With logits ln [3 1; 7 1] the images' softmax of the own text is 3/4 and 1/8, the texts' of the own image 3/10 and 1/2:
// (ln 4/3 + ln 8)/2 and (ln 10/3 + ln 2)/2, whose mean is ln(640/9) / 4.
func TestITCByHand(t *testing.T) {
	z := matrix{[]float64{math.Log(3), 0, math.Log(7), 0}, []int{2, 2}}
	got := value(t, func(in []*Node) *Node {
		own := OneHotTargets(in[0])
		return ITC(in[0], Transpose(in[0], 0, 1), own, own)
	}, z)
	near(t, "ITC", got, 1.0660608997543746)
}

func TestCrossEntropyAgainstLoop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range [][]int{{1, 1}, {1, 5}, {4, 4}, {3, 9}} {
		t.Run(fmt.Sprint(dims), func(t *testing.T) {
			logits, targets := drawn(r, dims...), drawn(r, dims...)
			var want float64
			for i := range dims[0] {
				for j := range dims[1] {
					want -= targets.row(i)[j] * logSoftmax(logits.row(i), j) / float64(dims[0])
				}
			}
			near(t, "cross entropy", value(t, crossEntropy, logits, targets), want)
			checkGradient(t, crossEntropy, logits, targets)
			checkGradient(t, func(in []*Node) *Node { return CrossEntropy(in[1], in[0]) }, targets, logits)
		})
	}
}

// Logits of thousands, as a temperature near its lower bound gives, neither overflow nor lose the answer.
func TestCrossEntropyOfLargeLogits(t *testing.T) {
	got := value(t, crossEntropy, matrix{[]float64{1000, 0, -1000}, []int{1, 3}}, matrix{[]float64{0, 1, 0}, []int{1, 3}})
	near(t, "cross entropy", got, 1000)
}

// The order of the pairs in a mini-batch does not matter, and images and texts change places.
func TestITCOfPermutedBatch(t *testing.T) {
	const batch, dim = 5, 3
	r := rand.New(rand.NewPCG(3, 4))
	u, w := drawn(r, batch, dim), drawn(r, batch, dim)
	loss := func(in []*Node) *Node {
		z := Similarities(in[0], in[1], ConstAs(in[0], 0.07))
		return ITC(z, Transpose(z, 0, 1), OneHotTargets(z), OneHotTargets(z))
	}
	permuted := func(m matrix, order []int) matrix {
		p := matrix{dims: m.dims}
		for _, i := range order {
			p.data = append(p.data, m.row(i)...)
		}
		return p
	}
	order := r.Perm(batch)
	if slices.IsSorted(order) {
		t.Fatal("the permutation moves nothing")
	}
	want := value(t, loss, u, w)
	near(t, "permuted", value(t, loss, permuted(u, order), permuted(w, order)), want)
	near(t, "images for texts", value(t, loss, w, u), want)
	if got := value(t, loss, permuted(u, order), w); math.Abs(got-want) < 1e-3 {
		t.Errorf("images moved away from their texts: got %v, want another loss than %v", got, want)
	}
}

func TestOneHotTargetsWithQueue(t *testing.T) {
	got := compiled(t, func(in []*Node) []*Node { return []*Node{OneHotTargets(in[0])} })(drawn(rand.New(rand.NewPCG(1, 1)), 2, 5))[0]
	if want := []float64{1, 0, 0, 0, 0, 0, 1, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// ITC of two pairs that fit: each image is the more similar to its own text.
func ExampleITC() {
	backend, err := gobackend.New("ops_sequential")
	if err != nil {
		panic(err)
	}
	defer backend.Finalize()
	loss := MustNewExec(backend, func(images, texts *Node) *Node {
		i2t := Similarities(images, texts, Scalar(images.Graph(), images.DType(), 0.07))
		return ITC(i2t, Transpose(i2t, 0, 1), OneHotTargets(i2t), OneHotTargets(i2t))
	})
	images := [][]float32{{1, 0}, {0, 1}}
	texts := [][]float32{{0.8, 0.6}, {0.6, 0.8}}
	fmt.Printf("fitting %.3f\n", loss.MustCall(images, texts)[0].Value())
	texts[0], texts[1] = texts[1], texts[0]
	fmt.Printf("swapped %.3f\n", loss.MustCall(images, texts)[0].Value())
	// Output:
	// fitting 0.056
	// swapped 2.913
}
