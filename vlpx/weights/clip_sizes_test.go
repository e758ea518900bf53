package weights

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
)

// published is a golden model's file, with a configuration beside it if that has a name.
func published(t *testing.T, model, config, text string) Source {
	t.Helper()
	dir := t.TempDir()
	file := must.Get(os.ReadFile(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", model,
		"weights.safetensors")))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), file, 0o644))
	if config != "" {
		must.Do(t, os.WriteFile(filepath.Join(dir, config), []byte(text), 0o644))
	}
	source := must.Get(Find(dir))(t)
	return source
}

// The shapes tell the sizes, and the configuration beside the file the heads and the activation.
func TestCLIPSizes(t *testing.T) {
	sizes := func(visionHeads, textHeads int, vision, text encoder.Activation) CLIPSizes {
		return CLIPSizes{
			Vision: encoder.ViT{Image: 16, Patch: 8, Width: 16, Layers: 2, Heads: visionHeads, MLP: 64, CLIP: true, Activation: vision},
			Text:   encoder.CLIPText{Vocab: 40, Positions: 6, Width: 24, Layers: 2, Heads: textHeads, MLP: 96, Activation: text},
			Embed:  8,
		}
	}
	last := func(c CLIPSizes) CLIPSizes {
		c.Text.End = encoder.LastToken
		return c
	}
	for _, c := range []struct {
		config, text string
		want         CLIPSizes
	}{
		{"", "", sizes(1, 1, encoder.Quick, encoder.Quick)},
		{"config.json", `{"vision_config": {"num_attention_heads": 2}, "text_config": {"num_attention_heads": 3, "hidden_act": "gelu"}}`,
			sizes(2, 3, encoder.Quick, "")},
		{"config.json", `{"text_config": {"eos_token_id": 2, "vocab_size": 40}}`, sizes(1, 1, encoder.Quick, encoder.Quick)},
		{"config.json", `{"text_config": {"eos_token_id": 39, "vocab_size": 40}}`, sizes(1, 1, encoder.Quick, encoder.Quick)},
		{"config.json", `{"text_config": {"eos_token_id": 3, "vocab_size": 40}}`, last(sizes(1, 1, encoder.Quick, encoder.Quick))},
		{"config.json", `{"model_type": "another"}`, sizes(1, 1, encoder.Quick, encoder.Quick)},
		{"open_clip_config.json", `{"model_cfg": {"vision_cfg": {"head_width": 8}, "text_cfg": {"heads": 3}}}`, sizes(2, 3, "", "")},
		{"open_clip_config.json", `{"model_cfg": {"quick_gelu": true}}`, sizes(1, 1, encoder.Quick, encoder.Quick)},
	} {
		source := published(t, "clip_openai_forward", c.config, c.text)
		if got := must.Get(source.CLIP())(t); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: got %+v, want %+v", c.config, c.text, got, c.want)
		}
	}
}

func TestNoCLIP(t *testing.T) {
	for _, c := range []struct{ model, config, text, want string }{
		{"vit_deit_forward", "", "", "which is no CLIP"},
		{"qformer_step", "", "", "which is no CLIP"},
		{"clip_openai_forward", "config.json", "{", "config.json: "},
		{"clip_openai_forward", "config.json", `{"text_config": {"hidden_act": "swish"}}`, `"swish"`},
		{"clip_openai_forward", "config.json", `{"text_config": {"num_attention_heads": -1}}`, "below 0"},
		{"clip_openai_forward", "open_clip_config.json", "{}", "no model_cfg"},
	} {
		must.Fail(t, must.Err(published(t, c.model, c.config, c.text).CLIP()), c.want, "%s %s", c.model, c.text)
	}
}
