package encoder

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Without layers a ViT is the projection of patches, in reading order, with positions, behind a class token.
func TestPatchesAgainstLoop(t *testing.T) {
	const batch, width, size, patch = 2, 5, 6, 2
	v := ViT{Image: size, Patch: patch, Width: width}
	pixels := normals(rand.New(rand.NewPCG(5, 5)), batch*size*size*3)
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		tokens := v.Encode(s.In("v"), in[0], false)
		tokens.AssertDims(batch, 1+9, width)
		return []*Node{tokens}
	}, shaped(pixels, batch, size, size, 3))
	positions := rows(n.get("/v/position/"+Embedding), width)
	var want []float64
	for b := range batch {
		want = append(want, n.norm("/v/norm", sum(wide(n.get("/v/class/"+Embedding)), positions[0]), 1e-6)...)
		for p := range 9 {
			var flat []float64
			for y := p / 3 * patch; y < (p/3+1)*patch; y++ {
				for x := p % 3 * patch; x < (p%3+1)*patch; x++ {
					at := ((b*size+y)*size + x) * 3
					flat = append(flat, wide(pixels[at:at+3])...)
				}
			}
			want = append(want, n.norm("/v/norm", sum(n.linear("/v/patch", flat), positions[1+p]), 1e-6)...)
		}
	}
	near(t, "tokens", n.run(shaped(pixels, batch, size, size, 3))[0], want, 1e-4)
}

// A pixel reaches its own patch's token only, until layers mix the tokens.
func TestPixelMovesItsPatch(t *testing.T) {
	const size, patch, width = 8, 4, 6
	for _, c := range []struct{ layers, row, col int }{{0, 0, 7}, {0, 4, 3}, {0, 7, 7}, {1, 0, 7}} {
		v := ViT{Image: size, Patch: patch, Width: width, Layers: c.layers, Heads: 2, MLP: 4}
		pixels := make([]float32, size*size*3)
		n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node { return []*Node{v.Encode(s, in[0], false)} },
			shaped(pixels, 1, size, size, 3))
		dark := n.run(shaped(pixels, 1, size, size, 3))[0]
		pixels[(c.row*size+c.col)*3+1] = 1
		bright := n.run(shaped(pixels, 1, size, size, 3))[0]
		own := 1 + c.row/patch*(size/patch) + c.col/patch
		for token := range 1 + 4 {
			moved := !slices.Equal(dark[token*width:(token+1)*width], bright[token*width:(token+1)*width])
			if want := token == own || c.layers > 0; moved != want {
				t.Errorf("%d layers, pixel (%d, %d): token %d moved: got %v, want %v", c.layers, c.row, c.col, token, moved, want)
			}
		}
	}
}
