package scale

import (
	"math"

	"vlpx.internal/datasets/transform"
)

// Locked says what a locked image encoder, a published one without gradient, gives to the model (Zhai et al., 2022). It sees images of
// Scale.Image pixels without augmentation, and Scale's vision layers read its tokens.
type Locked struct {
	// Side is the patches a side that it gives besides its class token, means of its own; 0 where no encoder is locked, AllPatches for all.
	Side   int
	Pixels string // the statistics by which it sees an image: clip, imagenet, or symmetric for [-1, 1]; empty for a known encoder's own
	Heads  int    // of its attention; 0: as many as are 64 wide, as from ViT-Ti to ViT-L
	// Epochs are those of a run of CLIP whose image encoder is locked where no published one is named, as BLIP-2's was; 0 for none.
	Epochs    int
	Gigabytes float64 // that the tokens of all locked encoders may take in the store; 0 for 10
}

// AllPatches are those of an encoder of our own, which has Scale.Image and Scale.Patch.
const AllPatches = -1

// statistics are the values of Locked.Pixels.
var Statistics = map[string]transform.Statistics{"clip": transform.CLIP, "imagenet": transform.ImageNet, "symmetric": transform.Symmetric}

// photographs is the scale "mini" for a folder of photographs where an image encoder can be locked (docs/PHOTOGRAPHS.md). What is left to
// learn is to bring its tokens and the text together, and of all captions.
func (s Scale) Photographs() Scale {
	s.Locked = Locked{Side: 7}
	s.Image, s.VisionLayers, s.MeanPool = 224, 1, false
	s.Captions, s.MinCount, s.MaxVocab = 0, 3, 3000
	s.Epochs, s.WarmStart, s.Rerank = 3, 3, 16
	// A hundredth of the pairs, as in FALCON: in more, a caption meets those of its own image.
	s.SearchBatches, s.GroupBatches = 10, 60
	return s
}

// Lockable is the checkpoint of the image encoder that is locked in front of photographs unless the request names one.
const Lockable = "vit-tiny"

// Regions says what the regions of images are, for a framework that reads these in the place of pixels.
type Regions struct {
	// Source is boxes, of generated scenes, files, of Request.Regions, or grid, a locked encoder's patches; empty for files where the
	// request names a folder, for grid where an encoder is locked, and else for boxes.
	Source string
	// of an image at most; 0 for 4, the most objects of a scene and its whole, and for 100 of files. Of a grid it is 1 + locked.side^2
	Count int
	Width int     // features of a region; 0 for 128, and for 2048 of files. Of a grid it is the encoder's
	Noise float64 // of boxes: how far a detector is off, as a share of a box's side
}

// Sources of regions.
const (
	Boxes = "boxes"
	Files = "files"
	Grid  = "grid"
)

// TrainingScenes are the generated training images, of which a portion may be used.
func (s Scale) TrainingScenes() int {
	if s.Portion == 0 {
		return s.Scenes.Train
	}
	return int(math.Round(s.Portion * float64(s.Scenes.Train)))
}

// secondWorld is the world of scenes that is the second data where the first is the usual one.
const SecondWorld = "second"
