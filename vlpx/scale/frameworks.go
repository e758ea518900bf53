package scale

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/framework/simclr"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// Kind is a framework as scales know it.
type Kind struct {
	Name string
	What string // in a few words
	// preset changes a scale, made for ALBEF, to what the framework's paper has; nil for nothing.
	preset func(*Scale)
	// tasks are what its runs are measured by besides retrieval; nil for nothing.
	tasks func(Scale) eval.Tasks
	// build makes the framework at a scale, for a vocabulary of the given size.
	build func(s Scale, vocab int) framework.Framework
}

// Frameworks lists the frameworks that a scale can have, the usual one first.
func Frameworks() []Kind {
	return []Kind{
		{Name: "ALBEF", What: "an image encoder and a text encoder with fusion layers (Li et al., 2021)",
			build: func(s Scale, vocab int) framework.Framework { return s.albef(vocab) }},
		{Name: "CLIP", What: "an image tower and a text tower (Radford et al., 2021)", preset: (*Scale).likeCLIP,
			build: func(s Scale, vocab int) framework.Framework { return s.clip(vocab) }},
		{Name: "BLIP-2", What: "queries that read a frozen image encoder beside captions, its first stage (Li et al., 2023)",
			preset: (*Scale).likeBLIP2,
			build:  func(s Scale, vocab int) framework.Framework { return s.blip2(vocab) }},
		{Name: "SimCLR", What: "an image encoder with a projection head, for two views of each image (Chen et al., 2020)",
			preset: (*Scale).likeSimCLR,
			tasks:  Scale.probes,
			build:  func(s Scale, _ int) framework.Framework { return s.simclr() }},
		{Name: "UNITER", What: "one transformer over tokens and regions (Chen et al., 2020)", preset: (*Scale).likeUNITER,
			tasks: Scale.writes,
			build: func(s Scale, vocab int) framework.Framework { return s.uniter(vocab) }},
		{Name: "GPT-2", What: "a language model of captions, which sees no images (Radford et al., 2019)", preset: (*Scale).likeGPT,
			tasks: func(Scale) eval.Tasks { return eval.Tasks{eval.Perplexity{}} },
			build: func(s Scale, vocab int) framework.Framework { return s.gpt(vocab) }},
		{Name: "OPT", What: "a language model of captions, which sees no images; one is frozen in BLIP-2's second stage (Zhang et " +
			"al., 2022)", preset: (*Scale).likeOPT,
			tasks: func(Scale) eval.Tasks { return eval.Tasks{eval.Perplexity{}} },
			build: func(s Scale, vocab int) framework.Framework { return s.Opt(vocab) }},
	}
}

// Losses are those that it has.
func (k Kind) Losses() []negative.Loss { return k.build(Scales()[0], 1).Losses() }

func frameworkNames() []string {
	var names []string
	for _, k := range Frameworks() {
		names = append(names, k.Name)
	}
	return names
}

// kind finds a framework by its name.
func FindKind(name string) (Kind, error) {
	all := Frameworks()
	if name == "" {
		return all[0], nil
	}
	names := frameworkNames()
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) }); i >= 0 {
		return all[i], nil
	}
	return Kind{}, fmt.Errorf("no framework %q%s There are %s", name, Suggest(name, names), strings.Join(names, ", "))
}

// Model is the framework at this scale, for a vocabulary of the given size. Its name is one that Set has taken.
func (s Scale) Model(vocab int) framework.Framework {
	k, err := FindKind(s.Framework)
	if err != nil {
		panic(fmt.Sprintf("paper: %v", err))
	}
	return k.build(s.Resolved(), vocab)
}

// tasks are those of the framework besides retrieval.
func (s Scale) FrameworkTasks() eval.Tasks {
	if k, err := FindKind(s.Framework); err == nil && k.tasks != nil {
		return k.tasks(s)
	}
	return nil
}

