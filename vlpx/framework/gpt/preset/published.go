package preset

import (
	"os"
	"path/filepath"

	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/scale"
)

// published is a published model in a folder, with its tokenizer where the folder has one.
func published(dir string) (scale.Published, error) {
	model, err := gpt.Find(dir)
	if err != nil {
		return scale.Published{}, err
	}
	of := model.Model.Text
	p := scale.Published{Weights: model.Weights.Path, Fit: func(s *scale.Scale) {
		s.Positions, s.TextWidth, s.TextHeads, s.TextMLP, s.TextLayers, s.Dropout = of.Positions, of.Width, of.Heads, of.MLP, of.Layers, 0
	}}
	for _, name := range []string{"tokenizer.json", "merges.txt"} {
		if path := filepath.Join(dir, name); p.Vocabulary == "" {
			if _, err := os.Stat(path); err == nil {
				p.Vocabulary = path
			}
		}
	}
	return p, nil
}
