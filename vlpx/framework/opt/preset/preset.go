// Package preset has what scales and plans know of OPT.
package preset

import (
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Name is OPT's.
const Name = "OPT"

// Framework is OPT.
var Framework = plan.Framework{Kind: kind}

// kind is OPT, of GPT-2's sizes; at the paper's scale the smallest (Zhang et al., 2022, table 1).
var kind = scale.Kind{
	Name:   Name,
	What:   "a language model of captions, which sees no images; one is frozen in BLIP-2's second stage (Zhang et al., 2022)",
	Preset: (*scale.Scale).Blind,
	At:     map[string]func(*scale.Scale){"paper": func(s *scale.Scale) { s.TextLayers, s.Positions = 12, 2048 }},
	Tasks:  func(scale.Scale) eval.Tasks { return eval.Tasks{eval.Perplexity{}} },
	Build: func(s scale.Scale, vocab int) framework.Framework {
		return opt.Model{Text: encoder.OPT(s.GPT(vocab)), Half: s.Half}
	},
}
