package plan

import (
	"cmp"
	"os"
	"path/filepath"

	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// speaking is a row on GPT-2 by the published model that the request names as "language=FOLDER" among its weights, which an epoch at a rate
// of 0 leaves as it is; the row itself where the request names none.
func (w planner) speaking(row Row) (planner, Row, error) {
	dir, given, err := w.weightsOf("language")
	w.Weights, w.Vocabulary, w.Tasks = nil, "", nil
	if err != nil || !given || dir == noWeights || row.Framework != "GPT-2" {
		return w, row, err
	}
	published, err := gpt.Find(dir)
	if err != nil {
		return w, row, err
	}
	w.Weights = []string{"text=" + published.Weights.Path}
	for _, name := range []string{"tokenizer.json", "merges.txt"} {
		if path := filepath.Join(dir, name); w.Vocabulary == "" {
			if _, err := os.Stat(path); err == nil {
				w.Vocabulary = path
			}
		}
	}
	of, vary := published.Model.Text, row.Vary
	return w, row.Varying(func(s *scale.Scale) {
		if vary != nil {
			vary(s)
		}
		s.Positions, s.TextWidth, s.TextHeads, s.TextMLP, s.TextLayers, s.Dropout = of.Positions, of.Width, of.Heads, of.MLP, of.Layers, 0
		s.Epochs, s.Schedule, s.MaxLen = 1, train.Schedule{}, min(cmp.Or(s.MaxLen, of.Positions), of.Positions)
		s.Scenes.Train, s.Images = min(s.Scenes.Train, 2*s.BatchSize), 2*s.BatchSize
	}), nil
}
