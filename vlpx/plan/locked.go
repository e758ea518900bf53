package plan

import (
	"fmt"
	"strings"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

// Preset is the request's scale without what it sets.
func (q Request) Preset() (scale.Scale, error) {
	s, err := scale.Preset(q.Scale, q.Folder())
	if err != nil || !q.Folder() || s.Name != "mini" || q.Regions != "" {
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
		source, err := q.Places.Find(scale.Lockable)
		if err != nil || source.Hash == "" {
			return s, err
		}
	case asked == noWeights:
		return s, nil
	}
	return s.Photographs(), nil
}

// publishedEncoder is the locked encoder of published weights.
func publishedEncoder(l scale.Locked, source weights.Source, image int) (locked.Encoder, error) {
	if l.Pixels == "" {
		known, _ := weights.Named(source.Name)
		l.Pixels = known.Pixels
	}
	pixels, ok := scale.Statistics[strings.ToLower(l.Pixels)]
	if !ok {
		return locked.Encoder{}, fmt.Errorf("locked.pixels=%q for %s; set clip, imagenet or symmetric, whichever the encoder was "+
			"trained with", l.Pixels, source.Name)
	}
	return locked.Encoder{Weights: source, Image: image, Side: l.Side, Heads: l.Heads, Pixels: pixels}, nil
}

// encoderName is the name of what trains a locked image encoder of our own.
const encoderName = "Image encoder"

// ownEncoder is the run whose image encoder is locked, the same for all methods and all seeds that share scenes, and for all
// noise and portions of the data, with that encoder.
func (w planner) ownEncoder(s scale.Scale) (*run.Run, locked.Encoder, error) {
	side, epochs := s.Resolved().Locked.Side, s.Locked.Epochs
	lender, ok := scale.Lender()
	if !ok {
		return nil, locked.Encoder{}, fmt.Errorf("locked.epochs=%d: no framework lends its image encoder", epochs)
	}
	s.Epochs, s.Schedule.Epochs = epochs, epochs
	of, err := w.apart(s, lender.Name, encoderName)
	if err != nil {
		return nil, locked.Encoder{}, err
	}
	vit := lender.Lends(of.Train.Framework.Framework)
	return &of, locked.Encoder{Run: of.ID(), Trained: &vit, Image: s.Image, Side: side, Pixels: transform.CLIP}, nil
}

// lock puts an image encoder in front of runs.
func (w planner) lock(runs []run.Run, source *weights.Source, s scale.Scale) (err error) {
	l := s.Resolved().Locked
	var e locked.Encoder
	var own *run.Run
	switch {
	case source != nil:
		e, err = publishedEncoder(l, *source, s.Image)
	case l.Epochs > 0:
		own, e, err = w.ownEncoder(s)
	default:
		err = fmt.Errorf("locked.side=%d: there is no image encoder to lock; name one with -weights vision=NAME", l.Side)
	}
	if err != nil {
		return err
	}
	width, err := e.Width()
	if err != nil {
		return err
	}
	for k := range runs {
		runs[k].Locked, runs[k].Encoder, runs[k].LockedBytes = &e, own, int64(l.Gigabytes*1e9)
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
func (p *Plan) LockedSource() *weights.Source {
	for _, runs := range p.Rows {
		if len(runs) > 0 && runs[0].Locked != nil && runs[0].Locked.Trained == nil {
			return &runs[0].Locked.Weights
		}
	}
	return nil
}

// lockedNote tells what stands in front of every row; empty where nothing does.
func (p *Plan) lockedNote() string {
	source := p.LockedSource()
	if source == nil {
		return p.ownEncoderNote()
	}
	note := fmt.Sprintf("Images are seen by %s (%s), a published encoder that is not trained here", source.Name, Abbreviated(source.Hash))
	if known, _ := weights.Named(source.Name); known.Supervised != "" {
		note += " but was supervised by " + known.Supervised
	}
	return note + "."
}

// ownEncoderNote tells of the image encoder of a run of our own that is locked in front of every row; empty where none is.
func (p *Plan) ownEncoderNote() string {
	for _, runs := range p.Rows {
		if len(runs) > 0 && runs[0].Encoder != nil {
			return fmt.Sprintf("Images are seen by the image encoder of a run of %s of %d epochs (%s), which is not trained any "+
				"further.", runs[0].Encoder.Train.Framework.Name(), runs[0].Encoder.Train.Epochs, runs[0].Encoder.ID())
		}
	}
	return ""
}
