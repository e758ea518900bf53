package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// Locked says what a locked image encoder, a published one without gradient, gives to the model (Zhai et al., 2022). It sees images of
// Scale.Image pixels without augmentation, and Scale's vision layers read its tokens.
type Locked struct {
	Side      int     // patches a side that it gives besides its class token, means of its own; 0 where no encoder is locked
	Pixels    string  // the statistics by which it sees an image: clip, imagenet, or symmetric for [-1, 1]
	Heads     int     // of its attention; 0: as many as are 64 wide, as from ViT-Ti to ViT-L
	Gigabytes float64 // that the tokens of all locked encoders may take in the store; 0 for 10
}

// statistics are the values of Locked.Pixels.
var statistics = map[string]transform.Statistics{"clip": transform.CLIP, "imagenet": transform.ImageNet, "symmetric": transform.Symmetric}

// photographs is the scale "mini" for a folder of photographs where an image encoder can be locked (docs/PHOTOGRAPHS.md). What is left to
// learn is to bring its tokens and the text together, and of all captions.
func (s Scale) photographs() Scale {
	s.Locked = Locked{Side: 7, Pixels: "symmetric"}
	s.Image, s.VisionLayers, s.MeanPool = 224, 1, false
	s.Captions, s.MinCount, s.MaxVocab = 0, 3, 3000
	s.Epochs, s.WarmStart = 3, 3
	return s
}

// Preset is the request's scale without what it sets.
func (q Request) Preset() (Scale, error) {
	s, _, err := q.preset()
	return s, err
}

// preset is the request's scale without what it sets, and the weights of the image encoder to lock; nil where there are none.
func (q Request) preset() (Scale, *weights.Source, error) {
	s, err := Preset(q.Scale, q.folder())
	if err != nil || !q.folder() {
		return s, nil, err
	}
	dir := filepath.Join(os.Getenv("VLPX_DATA"), "pretrained", "vit-tiny-patch16-224")
	if _, err := os.Stat(dir); err != nil {
		return s, nil, nil
	}
	source, err := weights.Find(dir)
	if err != nil {
		return s, nil, err
	}
	if s.Name == "mini" {
		s = s.photographs()
	}
	return s, &source, nil
}

// lock puts the locked encoder in front of runs at a scale that has one.
func (w planner) lock(runs []run.Run, scale Scale) error {
	l := scale.Locked
	if l.Side == 0 {
		return nil
	}
	if w.locked == nil {
		return fmt.Errorf("locked.side=%d: there is no image encoder to lock; name one with -weights vision=NAME", l.Side)
	}
	pixels, ok := statistics[strings.ToLower(l.Pixels)]
	if !ok {
		return fmt.Errorf("locked.pixels=%s; use clip, imagenet or symmetric, whichever the encoder was trained with", l.Pixels)
	}
	e := locked.Encoder{Weights: *w.locked, Image: scale.Image, Side: l.Side, Pixels: pixels, Heads: l.Heads}
	width, err := e.Width()
	if err != nil {
		return err
	}
	for k := range runs {
		runs[k].Locked, runs[k].LockedBytes = &e, int64(l.Gigabytes*1e9)
		runs[k].Train.Framework.Vision.Locked = width
	}
	return nil
}

// lockedSource are the weights of the image encoder that is locked in front of the plan's runs; nil where none is.
func (p *Plan) lockedSource() *weights.Source {
	if p.Scale.Locked.Side == 0 {
		return nil
	}
	return p.planner.locked
}

// lockedNote tells what stands in front of every row; empty where nothing does.
func (p *Plan) lockedNote() string {
	source := p.lockedSource()
	if source == nil {
		return ""
	}
	return fmt.Sprintf(" Images are seen by %s (%s), a published encoder that is not trained here%s.", source.Name, Abbreviated(source.Hash), supervision(*source))
}

func supervision(weights.Source) string { return "" }
