package plan

import (
	"cmp"

	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// speaking is a row by the published model of its framework that the request names as "language=FOLDER" among its weights, which an epoch
// at a rate of 0 leaves as it is; the row itself where the request names none, or the framework has none.
func (w planner) speaking(row Row) (planner, Row, error) {
	dir, given, err := w.weightsOf("language")
	w.Weights, w.Vocabulary, w.Tasks = nil, "", nil
	if err != nil || !given || dir == noWeights {
		return w, row, err
	}
	k, err := scale.FindKind(row.Framework)
	if err != nil || k.Published == nil {
		return w, row, err
	}
	published, err := k.Published(dir)
	if err != nil {
		return w, row, err
	}
	w.Weights, w.Vocabulary = []string{"text=" + published.Weights}, published.Vocabulary
	vary := row.Vary
	return w, row.Varying(func(s *scale.Scale) {
		if vary != nil {
			vary(s)
		}
		published.Fit(s)
		s.Epochs, s.Schedule, s.MaxLen = 1, train.Schedule{}, min(cmp.Or(s.MaxLen, s.Positions), s.Positions)
		s.Scenes.Train, s.Images = min(s.Scenes.Train, 2*s.BatchSize), 2*s.BatchSize
	}), nil
}