// albef is ALBEF at this scale.
func (s Scale) albef(vocab int) albef.Model {
	patch := s.Patch
	if s.Locked.Side > 0 {
		patch = s.Image / s.Locked.Side
	}
	return albef.Model{
		Vision: encoder.ViT{Image: s.Image, Patch: patch, Width: s.Width, Layers: s.VisionLayers, Heads: s.Heads, MLP: s.MLP,
			Recompute: s.Recompute, Fused: s.FusedAttention},
		Text: encoder.BERT{Vocab: vocab, Positions: s.Positions, Width: s.TextWidth, Heads: s.TextHeads, MLP: s.TextMLP,
			Layers: s.TextLayers, Fusion: s.Fusion, Dropout: s.Dropout, Recompute: s.Recompute},
		Embed: s.Embed, Half: s.Half, MeanPool: s.MeanPool, Temperature: s.Temperature,
	}
}

// likeALBEF gives a scale the sizes of ALBEF's own model.
func (s *Scale) likeALBEF() {
	full := albef.Paper()
	s.Image, s.Patch, s.Embed, s.Positions = full.Vision.Image, full.Vision.Patch, full.Embed, full.Text.Positions
	s.Width, s.HeadWidth, s.MLPTimes = full.Vision.Width, full.Vision.Width/full.Vision.Heads, 4
	s.VisionLayers, s.TextLayers, s.Fusion = full.Vision.Layers, full.Text.Layers, full.Text.Fusion
}

// clip is CLIP at this scale. The end of a text is its last token that is no padding, which is the published one with the published
// vocabulary, too.
func (s Scale) clip(vocab int) clip.Model {
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
	m.Vision, m.MeanPool = s.albef(vocab).Vision, s.MeanPool
	m.Vision.CLIP, m.Vision.Activation = true, encoder.Quick
	return m
}

// A ResNet's stem has a twelfth of the width of the vision transformer of the same scale, as RN50's 64 of ViT-B's 768, and its attention
// pool heads of 64.
const (
	stemShare = 12
	headWidth = 64
)

// likeCLIP changes a scale to what CLIP has: no loss but ITC, which FALCON is then rewarded by, and a temperature that does not decay; at
// the paper's scale the sizes of CLIP's ViT-B/16 and its regime (Radford et al., 2021, tables 18 and 20).
func (s *Scale) likeCLIP() {
	s.Scheduler.Objectives = negative.Of(negative.ITC)
	s.Optimiser.SpareScalars = true
	if s.Name != "paper" {
		return
	}
	s.Optimiser.Beta2, s.Optimiser.Epsilon, s.Optimiser.WeightDecay = 0.98, 1e-6, 0.2
	s.Image, s.Scenes.Size, s.MeanPool, s.MaxLen, s.Positions, s.Embed = 224, 256, false, 77, 77, 512
	s.TextWidth, s.TextLayers = 512, 12
	s.Epochs, s.Schedule, s.CosineTimes = 32, train.Schedule{Rate: 5e-4, Units: 2000, Unit: 1}, 0
}

// simclr is SimCLR at this scale, with a ResNet where it has blocks, as wide as Scale.Width says.
func (s Scale) simclr() simclr.Model {
	m := simclr.Model{Hidden: s.Hidden, Embed: s.Embed, Temperature: s.Temperature, Half: s.Half}
	if len(s.Bottlenecks) > 0 {
		m.ResNet = encoder.ResNet{Image: s.Image, Layers: s.Bottlenecks, Width: s.Width, Basic: s.Basic, Stem: s.Stem}
	} else {
		m.Vision = s.albef(1).Vision
	}
	return m
}

