package scale

import (
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// encoderEpochs are those of the run whose image encoder stands frozen in front of the queries, where no published one is named.
var encoderEpochs = map[string]int{"tiny": 2, "mini": 6, "small": 10}

// querying is the name of the framework whose images are read by queries.
const Querying = "BLIP-2"

// blip2 is BLIP-2's first stage at this scale.
func (s Scale) blip2(vocab int) blip2.Model {
	m := blip2.Model{
		Vision: s.albef(vocab).Vision,
		Text: encoder.QFormer{Vocab: vocab, Positions: s.Positions, Queries: s.Queries, Width: s.TextWidth,
			Heads: s.TextHeads, MLP: s.TextMLP, Layers: s.TextLayers, Every: 2, Dropout: s.Dropout, Recompute: s.Recompute},
		Embed: s.Embed, Smoothing: blip2.Paper().Smoothing, Frozen: s.Frozen, Half: s.Half, Temperature: s.Temperature,
	}
	m.Vision.EVA, m.Vision.Open = true, true
	return m
}

// likeBLIP2 changes a scale to what BLIP-2's first stage has: ITG, by which FALCON is rewarded, S-ITC with MAFA's alpha for it, and at the
// paper's scale its sizes and regime, with the batch of the papers after it (METHODS.md 13).
func (s *Scale) likeBLIP2() {
	s.Scheduler.Objectives = negative.Of(negative.ITG)
	s.Smoothing, s.Fusion, s.MeanPool = 0.2, 0, false
	if s.Locked.Side == 0 && s.Name != "paper" { // whose encoder stands in the model, frozen
		s.Locked.Side, s.Locked.Epochs = allPatches, encoderEpochs[s.Name]
	}
	switch s.Name {
	case "tiny":
		s.Queries, s.TextLayers = 4, 2
	case "mini":
		s.Queries, s.TextLayers = 8, 2
		s.WarmStart, s.Epochs = 4, 3 // a step costs twice ALBEF's
		s.SearchBatches, s.GroupBatches = 10, 60
	case "small":
		s.Queries, s.TextLayers = 16, 6
		s.SearchBatches, s.GroupBatches = 10, 60
	case "paper":
		full := blip2.Paper()
		s.Image, s.Patch, s.Embed, s.Positions = full.Vision.Image, full.Vision.Patch, full.Embed, full.Text.Positions
		s.Scenes.Size = 256
		s.Width, s.VisionLayers = full.Vision.Width, full.Vision.Layers
		s.HeadWidth, s.MLPTimes = full.Vision.Width/full.Vision.Heads, float64(full.Vision.MLP)/float64(full.Vision.Width)
		s.TextWidth, s.TextHeads, s.TextMLP, s.TextLayers = full.Text.Width, full.Text.Heads, full.Text.MLP, full.Text.Layers
		s.Queries, s.Frozen = full.Text.Queries, full.Frozen
		s.MaxLen, s.Rerank, s.BatchSize, s.Epochs = 32, 128, 384, 10
		s.SearchBatches, s.GroupBatches = 10, 100
		s.Optimiser = train.AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.05}
		s.Schedule = train.Schedule{Warmup: 1e-6, Rate: 1e-4, Min: 1e-5, Units: 5000, Unit: 1}
		s.CosineTimes = 0
	}
}
