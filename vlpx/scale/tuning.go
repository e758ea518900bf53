package scale

import (
	"cmp"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Tuning is the regime of a fine-tuning, such as for retrieval (METHODS.md 15.3). What it does not name is as in pre-training, the image's
// size too: the papers go on from 256 pixels to 384, which takes an interpolation of the positions that is not there.
type Tuning struct {
	Epochs    int
	BatchSize int // 0 for that of pre-training
	// Rate is the learning rate of the first epoch; it falls towards Min by a cosine.
	Rate, Min float64
	Warmup    int // first iterations, in which the rate rises from Min
}

// Schedule is the regime's learning rate.
func (t Tuning) Schedule() train.Schedule {
	least := min(t.Min, t.Rate)
	return train.Schedule{Warmup: least, Rate: t.Rate, Min: least, Units: t.Warmup, Unit: 1, Epochs: t.Epochs}
}

// Next is a run that goes on from another on data by a regime. Its framework and tasks are still the other's.
func (s Scale) Next(from run.Run, data run.Data, t Tuning, m negative.Method) run.Run {
	r := from
	r.Data, r.Reference, r.Init, r.Weights = data, nil, &from, run.Weights{}
	c := &r.Train
	c.Method, c.Reference, c.Init, c.Objectives, c.Select = m.WithDefaults(), "", from.ID(), negative.All, ""
	c.Look, c.Patience = false, 0
	c.Epochs = t.Epochs
	if t.BatchSize != 0 {
		c.BatchSize = t.BatchSize
	}
	c.Schedule = t.Schedule()
	return r
}

// Closer is a run that goes on from another, which crops less away than pre-training (ALBEF dataset/__init__.py), where the scale crops at
// all.
func (s Scale) Closer(r run.Run) run.Run {
	if s.Augment {
		r.Train.Transform.Crop[0] = 0.5
	}
	return r
}

// DistilledTuning is ALBEF's retrieval fine-tuning. A framework of OwnLabels is fine-tuned by these, for which either tuning stands there.
func DistilledTuning(s Scale) negative.Method { return retrievalTuning(s, 0.4) }

// PlainTuning is that of GRIT-VLP and MAFA: momentum encoders and queue as in ALBEF's, without soft targets.
func PlainTuning(s Scale) negative.Method { return retrievalTuning(s, 0) }

func retrievalTuning(s Scale, alpha float64) negative.Method {
	if s.kind().OwnLabels {
		return negative.OwnLabelTuning()
	}
	return negative.RetrievalTuning(alpha, s.Resolved().TuningQueue)
}

// tunedBy are the losses of retrieval fine-tuning, as far as the framework has them.
func tunedBy(f framework.Framework) negative.Objectives {
	var losses []negative.Loss
	for _, l := range f.Losses() {
		if l == negative.ITC || l == negative.ITM {
			losses = append(losses, l)
		}
	}
	return negative.Of(losses...)
}

// Tuned is the fine-tuning for retrieval on data that goes on from a pre-training run. The epoch with the highest mean recall on the
// validation split is taken, as ALBEF does, unless the scale selects by another metric.
func (s Scale) Tuned(from run.Run, data run.Data, m negative.Method) run.Run {
	r := s.Closer(s.Next(from, data, s.Tuning, m))
	r.Train.Objectives, r.Train.Select = tunedBy(r.Train.Framework.Framework), cmp.Or(s.Select, string(eval.RMean))
	r.Train.Patience = s.Patience
	return r
}
