// Package preset has what scales and plans know of SimCLR.
package preset

import (
	"math"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/simclr"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Framework is SimCLR.
var Framework = plan.Framework{Kind: kind}

// kind is SimCLR as SogCLR and GloFND train it: two views of each image, LARS, and a rate that rises over the first epochs and then falls
// at every iteration; at the paper's scale a ResNet-50 (METHODS.md 7.1 and 19).
var kind = scale.Kind{
	Name: "SimCLR",
	What: "an image encoder with a projection head, for two views of each image (Chen et al., 2020)",
	Preset: func(s *scale.Scale) {
		s.Locked, s.Augment, s.WarmStart, s.Captions = scale.Locked{}, false, 0, 0 // no captions are read
		s.Views = transform.SogCLR(0)
		s.Embed, s.Temperature = 128, 0.1
		s.LARS = train.LARS{Trust: 1e-3, Momentum: 0.9, WeightDecay: 1e-6}
		s.Scenes.OneShape = true // a class that the views leave true
		s.Global.Gamma, s.Global.Temperature, s.Global.Begin = 0.9, 0, 70./200
		s.Global.Individual = negative.IndividualSettings{Least: 0.05, Most: 1, Rho: 0.3, Rate: 0.01}
		s.Global.Alpha = 0.01
		if !s.OfFolder() {
			s.Global.Alpha = 1 / float64(scenes.Ring) // one shape of so many: the share of the negatives that are of the anchor's class
		}
		s.Schedule, s.RootRate, s.CosineTimes = train.Schedule{Smooth: true}, 0.075, 0
	},
	At: map[string]func(*scale.Scale){
		"tiny": func(s *scale.Scale) {
			s.Image, s.Bottlenecks, s.Width, s.Embed = 32, []int{1, 1}, 8, 16
			s.Views.Blur = transform.GaussianBlur{}
			visits(s)
		},
		"mini": func(s *scale.Scale) {
			s.Image, s.Bottlenecks, s.Width, s.Embed = 32, []int{1, 1, 1}, 32, 64
			s.BatchSize, s.Epochs = 128, 20
			s.Views.Blur = transform.GaussianBlur{}
			visits(s)
		},
		"small": func(s *scale.Scale) {
			s.Image, s.Scenes.Size, s.Bottlenecks, s.Width = 32, 128, []int{2, 2, 2, 2}, 64
			s.BatchSize, s.Epochs = 128, 200
			s.Views.Blur = transform.GaussianBlur{} // images of 32 pixels are not blurred (Chen et al., 2020, B.9)
			visits(s)
		},
		"paper": func(s *scale.Scale) {
			s.Image, s.Scenes.Size, s.Bottlenecks, s.Width = 224, 256, []int{3, 4, 6, 3}, 64
			s.BatchSize, s.Epochs, s.QueueBatches = 128, 200, 512
			visits(s)
		},
	},
	Tasks: func(s scale.Scale) eval.Tasks {
		return eval.Tasks{
			eval.Neighbours{}, eval.LinearEvaluation{}, transfer(s), eval.Thresholds{Alpha: s.Global.Alpha, Batch: s.BatchSize}, eval.Plane{},
		}
	},
	Own: func(name string) any { return sizes[name] },
	Settings: []scale.Settable{
		{Name: "basic", Says: "blocks of SimCLR's ResNet are of two convolutions instead of bottlenecks"},
		{Name: "stem", Unit: "pixels",
			Says: "stride of the first convolution of SimCLR's ResNet for small images; 0 for that of large ones"},
		{Name: "hidden", Unit: "numbers", Says: "width of the middle of SimCLR's projection head"},
	},
	Build: func(s scale.Scale, _ int) framework.Framework {
		own := scale.Own[Sizes](s)
		m := simclr.Model{Hidden: own.Hidden, Embed: s.Embed, Temperature: s.Temperature, Half: s.Half}
		if len(s.Bottlenecks) > 0 {
			m.ResNet = encoder.ResNet{Image: s.Image, Layers: s.Bottlenecks, Width: s.Width, Basic: own.Basic, Stem: own.Stem}
		} else {
			m.Vision = s.ViT()
		}
		return m
	},
}

// Sizes are what SimCLR has besides a scale's.
type Sizes struct {
	Basic  bool // blocks of the ResNet are of two convolutions instead of bottlenecks
	Stem   int  // of the ResNet, see encoder.ResNet
	Hidden int  // width of the middle of the projection head
}

// sizes are those of the scales.
var sizes = map[string]Sizes{
	"tiny": {Basic: true, Stem: 4, Hidden: 32}, "mini": {Basic: true, Hidden: 256}, "small": {Basic: true, Stem: 1, Hidden: 512},
	"paper": {Hidden: 2048},
}

// visits sets what depends on how often an image is seen: a threshold needs many visits to come down from 1, and the rate rises over the
// paper's 10 epochs of 200, or a tenth of fewer.
func visits(s *scale.Scale) {
	s.Global.FromBatch = s.Epochs < 100
	s.RampShare = min(10, math.Ceil(float64(s.Epochs)/10)) / float64(s.Epochs)
}

// fewTargets are the scales whose targets of transfer have as few images as they have themselves.
var fewTargets = map[string]bool{"tiny": true}

// transfer is to the usual targets.
func transfer(s scale.Scale) eval.Transfer {
	var t eval.Transfer
	for _, target := range eval.UsualTargets() {
		if !fewTargets[s.Name] || target.Scenes == nil {
			return t
		}
		few := *target.Scenes
		few.Train, few.Val, few.Test = s.Scenes.Train, s.Scenes.Val, s.Scenes.Test
		target.Scenes = &few
		t.Targets = append(t.Targets, target)
	}
	return t
}
