package scale

import "vlpx.internal/vlpx/encoder"

// ViT is the vision transformer at this scale; behind a locked encoder it reads that one's tokens.
func (s Scale) ViT() encoder.ViT {
	patch := s.Patch
	if s.Locked.Side > 0 {
		patch = s.Image / s.Locked.Side
	}
	return encoder.ViT{Image: s.Image, Patch: patch, Width: s.Width, Layers: s.VisionLayers, Heads: s.Heads, MLP: s.MLP,
		Recompute: s.Recompute, Fused: s.FusedAttention}
}

// GPT is a decoder of text at this scale.
func (s Scale) GPT(vocab int) encoder.GPT {
	return encoder.GPT{Vocab: vocab, Positions: s.Positions, Width: s.TextWidth, Layers: s.TextLayers, Heads: s.TextHeads, MLP: s.TextMLP,
		Dropout: s.Dropout, Recompute: s.Recompute}
}

// Blind takes away what a model that sees no images has no use for: a locked encoder, augmentation and a warm start.
func (s *Scale) Blind() { s.Locked, s.Augment, s.WarmStart = Locked{}, false, 0 }
