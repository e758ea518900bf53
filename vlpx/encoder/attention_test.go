package encoder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

var twoHeads = Block{Width: 6, Heads: 2, MLP: 5, Epsilon: 1e-6}

// slowAttention is attention for one query q [width] over keys and values [tokens][width], of which the first count are no
// padding.
func slowAttention(q []float64, keys, values [][]float64, heads, count int) []float64 {
	width := len(q)
	dim := width / heads
	out := make([]float64, width)
	for h := range heads {
		var sum float64
		weights := make([]float64, count)
		for k := range weights {
			var dot float64
			for d := h * dim; d < (h+1)*dim; d++ {
				dot += q[d] * keys[k][d]
			}
			weights[k] = math.Exp(dot / math.Sqrt(float64(dim)))
			sum += weights[k]
		}
		for k, w := range weights {
			for d := h * dim; d < (h+1)*dim; d++ {
				out[d] += w / sum * values[k][d]
			}
		}
	}
	return out
}

func TestSelfAttentionAgainstLoop(t *testing.T) {
	const batch, tokens, width = 2, 4, 6
	counts := []int{4, 2}
	x := normals(rand.New(rand.NewPCG(3, 4)), batch*tokens*width)
	mask := [][]float32{{1, 1, 1, 1}, {1, 1, 0, 0}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		return []*Node{twoHeads.selfAttention(s.In("a"), in[0], PaddingBias(in[1]), nil)}
	}, shaped(x, batch, tokens, width), mask)
	var want []float64
	for b := range batch {
		var q, k, v [][]float64
		for _, row := range rows(x[b*tokens*width:(b+1)*tokens*width], width) {
			qkv := n.linear("/a/qkv", row)
			q, k, v = append(q, qkv[:width]), append(k, qkv[width:2*width]), append(v, qkv[2*width:])
		}
		for i := range tokens {
			want = append(want, n.linear("/a/output", slowAttention(q[i], k, v, 2, counts[b]))...)
		}
	}
	near(t, "self-attention", n.run(shaped(x, batch, tokens, width), mask)[0], want, 1e-5)
}

// Row r reads the image that choice names, whose tokens may be wider than the text's.
func TestCrossAttentionAgainstLoop(t *testing.T) {
	const texts, tokens, width, images, patches, wider = 3, 2, 6, 2, 4, 8
	r := rand.New(rand.NewPCG(5, 6))
	x, image := normals(r, texts*tokens*width), normals(r, images*patches*wider)
	reads := []int{1, 0, 1}
	choice := [][]float32{{0, 1}, {1, 0}, {0, 1}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		c := s.In("c")
		m := twoHeads.memory(c, in[1])
		return []*Node{twoHeads.crossAttention(c, in[0], Memory{SelectRows(in[2], m.Keys), SelectRows(in[2], m.Values)})}
	}, shaped(x, texts, tokens, width), shaped(image, images, patches, wider), choice)
	var want []float64
	for b, read := range reads {
		var k, v [][]float64
		for _, row := range rows(image[read*patches*wider:(read+1)*patches*wider], wider) {
			kv := n.linear("/c/kv", row)
			k, v = append(k, kv[:width]), append(v, kv[width:])
		}
		for _, row := range rows(x[b*tokens*width:(b+1)*tokens*width], width) {
			want = append(want, n.linear("/c/output", slowAttention(n.linear("/c/query", row), k, v, 2, patches))...)
		}
	}
	got := n.run(shaped(x, texts, tokens, width), shaped(image, images, patches, wider), choice)[0]
	near(t, "cross-attention", got, want, 1e-5)
}

// What stands in the padding changes nothing but itself.
func TestPaddingHasNoInfluence(t *testing.T) {
	const tokens, width, kept = 5, 6, 3
	r := rand.New(rand.NewPCG(7, 8))
	x := normals(r, tokens*width)
	mask := [][]float32{{1, 1, 1, 0, 0}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		return []*Node{twoHeads.Self(s.In("layer"), in[0], PaddingBias(in[1]), nil)}
	}, shaped(x, 1, tokens, width), mask)
	before := n.run(shaped(x, 1, tokens, width), mask)[0]
	copy(x[kept*width:], normals(r, (tokens-kept)*width))
	after := n.run(shaped(x, 1, tokens, width), mask)[0]
	if !slices.Equal(before[:kept*width], after[:kept*width]) {
		t.Errorf("got %v with other padding, want %v", after[:kept*width], before[:kept*width])
	}
	if slices.Equal(before[kept*width:], after[kept*width:]) {
		t.Error("the padding's own states did not change, so the test shows nothing")
	}
}

// The layer normalisation stands before the branch in a ViT and behind the sum in BERT; the feed-forward layer is
// W2 gelu(W1 x).
func TestFeedForwardAndResidual(t *testing.T) {
	const tokens, width = 3, 6
	x := normals(rand.New(rand.NewPCG(9, 10)), tokens*width)
	for name, preNorm := range map[string]bool{"ViT": true, "BERT": false} {
		b := twoHeads
		b.PreNorm = preNorm
		n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
			return []*Node{b.residual(s.In("mlp"), in[0], b.feedForward)}
		}, shaped(x, 1, tokens, width))
		branch := func(row []float64) []float64 {
			hidden := n.linear("/mlp/in", row)
			for i, h := range hidden {
				hidden[i] = h * 0.5 * math.Erfc(-h/math.Sqrt2)
			}
			return n.linear("/mlp/out", hidden)
		}
		var want []float64
		for _, row := range rows(x, width) {
			if preNorm {
				want = append(want, sum(row, branch(n.norm("/mlp/norm", row, b.Epsilon)))...)
			} else {
				want = append(want, n.norm("/mlp/norm", sum(row, branch(row)), b.Epsilon)...)
			}
		}
		near(t, name, n.run(shaped(x, 1, tokens, width))[0], want, 1e-4)
	}
}

func sum(a, b []float64) []float64 {
	s := slices.Clone(a)
	for i := range s {
		s[i] += b[i]
	}
	return s
}

func TestSelectRows(t *testing.T) {
	x := shaped([]float32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}, 3, 2, 2)
	n := newNetwork(t, func(_ *model.Scope, in []*Node) []*Node {
		picked := SelectRows(in[0], in[1])
		picked.AssertDims(2, 2, 2)
		return []*Node{picked}
	}, [][]float32{{0, 0, 1}, {1, 0, 0}}, x)
	near(t, "rows 2 and 0", n.run([][]float32{{0, 0, 1}, {1, 0, 0}}, x)[0], []float32{20, 21, 22, 23, 0, 1, 2, 3}, 0)
}
