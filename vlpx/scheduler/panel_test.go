package scheduler

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
	"vlpx.internal/vlpx/random"
)

// Similarities are gonum's to the bit, whichever of them tiles compute, and nothing is written beside them.
func TestMultiplyIsGonum(t *testing.T) {
	if !tiled {
		t.Log("this processor computes no tiles: gonum is held against itself")
	}
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, rowBlock).Draw(t, "anchors"), rapid.IntRange(1, panelWidth).Draw(t, "members")
		dim := rapid.OneOf(rapid.IntRange(1, 40), rapid.SampledFrom([]int{8, 64, 256})).Draw(t, "dim")
		source := random.Stream(rapid.Uint64().Draw(t, "seed"), "panel")
		draw := func(n int) []float32 {
			x := make([]float32, n*dim)
			for i := range x {
				x[i] = float32(source.NormFloat64()) * []float32{1, 1e-20, 1e20, 0}[source.IntN(4)*source.IntN(2)]
			}
			return x
		}
		members, anchors := newPanel(draw(columns), draw(columns), dim), makePanel(rows, dim)
		anchors.pack(newPanel(draw(rows), draw(rows), dim))
		stride := columns + rapid.IntRange(0, 3).Draw(t, "beside")
		got, want := make([]float32, rows*stride+8), make([]float32, rows*stride+8)
		for i := range got {
			got[i], want[i] = 7, 7
		}
		multiply(anchors, members, got, stride)
		multiplyPlainly(anchors, members, want, stride)
		if !slices.EqualFunc(got, want, func(a, b float32) bool { return orderKey(a) == orderKey(b) }) {
			t.Fatalf("of %d anchors and %d members of dimension %d the similarities are others than gonum's", rows, columns, dim)
		}
	})
}

// BenchmarkMultiply is one panel by tiles and by gonum, of a dimension of 256: 0.025 GFLOP.
func BenchmarkMultiply(b *testing.B) {
	image, text := embeddings(panelWidth, 256)
	members, anchors, out := newPanel(image, text, 256), makePanel(rowBlock, 256), make([]float32, rowBlock*panelWidth)
	anchors.pack(members.slice(0, rowBlock))
	for name, by := range map[string]func(anchors, members panel, out []float32, stride int){"tiles": multiply, "gonum": multiplyPlainly} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				by(anchors, members, out, panelWidth)
			}
		})
	}
}
