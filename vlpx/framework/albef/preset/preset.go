// Package preset has what scales and plans know of ALBEF.
package preset

import (
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Framework is ALBEF with its stages.
var Framework = plan.Framework{Kind: kind, Stages: []plan.Downstream{NLVR2, VQA}}

// kind is ALBEF. Scales are made for it, so that it changes nothing of them.
var kind = scale.Kind{
	Name:   "ALBEF",
	What:   "an image encoder and a text encoder with fusion layers (Li et al., 2021)",
	Starts: map[string]scale.First{"paper": {Vision: "deit-base", Text: "bert-base"}},
	Own:    func(name string) any { return sizes[name] }, Settings: settings(),
	Build: func(s scale.Scale, vocab int) framework.Framework {
		text := encoder.BERT{Vocab: vocab, Positions: s.Positions, Width: s.TextWidth, Heads: s.TextHeads, MLP: s.TextMLP,
			Layers: s.TextLayers, Fusion: scale.Own[Sizes](s).Fusion, Dropout: s.Dropout, Recompute: s.Recompute}
		return albef.Model{Vision: s.ViT(), Text: text, Embed: s.Embed, Half: s.Half, MeanPool: s.MeanPool, Temperature: s.Temperature}
	},
}
