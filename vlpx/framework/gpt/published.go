package gpt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/weights"
)

// Published is a GPT-2 as Hugging Face's hub has it: a folder with config.json, one safetensors file, and tokenizer.json or vocab.json with
// merges.txt.
type Published struct {
	Model     Model
	Weights   weights.Source
	Tokenizer *text.Tokenizer
}

// Find reads what a folder has, but for the weights themselves.
func Find(dir string) (p Published, err error) {
	if p.Model, err = configured(filepath.Join(dir, "config.json")); err != nil {
		return p, fmt.Errorf("gpt: %w", err)
	}
	if p.Weights, err = weights.Find(dir); err != nil {
		return p, err
	}
	p.Tokenizer, err = text.FromTokenizerJSON(filepath.Join(dir, "tokenizer.json"))
	if errors.Is(err, fs.ErrNotExist) {
		p.Tokenizer, err = text.FromVocabAndMerges(filepath.Join(dir, "vocab.json"), filepath.Join(dir, "merges.txt"))
	}
	if err == nil && p.Tokenizer.Size() != p.Model.Text.Vocab {
		err = fmt.Errorf("gpt: %s: a vocabulary of %d tokens for a model of %d; do they belong together?", dir, p.Tokenizer.Size(),
			p.Model.Text.Vocab)
	}
	return p, err
}

// configured is the model of a config.json.
func configured(path string) (Model, error) {
	config := struct {
		Type       string  `json:"model_type"`
		Vocab      int     `json:"vocab_size"`
		Positions  int     `json:"n_positions"`
		Width      int     `json:"n_embd"`
		Layers     int     `json:"n_layer"`
		Heads      int     `json:"n_head"`
		MLP        int     `json:"n_inner"`
		Activation string  `json:"activation_function"`
		Epsilon    float64 `json:"layer_norm_epsilon"`
		Dropout    float64 `json:"resid_pdrop"`
	}{Activation: "gelu_new", Epsilon: 1e-5, Dropout: 0.1}
	text, err := content.ReadFile(path)
	if err == nil {
		err = plainjson.Unmarshal(text, &config)
	}
	if err != nil {
		return Model{}, fmt.Errorf("%s: %w", path, err)
	}
	if config.Type != "gpt2" || config.Activation != "gelu_new" || config.Epsilon != 1e-5 {
		return Model{}, fmt.Errorf("%s: a model of type %q with activation %q and epsilon %g; take a GPT-2, which has gelu_new and 1e-5",
			path, config.Type, config.Activation, config.Epsilon)
	}
	if config.MLP == 0 {
		config.MLP = 4 * config.Width
	}
	return Model{Text: encoder.GPT{Vocab: config.Vocab, Positions: config.Positions, Width: config.Width, Layers: config.Layers,
		Heads: config.Heads,
		MLP:   config.MLP, Dropout: config.Dropout}}, nil
}
