package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"vlpx.internal/datasets/text"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// Config is config.json: the model's sizes in the words of ALBEF's configuration and of Hugging Face's BERT, and the run behind it.
type Config struct {
	Sizes
	VLPX Origin `json:"vlpx"`
}

// Sizes are what another program needs to build the model and to prepare its inputs.
type Sizes struct {
	ModelType string    `json:"model_type"` // "albef"
	ImageRes  int       `json:"image_res"`  // pixels a side
	EmbedDim  int       `json:"embed_dim"`  // of the shared embedding
	Vision    ViT       `json:"vision_config"`
	BERT      BERT      `json:"bert_config"`
	Pooling   string    `json:"image_pooling"` // "class", as published: the image's embedding reads the class token; "mean" of all tokens
	Mean      []float32 `json:"image_mean"`    // of red, green and blue over [0, 1]
	Deviation []float32 `json:"image_std"`
	Resize    string    `json:"image_resize"` // to a square, without a crop
	MaxTokens int       `json:"max_tokens"`   // of a caption, with [CLS] and [SEP]
	MaxWords  int       `json:"max_words"`    // of a caption before it is split into tokens
}

// ViT has the names of VisionTransformer's arguments in timm and ALBEF, and what these do not have.
type ViT struct {
	Image      int     `json:"img_size"`
	Patch      int     `json:"patch_size"`
	Width      int     `json:"embed_dim"`
	Layers     int     `json:"depth"`
	Heads      int     `json:"num_heads"`
	Ratio      float64 `json:"mlp_ratio"`
	Epsilon    float64 `json:"layer_norm_eps"`
	QKVBias    bool    `json:"qkv_bias"`
	Activation string  `json:"hidden_act"` // "gelu", or CLIP's "quick_gelu"
	CLIP       bool    `json:"clip"`       // CLIP's transformer: patches have no bias, and tokens are normalised before the first layer, too
	Locked     int     `json:"locked_dim"` // width of the tokens of a frozen encoder that it reads in the place of pixels; 0 for none
}

// BERT has the names of ALBEF's config_bert.json.
type BERT struct {
	ModelType     string  `json:"model_type"`
	Activation    string  `json:"hidden_act"`
	Width         int     `json:"hidden_size"`
	Layers        int     `json:"num_hidden_layers"` // with the fusion layers
	Fusion        int     `json:"fusion_layer"`      // the first fusion layer, from 0
	EncoderWidth  int     `json:"encoder_width"`     // of the image's tokens
	Heads         int     `json:"num_attention_heads"`
	MLP           int     `json:"intermediate_size"`
	Vocab         int     `json:"vocab_size"`
	Positions     int     `json:"max_position_embeddings"`
	Types         int     `json:"type_vocab_size"`
	Epsilon       float64 `json:"layer_norm_eps"`
	Dropout       float64 `json:"hidden_dropout_prob"`
	AttentionDrop float64 `json:"attention_probs_dropout_prob"`
	Pad           int     `json:"pad_token_id"`
}

// Origin is what no other program asks for: the run that the model is of.
type Origin struct {
	Run       string   `json:"run"` // its identity, the hash of Settings
	Method    string   `json:"method"`
	Seed      uint64   `json:"seed"`
	Tokenizer string   `json:"tokenizer"`            // the hash of tokenizer.json
	Own       []string `json:"own_tensors,omitzero"` // tensors of the model that published ones have not
	// Locked is the frozen image encoder whose tokens the model reads and which its file leaves out; nil where it reads pixels.
	Locked *Locked `json:"locked_vision,omitempty"`
	// Settings are the run's canonical JSON.
	Settings json.RawMessage `json:"settings"`
}

// Locked is a frozen image encoder: a published checkpoint, of whose patches each square is one token for the model.
type Locked struct {
	Name string `json:"name"` // as it is known; empty where it has no name
	Hash string `json:"hash"` // of the file's content
	Side int    `json:"side"` // squares of patches a side
}

