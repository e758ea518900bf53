package preset

import (
	"slices"

	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/scale"
)

// Sizes are what BLIP-2 has besides a scale's.
type Sizes struct {
	Queries int
	Frozen  bool // the image encoder is not trained
	// Language is the regime of the language model that the second stage has frozen, Generation of that stage, and Captioning of
	// fine-tuning it for captions.
	Language, Generation, Captioning scale.Tuning
	Questions                        int // of the test split, which a model that writes answers gets; 0 for all
}

// sizes are those of the scales.
var sizes = map[string]Sizes{
	"tiny": {
		Queries: 4,
		// of a vocabulary and a grammar, where a model that goes on from another has both
		Language:   scale.Tuning{Epochs: 10, Rate: 1e-3, Min: 4e-5, Warmup: 5},
		Generation: scale.Tuning{Epochs: 1, Rate: 1e-3, Min: 4e-5, Warmup: 5},
		Captioning: scale.Tuning{Epochs: 1, Rate: 4e-4, Min: 4e-5, Warmup: 5},
	},
	"mini": {
		Queries:    8,
		Language:   scale.Tuning{Epochs: 1, Rate: 1e-3, Min: 2e-5, Warmup: 100},
		Generation: scale.Tuning{Epochs: 4, Rate: 1e-3, Min: 2e-5, Warmup: 50},
		Captioning: scale.Tuning{Epochs: 2, Rate: 2e-4, Min: 2e-5, Warmup: 20},
		Questions:  1000,
	},
	"small": {
		Queries:    16,
		Language:   scale.Tuning{Epochs: 4, BatchSize: 128, Rate: 5e-4, Min: 1e-5, Warmup: 400},
		Generation: scale.Tuning{Epochs: 5, BatchSize: 128, Rate: 3e-4, Min: 1e-5, Warmup: 400},
		Captioning: scale.Tuning{Epochs: 2, BatchSize: 128, Rate: 5e-5, Min: 5e-6, Warmup: 100},
		Questions:  1000,
	},
	"paper": {
		Queries: blip2.Paper().Text.Queries, Frozen: blip2.Paper().Frozen,
		Language:   scale.Tuning{Epochs: 10, BatchSize: 256, Rate: 3e-4, Min: 3e-5, Warmup: 2000},
		Generation: scale.Tuning{Epochs: 10, BatchSize: 512, Rate: 1e-4, Min: 5e-5, Warmup: 2000},
		Captioning: scale.Tuning{Epochs: 5, BatchSize: 128, Rate: 1e-5, Min: 0, Warmup: 1000},
		Questions:  1000,
	},
}

// settings are those of Sizes.
func settings() []scale.Settable {
	return slices.Concat(
		[]scale.Settable{
			{Name: "queries", Unit: "vectors", Says: "queries of BLIP-2, each of which gives a vector of an image"},
			{Name: "frozen", Says: "the image encoder that stands in BLIP-2 is not trained"},
			{Name: "questions", Also: []string{"asked"}, Unit: "questions",
				Says: "of the test split, which a model that writes answers gets; 0 for all"},
		},
		scale.RegimeSettings("generation", "BLIP-2's second stage, which writes"),
		scale.RegimeSettings("captioning", "fine-tuning BLIP-2's second stage for captions"),
		scale.RegimeSettings("language", "the language model that BLIP-2's second stage has frozen"))
}
