package preset

import (
	"slices"

	"vlpx.internal/vlpx/scale"
)

// Sizes are what ALBEF has besides a scale's.
type Sizes struct {
	Fusion int // layers of the text encoder that read the image
	VQA    scale.Tuning
	// Assignment is the regime of text assignment before the fine-tuning for NLVR2; no epochs leave it out. Other images of a caption are
	// drawn from its mini-batch, so that the published size is that of one GPU.
	Assignment, NLVR scale.Tuning
}

// sizes are those of the scales.
var sizes = map[string]Sizes{
	"tiny": {
		Fusion:     1,
		VQA:        scale.Tuning{Epochs: 1, Rate: 1e-3, Min: 4e-5, Warmup: 5},
		Assignment: scale.Tuning{Epochs: 1, Rate: 1e-3, Min: 4e-5, Warmup: 5},
		NLVR:       scale.Tuning{Epochs: 1, Rate: 1e-3, Min: 4e-5, Warmup: 5},
	},
	"mini": {
		Fusion:     1,
		VQA:        scale.Tuning{Epochs: 2, BatchSize: 64, Rate: 1e-3, Min: 2e-5, Warmup: 50},
		Assignment: scale.Tuning{Epochs: 2, Rate: 5e-4, Min: 2e-5, Warmup: 50},
		// at higher rates the forms of statements keep each other from being learned
		NLVR: scale.Tuning{Epochs: 4, Rate: 1e-4, Min: 1e-5, Warmup: 50},
	},
	"small": {
		Fusion:     3,
		VQA:        scale.Tuning{Epochs: 8, BatchSize: 256, Rate: 1e-4, Min: 5e-6, Warmup: 400},
		Assignment: scale.Tuning{Epochs: 1, BatchSize: 64, Rate: 1e-4, Min: 5e-5, Warmup: 100},
		NLVR:       scale.Tuning{Epochs: 10, BatchSize: 128, Rate: 1e-4, Min: 5e-6, Warmup: 100},
	},
	"paper": {
		Fusion:     6,
		VQA:        scale.Tuning{Epochs: 8, BatchSize: 256, Rate: 2e-5, Min: 1e-6, Warmup: 400},
		Assignment: scale.Tuning{Epochs: 1, BatchSize: 64, Rate: 2e-5, Min: 1e-5, Warmup: 100},
		NLVR:       scale.Tuning{Epochs: 10, BatchSize: 128, Rate: 2e-5, Min: 1e-6, Warmup: 100},
	},
}

// settings are those of Sizes.
func settings() []scale.Settable {
	assignment := scale.RegimeSettings("assignment", "text assignment, the stage before fine-tuning for NLVR2")
	assignment[0].Says += "; 0 leaves it out"
	assignment[1].Says += ", but at least 3, a caption and two other images"
	return slices.Concat(
		[]scale.Settable{{Name: "fusion", Unit: "layers", Says: "layers that read image and text together, behind the text encoder's",
			Also: []string{"fusionlayers", "layers"}}},
		scale.RegimeSettings("vqa", "fine-tuning for visual question answering"),
		scale.RegimeSettings("nlvr", "fine-tuning for NLVR2"), assignment)
}
