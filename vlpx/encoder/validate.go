package encoder

import "fmt"

// Validate reports what is wrong with the sizes of a vision transformer.
func (v ViT) Validate() error {
	switch {
	case v.Image < 1 || v.Patch < 1 || v.Image%v.Patch != 0:
		return fmt.Errorf("an image of %d pixels is not a whole number of patches of %d; set image to a multiple of patch", v.Image, v.Patch)
	case v.Locked < 0:
		return fmt.Errorf("a locked encoder's width of %d; it must not be negative", v.Locked)
	case v.Width < 1 || v.MLP < 1 || v.Layers < 0 || v.Heads < 1 || v.Width%v.Heads != 0:
		return fmt.Errorf("a vision transformer of width %d, %d inside its MLP, %d layers of %d heads; take sizes above 0 and heads that "+
			"divide the width (settings width, mlp, visionlayers, heads)", v.Width, v.MLP, v.Layers, v.Heads)
	}
	return nil
}

// Validate reports what is wrong with the sizes of a text encoder.
func (t BERT) Validate() error {
	return validText(t.Vocab, t.Width, t.MLP, t.Positions, t.Layers, t.Heads, t.Dropout)
}

// Validate reports what is wrong with the sizes of a Q-Former.
func (t QFormer) Validate() error {
	if t.Queries < 1 || t.Every < 1 {
		return fmt.Errorf("%d queries, which attend to the image in every layer of %d; both must be positive", t.Queries, t.Every)
	}
	return validText(t.Vocab, t.Width, t.MLP, t.Positions, t.Layers, t.Heads, t.Dropout)
}

// Validate reports what is wrong with the sizes of CLIP's text tower.
func (t CLIPText) Validate() error {
	return validText(t.Vocab, t.Width, t.MLP, t.Positions, t.Layers, t.Heads, 0)
}

// Validate reports what is wrong with the sizes of a causal language model.
func (t GPT) Validate() error {
	return validText(t.Vocab, t.Width, t.MLP, t.Positions, t.Layers, t.Heads, t.Dropout)
}

// validText reports what is wrong with the sizes of a transformer that reads text.
func validText(vocab, width, mlp, positions, layers, heads int, dropout float64) error {
	switch {
	case vocab < 1:
		return fmt.Errorf("the vocabulary is empty")
	case width < 1 || mlp < 1 || positions < 1 || layers < 1 || heads < 1 || width%heads != 0:
		return fmt.Errorf("a text transformer of width %d, %d inside its MLP, %d layers of %d heads, %d positions; take sizes above 0 and "+
			"heads that divide the width (settings textwidth, textmlp, textlayers, textheads, or width, mlp, heads; positions)", width, mlp,
			layers, heads, positions)
	case !(dropout >= 0 && dropout < 1):
		return fmt.Errorf("a dropout of %g; it lies in [0, 1)", dropout)
	}
	return nil
}
