package encoder

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

var tinyBERT = BERT{Vocab: 7, Positions: 6, Width: 4, Heads: 2, MLP: 5, Layers: 1, Fusion: 1}

// Without layers the states are normalised sums of word, position and segment.
func TestEmbeddingsAgainstLoop(t *testing.T) {
	b := tinyBERT
	b.Layers = 0
	ids := [][]int32{{2, 6, 3}, {2, 3, 0}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		states := b.Encode(s.In("text"), in[0], nil, false)
		states.AssertDims(2, 3, b.Width)
		return []*Node{states}
	}, ids)
	word, position := rows(n.get("/text/embeddings/word/"+Embedding), 4), rows(n.get("/text/embeddings/position/"+Embedding), 4)
	segment := rows(n.get("/text/embeddings/segment/"+Embedding), 4)
	var want []float64
	for _, caption := range ids {
		for i, id := range caption {
			want = append(want, n.norm("/text/embeddings/norm", sum(sum(word[id], position[i]), segment[0]), bertEpsilon)...)
		}
	}
	near(t, "embeddings", n.run(ids)[0], want, 1e-5)
}

// The decoder is the word embedding itself: moving one word's embedding moves that word's logit and no other.
func TestWordsAreTiedToTheEmbedding(t *testing.T) {
	const moved = 5
	states := shaped(normals(rand.New(rand.NewPCG(6, 6)), 3*4), 1, 3, 4)
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		tinyBERT.Encode(s.In("text"), in[0], nil, false)
		logits := tinyBERT.Words(s.At("text"), in[1], false)
		logits.AssertDims(1, 3, tinyBERT.Vocab)
		return []*Node{logits}
	}, [][]int32{{2, 3}}, states)
	before := n.run([][]int32{{2, 3}}, states)[0]
	const table = "/text/embeddings/word/" + Embedding
	words := n.get(table)
	words[moved*4]++
	n.set(table, words)
	for i, logit := range n.run([][]int32{{2, 3}}, states)[0] {
		if got, want := logit != before[i], i%tinyBERT.Vocab == moved; got != want {
			t.Errorf("position %d: logit of word %d moved: got %v, want %v", i/tinyBERT.Vocab, i%tinyBERT.Vocab, got, want)
		}
	}
}

// A row of multimodal states depends on its own caption and on the image that choice names.
func TestFuseReadsTheChosenImage(t *testing.T) {
	const tokens, patches, size = 2, 3, 2 * 4
	r := rand.New(rand.NewPCG(7, 7))
	text, image := shaped(normals(r, 2*size), 2, tokens, 4), normals(r, 2*patches*4)
	choice := [][]float32{{0, 1}, {1, 0}}
	mask := [][]float32{{1, 1}, {1, 1}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		return []*Node{tinyBERT.Fuse(s, in[0], PaddingBias(in[1]), in[2], in[3], false)}
	}, text, mask, shaped(image, 2, patches, 4), choice)
	before := n.run(text, mask, shaped(image, 2, patches, 4), choice)[0]
	image[0]++ // of image 0, which row 1 reads
	after := n.run(text, mask, shaped(image, 2, patches, 4), choice)[0]
	if !slices.Equal(before[:size], after[:size]) {
		t.Error("row 0 changed with an image it does not read")
	}
	if slices.Equal(before[size:], after[size:]) {
		t.Error("row 1 did not change with the image it reads")
	}
}
