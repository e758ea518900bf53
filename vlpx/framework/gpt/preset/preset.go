// Package preset has what scales and plans know of GPT-2.
package preset

import (
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Framework is GPT-2.
var Framework = plan.Framework{Kind: kind}

// kind is GPT-2; at the paper's scale the smallest (Radford et al., 2019, table 2), whose text encoder is as wide as ALBEF's.
var kind = scale.Kind{
	Name:   "GPT-2",
	What:   "a language model of captions, which sees no images (Radford et al., 2019)",
	Preset: (*scale.Scale).Blind,
	At: map[string]func(*scale.Scale){
		"mini":  func(s *scale.Scale) { s.Epochs, s.BlockScenes = 5, false },
		"paper": func(s *scale.Scale) { s.TextLayers, s.Positions = 12, 1024 },
	},
	Tasks:     func(scale.Scale) eval.Tasks { return eval.Tasks{eval.Perplexity{}} },
	Published: published,
	Build: func(s scale.Scale, vocab int) framework.Framework {
		return gpt.Model{Text: s.GPT(vocab), Half: s.Half}
	},
}
