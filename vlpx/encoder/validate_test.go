package encoder

import (
	"math"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Sizes that do not fit together are told by what they are.
func TestValidate(t *testing.T) {
	vision := ViT{Image: 8, Patch: 4, Width: 6, Layers: 1, Heads: 2, MLP: 8}
	text := BERT{Vocab: 9, Positions: 7, Width: 6, Layers: 1, Heads: 2, MLP: 8}
	former := QFormer{Vocab: 9, Positions: 7, Width: 6, Layers: 1, Heads: 2, MLP: 8, Queries: 2, Every: 1}
	must.Do(t, vision.Validate())
	must.Do(t, text.Validate())
	must.Do(t, former.Validate())
	for says, spoil := range map[string]func(*ViT){
		"whole number of patches of 3": func(v *ViT) { v.Patch = 3 },
		"patches of 0":                 func(v *ViT) { v.Patch = 0 },
		"an image of 0 pixels":         func(v *ViT) { v.Image = 0 },
		"a locked encoder's width":     func(v *ViT) { v.Locked = -1 },
		"heads that divide the width":  func(v *ViT) { v.Heads = 4 },
		"of 0 heads":                   func(v *ViT) { v.Heads = 0 },
	} {
		v := vision
		spoil(&v)
		must.Fail(t, v.Validate(), says)
	}
	for says, spoil := range map[string]func(*BERT){
		"vocabulary is empty":         func(b *BERT) { b.Vocab = 0 },
		"heads that divide the width": func(b *BERT) { b.Heads = 4 },
		"0 positions":                 func(b *BERT) { b.Positions = 0 },
		"a dropout of NaN":            func(b *BERT) { b.Dropout = math.NaN() },
		"a dropout of 1":              func(b *BERT) { b.Dropout = 1 },
	} {
		b := text
		spoil(&b)
		must.Fail(t, b.Validate(), says)
	}
	former.Queries = 0
	must.Fail(t, former.Validate(), "0 queries")
}
