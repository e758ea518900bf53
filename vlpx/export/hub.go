package export

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// Files of a folder for transformers that no other export has.
const (
	PreprocessorName    = "preprocessor_config.json"
	TokenizerConfigName = "tokenizer_config.json"
)

// WriteHub exports a finished run's model, or the part of it that transformers has, as transformers reads it: names, sizes, how images
// are prepared where it reads any, the tokenizer with its special tokens, and the card. The folder must be empty or not there yet. What
// else there is to know is in its config.json under vlpx.
func WriteHub(dir string, k run.Kept, m *train.Model) error {
	f, is := k.Run.Train.Framework.Framework.(framework.OnHub)
	if !is {
		return fmt.Errorf("export: run %s: %s is no architecture of transformers; leave -hub-layout out", k.ID, k.Run.Train.Framework.Name())
	}
	hub, err := f.Hub(m.Tokenizer.CLS(), m.Tokenizer.SEP(), padding(m.Tokenizer))
	if err != nil {
		return fmt.Errorf("export: run %s: %w; or leave -hub-layout out", k.ID, err)
	}
	return placed(dir, func(fresh string) error { return fillHub(fresh, k, m, f.Export(), hub) })
}

// fillHub writes the files into an empty folder.
func fillHub(dir string, k run.Kept, m *train.Model, of framework.Export, hub framework.Hub) error {
	values, err := m.Weights()
	if err != nil {
		return err
	}
	if hub.Has != nil {
		maps.DeleteFunc(values, func(variable string, _ *tensors.Tensor) bool { return !hub.Has(variable) })
	}
	written, err := weights.Values(values).Published(hub.Table)
	if err != nil {
		return err
	}
	config, err := describe(k, m, of, written)
	if err != nil {
		return err
	}
	config.Sizes = hub.Settings
	if hub.Part != "" {
		config.Inputs = Inputs{MaxTokens: config.MaxTokens, MaxWords: config.MaxWords}
	}
	tokenizer, special, err := hubTokenizer(m.Tokenizer, k.Run.Train.MaxLen)
	if err != nil {
		return err
	}
	if err := written.Write(filepath.Join(dir, WeightsName)); err != nil {
		return err
	}
	files := map[string]any{ConfigName: config, TokenizerName: tokenizer, TokenizerConfigName: special}
	if side := k.Run.Train.Transform.Size; hub.Part == "" {
		files[PreprocessorName] = map[string]any{
			"image_processor_type": "CLIPImageProcessor", "do_convert_rgb": true, "do_center_crop": false,
			"do_resize": true, "size": map[string]int{"height": side, "width": side}, "resample": 3, // Pillow's number of bicubic
			"do_rescale": true, "rescale_factor": 1. / 255, "do_normalize": true, "image_mean": config.Mean, "image_std": config.Deviation,
		}
	}
	for name, value := range files {
		content, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return err
		}
		if err := disk.WriteFile(filepath.Join(dir, name), append(content, '\n'), 0o644); err != nil {
			return err
		}
	}
	text, err := card(config, k, of, nil, &hub)
	if err != nil {
		return err
	}
	return disk.WriteFile(filepath.Join(dir, CardName), text, 0o644)
}

// padding is the id behind a caption's end: in CLIP's vocabulary, where ours is a piece's, too, the end's, as is usual there. No token
// before sees it.
func padding(k *text.Tokenizer) int32 {
	if k.MASK() < 0 {
		return k.SEP()
	}
	return k.PAD()
}

// hubTokenizer is a tokenizer.json that puts the tokens before and after a caption by itself, and cuts and fills it, with the
// tokenizer_config.json beside it.
func hubTokenizer(k *text.Tokenizer, most int) (tokenizer map[string]any, config map[string]any, err error) {
	if err := json.Unmarshal(k.JSON(), &tokenizer); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", TokenizerName, err)
	}
	begin, end, pad := k.Piece(k.CLS()), k.Piece(k.SEP()), k.Piece(padding(k))
	token := func(name string) any { return map[string]any{"SpecialToken": map[string]any{"id": name, "type_id": 0}} }
	sequence := map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}
	known := func(name string, id int32) any {
		return map[string]any{"id": name, "ids": []int32{id}, "tokens": []string{name}}
	}
	tokenizer["post_processor"] = map[string]any{
		"type": "TemplateProcessing", "single": []any{token(begin), sequence, token(end)}, "pair": []any{token(begin), sequence, token(end)},
		"special_tokens": map[string]any{begin: known(begin, k.CLS()), end: known(end, k.SEP())},
	}
	tokenizer["truncation"] = map[string]any{"direction": "Right", "max_length": most, "strategy": "LongestFirst", "stride": 0}
	tokenizer["padding"] = map[string]any{"strategy": map[string]int{"Fixed": most}, "direction": "Right", "pad_to_multiple_of": nil,
		"pad_id": padding(k), "pad_type_id": 0, "pad_token": pad}
	config = map[string]any{"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": most, "bos_token": begin, "eos_token": end,
		"pad_token": pad, "model_input_names": []string{"input_ids", "attention_mask"}}
	if unknown := k.Piece(k.UNK()); unknown != "" {
		config["unk_token"] = unknown
	}
	if k.MASK() >= 0 { // BERT's words
		config["cls_token"], config["sep_token"], config["mask_token"] = begin, end, k.Piece(k.MASK())
	}
	return tokenizer, config, nil
}
