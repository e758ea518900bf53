// Package preset has what scales and plans know of BLIP-2.
package preset

import (
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Name is BLIP-2's.
const Name = "BLIP-2"

// Beside is each row made anew on BLIP-2.
var Beside = plan.Beside(Name)

// Framework is BLIP-2 with its stages.
var Framework = plan.Framework{Kind: kind, Stages: []plan.Downstream{Generation, Captioning, NoCaps, Beside}}

// kind is BLIP-2's first stage (METHODS.md 13).
var kind = scale.Kind{
	Name: Name,
	What: "queries that read a frozen image encoder beside captions, its first stage (Li et al., 2023)",
	Preset: func(s *scale.Scale) {
		s.Scheduler.Objectives = negative.Of(negative.ITG) // by which FALCON is rewarded
		s.Smoothing, s.MeanPool = 0.2, false               // MAFA's alpha for it
	},
	At: map[string]func(*scale.Scale){
		"tiny": func(s *scale.Scale) {
			s.TextLayers = 2
			encode(s, 2)
		},
		"mini": func(s *scale.Scale) {
			s.TextLayers = 2
			s.WarmStart, s.Epochs = 2, 6 // a step costs twice ALBEF's
			s.SearchBatches, s.GroupBatches = 10, 60
			encode(s, 6)
		},
		"small": func(s *scale.Scale) {
			s.TextLayers = 6
			s.SearchBatches, s.GroupBatches = 10, 60
			encode(s, 10)
		},
		"paper": paper,
	},
	OwnLabels: true,
	Own:       func(name string) any { return sizes[name] }, Settings: settings(),
	Build: func(s scale.Scale, vocab int) framework.Framework {
		own := scale.Own[Sizes](s)
		m := blip2.Model{
			Vision: s.ViT(),
			Text: encoder.QFormer{Vocab: vocab, Positions: s.Positions, Queries: own.Queries, Width: s.TextWidth,
				Heads: s.TextHeads, MLP: s.TextMLP, Layers: s.TextLayers, Every: 2, Dropout: s.Dropout, Recompute: s.Recompute},
			Embed: s.Embed, Smoothing: blip2.Paper().Smoothing, Frozen: own.Frozen, Half: s.Half, Temperature: s.Temperature,
		}
		m.Vision.EVA, m.Vision.Open = true, true
		return m
	},
}

// encode lets the queries read an image encoder of our own, of a run of so many epochs, unless a published one is named. It stands in the
// model, frozen.
func encode(s *scale.Scale, epochs int) {
	if s.Locked.Side == 0 {
		s.Locked.Side, s.Locked.Epochs = scale.AllPatches, epochs
	}
}

// paper has the paper's sizes and regime, with the batch of the papers after it.
func paper(s *scale.Scale) {
	full := blip2.Paper()
	s.Image, s.Patch, s.Embed, s.Positions = full.Vision.Image, full.Vision.Patch, full.Embed, full.Text.Positions
	s.Scenes.Size = 256
	s.Width, s.VisionLayers = full.Vision.Width, full.Vision.Layers
	s.HeadWidth, s.MLPTimes = full.Vision.Width/full.Vision.Heads, float64(full.Vision.MLP)/float64(full.Vision.Width)
	s.TextWidth, s.TextHeads, s.TextMLP, s.TextLayers = full.Text.Width, full.Text.Heads, full.Text.MLP, full.Text.Layers
	s.MaxLen, s.Rerank, s.BatchSize, s.Epochs = 32, 128, 384, 10
	s.SearchBatches, s.GroupBatches = 10, 100
	s.Optimiser = train.AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.05}
	s.Schedule = train.Schedule{Warmup: 1e-6, Rate: 1e-4, Min: 1e-5, Units: 5000, Unit: 1}
	s.CosineTimes = 0
}
