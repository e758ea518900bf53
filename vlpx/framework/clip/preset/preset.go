// Package preset has what scales and plans know of CLIP.
package preset

import (
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Framework is CLIP.
var Framework = plan.Framework{Kind: kind}

// kind is CLIP.
var kind = scale.Kind{
	Name: "CLIP",
	What: "an image tower and a text tower (Radford et al., 2021)",
	Preset: func(s *scale.Scale) {
		s.Scheduler.Objectives = negative.Of(negative.ITC) // its only loss, by which FALCON is rewarded
		s.Optimiser.SpareScalars = true                    // the temperature does not decay
	},
	At:    map[string]func(*scale.Scale){"paper": paper},
	Lends: func(f framework.Framework) encoder.ViT { return f.(clip.Model).Vision },
	Build: func(s scale.Scale, vocab int) framework.Framework { return build(s, vocab) },
}

// paper has the sizes of CLIP's ViT-B/16 and its regime (Radford et al., 2021, tables 18 and 20).
func paper(s *scale.Scale) {
	s.Optimiser.Beta2, s.Optimiser.Epsilon, s.Optimiser.WeightDecay = 0.98, 1e-6, 0.2
	s.Image, s.Scenes.Size, s.MeanPool, s.MaxLen, s.Positions, s.Embed = 224, 256, false, 77, 77, 512
	s.TextWidth, s.TextLayers = 512, 12
	s.Epochs, s.Schedule, s.CosineTimes = 32, train.Schedule{Rate: 5e-4, Units: 2000, Unit: 1}, 0
}

// A ResNet's stem has a twelfth of the width of the vision transformer of the same scale, as RN50's 64 of ViT-B's 768, and its attention
// pool heads of 64.
const (
	stemShare = 12
	headWidth = 64
)

// build makes CLIP at a scale. The end of a text is its last token that is no padding, which is the published one with the published
// vocabulary, too.
func build(s scale.Scale, vocab int) clip.Model {
	m := clip.Model{
		Text: encoder.CLIPText{Vocab: vocab, Positions: s.Positions, Width: s.TextWidth, Heads: s.TextHeads, MLP: s.TextMLP,
			Layers: s.TextLayers, Activation: encoder.Quick, End: encoder.LastToken, Recompute: s.Recompute},
		Embed: s.Embed, Half: s.Half, Temperature: s.Temperature,
	}
	if len(s.Bottlenecks) > 0 {
		stem := s.Width / stemShare
		last := stem * 4 << (len(s.Bottlenecks) - 1) // the width of the last maps
		m.ResNet = encoder.CLIPResNet{Image: s.Image, Layers: s.Bottlenecks, Width: stem, Heads: max(1, last/headWidth), Output: s.Embed}
		return m
	}
	m.Vision, m.MeanPool = s.ViT(), s.MeanPool
	m.Vision.CLIP, m.Vision.Activation = true, encoder.Quick
	return m
}
