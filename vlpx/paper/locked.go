package paper

import (
	"fmt"
	"strings"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// Locked says what a locked image encoder, a published one without gradient, gives to the model (Zhai et al., 2022). It sees images of
// Scale.Image pixels without augmentation, and Scale's vision layers read its tokens.
type Locked struct {
	Side      int     // patches a side that it gives besides its class token, means of its own; 0 where no encoder is locked
	Pixels    string  // the statistics by which it sees an image: clip, imagenet, or symmetric for [-1, 1]; empty for a known encoder's own
	Heads     int     // of its attention; 0: as many as are 64 wide, as from ViT-Ti to ViT-L
	Gigabytes float64 // that the tokens of all locked encoders may take in the store; 0 for 10
}

// statistics are the values of Locked.Pixels.
var statistics = map[string]transform.Statistics{"clip": transform.CLIP, "imagenet": transform.ImageNet, "symmetric": transform.Symmetric}

// photographs is the scale "mini" for a folder of photographs where an image encoder can be locked (docs/PHOTOGRAPHS.md). What is left to
// learn is to bring its tokens and the text together, and of all captions.
func (s Scale) photographs() Scale {
	s.Locked = Locked{Side: 7}
	s.Image, s.VisionLayers, s.MeanPool = 224, 1, false
	s.Captions, s.MinCount, s.MaxVocab = 0, 3, 3000
	s.Epochs, s.WarmStart, s.Rerank = 3, 3, 16
	// A hundredth of the pairs, as in FALCON: in more, a caption meets those of its own image.
	s.SearchSpace, s.GroupQueue = 320, 1920
	return s
}

// Lockable is the checkpoint of the image encoder that is locked in front of photographs unless the request names one.
const Lockable = "vit-tiny"

// Preset is the request's scale without what it sets.
func (q Request) Preset() (Scale, error) {
	s, err := Preset(q.Scale, q.folder())
	if err != nil || !q.folder() || s.Name != "mini" || q.Regions != "" {
		return s, err
	}
	asked, given, err := q.weightsOf("vision")
	model, _, _ := q.weightsOf("model")
	switch {
	case err != nil:
		return s, err
	case !given && model != "" && model != noWeights: // which reads pixels
		return s, nil
	case !given:
		source, err := q.Places.Find(Lockable)
		if err != nil || source.Hash == "" {
			return s, err
		}
	case asked == noWeights:
		return s, nil
	}
	return s.photographs(), nil
}

// lock puts an image encoder in front of runs.
func (l Locked) lock(runs []run.Run, source *weights.Source, image int) error {
	if source == nil {
		return fmt.Errorf("locked.side=%d: there is no image encoder to lock; name one with -weights vision=NAME", l.Side)
	}
	if l.Pixels == "" {
		known, _ := weights.Named(source.Name)
		l.Pixels = known.Pixels
	}
	e := locked.Encoder{Weights: *source, Image: image, Side: l.Side, Heads: l.Heads}
	width, err := e.Width()
	if err != nil {
		return err
	}
	var ok bool
	if e.Pixels, ok = statistics[strings.ToLower(l.Pixels)]; !ok {
		return fmt.Errorf("locked.pixels=%q for %s; set clip, imagenet or symmetric, whichever the encoder was trained with", l.Pixels, source.Name)
	}
	for k := range runs {
		runs[k].Locked, runs[k].LockedBytes = &e, int64(l.Gigabytes*1e9)
		f := &runs[k].Train.Framework
		if _, regional := f.Framework.(framework.Regional); regional {
			see(&runs[k], regions.Source{Count: e.Tokens(), Width: width, Grid: true})
			continue
		}
		lockable, ok := f.Framework.(framework.Lockable)
		if !ok {
			return fmt.Errorf("locked.side=%d: %s reads pixels alone; set locked.side=0", l.Side, f.Name())
		}
		f.Framework = lockable.Lock(width)
	}
	return nil
}

// lockedSource are the weights of the image encoder that is locked in front of the plan's runs; nil where none is.
func (p *Plan) lockedSource() *weights.Source {
	for _, runs := range p.Rows {
		if len(runs) > 0 && runs[0].Locked != nil {
			return &runs[0].Locked.Weights
		}
	}
	return nil
}

// lockedNote tells what stands in front of every row; empty where nothing does.
func (p *Plan) lockedNote() string {
	source := p.lockedSource()
	if source == nil {
		return ""
	}
	note := fmt.Sprintf("Images are seen by %s (%s), a published encoder that is not trained here", source.Name, Abbreviated(source.Hash))
	if known, _ := weights.Named(source.Name); known.Supervised != "" {
		note += " but was supervised by " + known.Supervised
	}
	return note + "."
}