// likeSimCLR changes a scale to what SimCLR has as SogCLR and GloFND train it: two views of each image, LARS, and a rate that rises over
// the first epochs and then falls at every iteration; at the paper's scale a ResNet-50 (METHODS.md 7.1 and 19). No captions are read, and
// nothing stands in front of the model.
func (s *Scale) likeSimCLR() {
	s.Locked, s.Augment, s.WarmStart, s.Captions = Locked{}, false, 0, 0
	s.Views = transform.SogCLR(0)
	s.Embed, s.Temperature = 128, 0.1
	s.LARS = train.LARS{Trust: 1e-3, Momentum: 0.9, WeightDecay: 1e-6}
	switch s.Name {
	case "tiny":
		s.Image, s.Bottlenecks, s.Width, s.Basic, s.Stem, s.Hidden, s.Embed = 32, []int{1, 1}, 8, true, 4, 32, 16
	case "mini":
		s.Image, s.Bottlenecks, s.Width, s.Basic, s.Hidden, s.Embed = 32, []int{1, 1, 1}, 32, true, 256, 64
		s.BatchSize, s.Epochs = 128, 20
	case "small":
		s.Image, s.Scenes.Size, s.Bottlenecks, s.Width, s.Basic, s.Stem, s.Hidden = 32, 128, []int{2, 2, 2, 2}, 64, true, 1, 512
		s.BatchSize, s.Epochs = 128, 200
	case "paper":
		s.Image, s.Scenes.Size, s.Bottlenecks, s.Width, s.Hidden = 224, 256, []int{3, 4, 6, 3}, 64, 2048
		s.BatchSize, s.Epochs, s.QueueBatches = 128, 200, 512
	}
	if s.Image <= smallImage {
		s.Views.Blur = transform.GaussianBlur{} // which leaves little of it
	}
	s.Scenes.OneShape = true // a class that the views leave true
	s.Global.Gamma, s.Global.Temperature, s.Global.Begin = 0.9, 0, 70./200
	s.Global.Individual = negative.IndividualSettings{Least: 0.05, Most: 1, Rho: 0.3, Rate: 0.01}
	s.Global.Alpha, s.Global.FromBatch = 0.01, s.Epochs < 100 // fewer visits than a threshold needs to come down from 1
	if !s.folder {
		s.Global.Alpha = 1 / float64(scenes.Ring) // one shape of so many: the share of the negatives that are of the anchor's class
	}
	s.Schedule, s.RootRate, s.CosineTimes = train.Schedule{Smooth: true}, 0.075, 0
	s.RampShare = min(10, math.Ceil(float64(s.Epochs)/10)) / float64(s.Epochs) // the paper has 10 epochs of 200
}

// probes are what representations are measured by.
func (s Scale) probes() eval.Tasks {
	return eval.Tasks{
		eval.Neighbours{}, eval.LinearEvaluation{}, s.transfer(), eval.Thresholds{Alpha: s.Global.Alpha, Batch: s.BatchSize}, eval.Plane{},
	}
}

// transfer is to the usual targets, at tiny to as few images of them as it has itself.
func (s Scale) transfer() eval.Transfer {
	var t eval.Transfer
	for _, target := range eval.UsualTargets() {
		if s.Name != "tiny" || target.Scenes == nil {
			return t
		}
		few := *target.Scenes
		few.Train, few.Val, few.Test = s.Scenes.Train, s.Scenes.Val, s.Scenes.Test
		target.Scenes = &few
		t.Targets = append(t.Targets, target)
	}
	return t
}

// smallImage is the side of images that SimCLR does not blur (Chen et al., 2020, B.9).
const smallImage = 32

// gpt is GPT-2 at this scale.
func (s Scale) gpt(vocab int) gpt.Model {
	return gpt.Model{
		Text: encoder.GPT{Vocab: vocab, Positions: s.Positions, Width: s.TextWidth, Layers: s.TextLayers,
			Heads: s.TextHeads, MLP: s.TextMLP, Dropout: s.Dropout, Recompute: s.Recompute},
		Half: s.Half,
	}
}

// opt is OPT at this scale, of GPT-2's sizes.
func (s Scale) Opt(vocab int) opt.Model {
	return opt.Model{Text: encoder.OPT(s.gpt(vocab).Text), Half: s.Half}
}

// likeOPT changes a scale as likeGPT does; at the paper's scale the sizes are those of the smallest OPT (Zhang et al., 2022, table 1).
func (s *Scale) likeOPT() {
	s.likeGPT()
	if s.Name == "paper" {
		s.Positions = 2048
	}
}

// likeGPT changes a scale to what a language model has: no images, and nothing that it starts from; at the paper's scale the sizes of the
// smallest GPT-2 (Radford et al., 2019, table 2), whose text encoder is as wide as ALBEF's.
func (s *Scale) likeGPT() {
	s.Locked, s.Augment, s.WarmStart = Locked{}, false, 0
	if s.Name == "paper" {
		s.TextLayers, s.Positions = 12, 1024
	}
}
