package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

// Of an image's vectors the nearest counts, whichever side it stands on, and Nearest takes it.
func TestCosinesOfSeveralVectors(t *testing.T) {
	const images, vectors, dim = 3, 4, 5
	r := rand.New(rand.NewPCG(7, 7))
	image, text := drawn(r, images, vectors, dim), drawn(r, images, dim)
	got := compiled(t, func(in []*Node) []*Node {
		return []*Node{Cosines(in[0], in[1]), Cosines(in[1], in[0]), Nearest(in[0], in[1])}
	})(image, text)
	product := func(a, b []float64) (sum float64) {
		for d := range a {
			sum += a[d] * b[d]
		}
		return sum
	}
	for i := range images {
		for j := range images {
			best, at := math.Inf(-1), 0
			for v := range vectors {
				if x := product(image.row(i*vectors+v), text.row(j)); x > best {
					best, at = x, v
				}
			}
			near(t, "image to text", got[0][i*images+j], best)
			near(t, "text to image", got[1][j*images+i], best)
			for d := range dim {
				if i == j {
					near(t, "nearest", got[2][i*dim+d], image.row(i*vectors + at)[d])
				}
			}
		}
	}
	similarities := func(in []*Node) *Node {
		return MulScalar(ReduceAllMean(Square(Similarities(in[0], in[1], in[2]))), 1e-3)
	}
	checkGradient(t, similarities, image, text, 0.3)
}

// Without smoothing it is the cross entropy of the next tokens; with it a part of the target is every word's.
func TestGenerationAgainstLoop(t *testing.T) {
	const batch, tokens, vocab, smoothing = 3, 5, 6, 0.2
	logits := drawn(rand.New(rand.NewPCG(8, 8)), batch, tokens, vocab)
	labels := [][]int32{{2, 4, 5, 0, 3}, {2, 3, Ignored, Ignored, Ignored}, {2, 1, 1, 3, Ignored}}
	var want float64
	for b, text := range labels {
		for place := 1; place < tokens && text[place] != Ignored; place++ {
			row := logits.row(b*tokens + place - 1)
			for word := range vocab {
				want -= smoothing / vocab * logSoftmax(row, word) / 8
			}
			want -= (1 - smoothing) * logSoftmax(row, int(text[place])) / 8
		}
	}
	generation := func(in []*Node) *Node { return Generation(in[0], in[1], smoothing) }
	near(t, "ITG", value(t, generation, logits, labels), want)
	checkGradient(t, generation, logits, labels)
}