// sizes tells a run's sizes in others' words.
func sizes(r run.Run) Sizes {
	a := r.Train.Framework.Framework.(albef.Model)
	pixels, pooling, activation := transform.CLIP, "class", "gelu"
	if r.Locked != nil {
		pixels = r.Locked.Pixels
	}
	if a.MeanPool {
		pooling = "mean"
	}
	if a.Vision.Activation == encoder.Quick {
		activation = "quick_gelu"
	}
	return Sizes{
		ModelType: "albef", ImageRes: a.Vision.Image, EmbedDim: a.Embed, Pooling: pooling,
		Vision: ViT{a.Vision.Image, a.Vision.Patch, a.Vision.Width, a.Vision.Layers, a.Vision.Heads,
			float64(a.Vision.MLP) / float64(a.Vision.Width), a.Vision.Epsilon(), true, activation, a.Vision.CLIP, a.Vision.Locked},
		BERT: BERT{
			ModelType: "bert", Activation: "gelu", Width: a.Text.Width, Layers: a.Text.Layers + a.Text.Fusion, Fusion: a.Text.Layers,
			EncoderWidth: a.Vision.Width, Heads: a.Text.Heads, MLP: a.Text.MLP, Vocab: a.Text.Vocab, Positions: a.Text.Positions,
			Types: max(a.Text.Types, 2), Epsilon: 1e-12, Dropout: a.Text.Dropout, AttentionDrop: a.Text.Dropout,
		},
		Mean: pixels.Mean[:], Deviation: pixels.Deviation[:], Resize: "bicubic", MaxTokens: r.Train.MaxLen, MaxWords: text.MaxWords,
	}
}

// parse reads a config.json and the run that it tells of. What it says must fit together, since the model is built from the run's
// settings and others build it from the sizes. Fields that it does not know are other programs' own.
func parse(content []byte) (Config, run.Description, error) {
	fail := func(err error) (Config, run.Description, error) { return Config{}, run.Description{}, err }
	var c Config
	if err := json.Unmarshal(content, &c); err != nil {
		return fail(fmt.Errorf("no config.json: %w", err))
	}
	if len(c.VLPX.Settings) == 0 {
		return fail(errors.New("it has no vlpx.settings, so that this is no export of vlpx"))
	}
	described, err := run.Describe(c.VLPX.Settings)
	if err != nil {
		return fail(fmt.Errorf("vlpx.settings: %w", err))
	}
	if described.ID != c.VLPX.Run {
		return fail(fmt.Errorf("vlpx.settings are those of run %s, not of %q; they were changed, so export the run again", described.ID, c.VLPX.Run))
	}
	if err := plausible(described.Run); err != nil {
		return fail(fmt.Errorf("vlpx.settings: %w", err))
	}
	if name, told, settings := differ(reflect.ValueOf(c.Sizes), reflect.ValueOf(sizes(described.Run))); name != "" {
		return fail(fmt.Errorf("%s is %v, which does not fit vlpx.settings, by which it is %v; export the run again", name, told, settings))
	}
	return c, described, nil
}

// plausible tells what of a run would fail in building its model.
func plausible(r run.Run) error {
	t := r.Train
	if err := framework.Check(t.Framework.Framework, t.Use()); err != nil {
		return err
	}
	switch {
	case (r.Locked != nil) != (t.Framework.Framework.(albef.Model).Vision.Locked > 0):
		return errors.New("a locked encoder without a model that reads its tokens, or the other way round")
	case len(r.Tasks) == 0:
		return errors.New("no task to be measured by")
	}
	return nil
}

// differ names the first field of two structs that is not the same in both, by its JSON names, with its two values; "" for none.
func differ(a, b reflect.Value) (name string, of, other any) {
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		field, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		if x.Kind() == reflect.Struct {
			if name, of, other = differ(x, y); name != "" {
				return field + "." + name, of, other
			}
		} else if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			return field, x.Interface(), y.Interface()
		}
	}
	return "", nil, nil
}

// table is what the names of an export's tensors mean.
func table() weights.Table { return weights.Exported(framework.Model) }
