package weights

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/encoder"
)

// Family is a way to name the tensors of a model. A file's is known by its names.
type Family struct {
	Name string
	// Vision and Text are the tables of its image encoder and of its text encoder with the head for MLM, by their scopes, which know the
	// rest of its names, too, as ignored; nil where it has none.
	Vision, Text func(scope string) Table
	// Language is the table of its causal language model by its scope; nil where it has none.
	Language func(scope string) Table
	// Whole is the table of the whole model below a root: of an image encoder alone, that of root/vision; nil where only parts are read.
	Whole func(root string) Table
	// CLIP, EVA and Activation are those of its image encoder.
	CLIP, EVA  bool
	Activation encoder.Activation

	mark string // the name of a tensor that all its files have, and those of no family behind it
}

// Families of causal language models.
const (
	gptFamily = "GPT-2"
	optFamily = "OPT"
)

// families are those that are read.
var families = slices.Concat(
	[]Family{
		{
			Name: "EVA's ViT", mark: "blocks.#.attn.q_bias", EVA: true,
			Vision: func(scope string) Table { return EVA("", scope) },
		}, {
			Name: "timm's ViT, as DeiT's", mark: "blocks.#.attn.qkv.weight",
			Vision: func(scope string) Table { return ViT("", scope) },
		}, {
			Name: "OpenAI's CLIP", mark: "visual.transformer.resblocks.#.attn.in_proj_weight", CLIP: true, Activation: encoder.Quick,
			Vision: func(scope string) Table { return CLIP("visual.", scope) }, Whole: CLIPModel,
		}, {
			Name: "OpenAI's CLIP with a ResNet", mark: "visual.attnpool.q_proj.weight", Whole: CLIPResNetModel,
		}, {
			Name: residualFamily, mark: "layer1.#.conv3.weight",
			Whole: func(root string) Table { return ResNet("", root+"/vision") },
		}, {
			Name: "Hugging Face's CLIP", mark: "vision_model.encoder.layers.#.self_attn.q_proj.weight", CLIP: true,
			Activation: encoder.Quick,
			Vision:     func(scope string) Table { return CLIPForImages("vision_model.", scope) }, Whole: HubCLIPModel,
		},
	},
	[]Family{{Name: "UNITER", mark: "uniter.encoder.layer.#.attention.self.query.weight", Whole: UNITER}},
	[]Family{ // the second stage has the names of the first, too
		{Name: "BLIP-2 with an OPT", mark: "opt_model.model.decoder.layers.#.self_attn_layer_norm.weight", Whole: Generative},
		{Name: "Hugging Face's BLIP-2 with an OPT", mark: "language_model.model.decoder.layers.#.self_attn_layer_norm.weight",
			Whole: HubGenerative},
	},
	[]Family{
		{
			Name: "BLIP-2 with CLIP's image encoder", mark: "visual_encoder.transformer.resblocks.#.attn.in_proj_weight",
			Whole: BLIP2WithCLIP,
		}, {
			Name: "BLIP-2", mark: "Qformer.bert.encoder.layer.#.attention.self.query.weight", Whole: BLIP2,
		}, {
			Name: "Hugging Face's BLIP-2", mark: "qformer.encoder.layer.#.attention.attention.query.weight", Whole: HubBLIP2,
		},
	},
	prefixed([]string{"vit.", "deit.", ""}, func(names string) Family {
		return Family{
			Name: "Hugging Face's ViT", mark: names + "encoder.layer.#.attention.attention.query.weight",
			Vision: func(scope string) Table { return ViTForImages(names, scope) },
		}
	}),
	prefixed([]string{"bert.", ""}, func(names string) Family {
		return Family{
			Name: "BERT", mark: names + "encoder.layer.#.attention.self.query.weight",
			Text: func(scope string) Table {
				others := []string{names + "pooler.dense.*", "cls.seq_relationship.*"}
				return Join(BERT(names, scope), MaskedWords("cls.", scope), Table{Ignored: others})
			},
		}
	}),
	prefixed([]string{"transformer.", ""}, func(names string) Family {
		return Family{
			Name: gptFamily, mark: names + "h.#.attn.c_attn.weight",
			Language: func(scope string) Table { return GPT(names, scope) },
		}
	}),
	[]Family{{Name: "ALBEF's visual question answering", mark: "text_decoder.bert.encoder.layer.#.attention.self.query.weight",
		Whole: func(root string) Table {
			return Join(VQA(root), Table{Ignored: []string{"visual_encoder_m.*", "text_encoder_m.*", "text_decoder_m.*"}})
		},
	}},
	prefixed([]string{"model.decoder.", "decoder."}, func(names string) Family {
		return Family{
			Name: optFamily, mark: names + "layers.#.self_attn_layer_norm.weight",
			Language: func(scope string) Table { return OPT(names, "lm_head.weight", scope) },
		}
	}),
	[]Family{{Name: "ALBEF's model for NLVR2", mark: "cls_head.0.weight", Whole: func(root string) Table {
		return Join(NLVR(root, 6, 6), Table{Ignored: []string{"visual_encoder_m.*", "text_encoder_m.*", "cls_head_m.*"}})
	}}},
	prefixed([]string{"text_encoder.bert.", "text_encoder."}, func(names string) Family {
		others := []string{"vision_proj*", "text_proj*", "itm_head.*", "temp", "visual_encoder_m.*", "text_encoder_m.*",
			"image_queue", "text_queue", "idx_queue", "queue_ptr"}
		return Family{
			Name: "ALBEF", mark: names + "encoder.layer.#.attention.self.query.weight",
			Vision: func(scope string) Table {
				return Join(ViT("visual_encoder.", scope), Table{Ignored: slices.Concat(others, []string{"text_encoder.*"})})
			},
			Text: func(scope string) Table {
				return Join(BERT(names, scope), MaskedWords("text_encoder.cls.", scope),
					Table{Ignored: slices.Concat(others, []string{"visual_encoder.*"})})
			},
			Whole: func(root string) Table {
				return Join(dual("", strings.TrimPrefix(names, "text_encoder."), root), MaskedWords("text_encoder.cls.", root+"/text"),
					Table{Rules: heads(root), Ignored: others})
			},
		}
	}),
)

// prefixed are the families of one model with each of several prefixes of its names.
func prefixed(prefixes []string, family func(names string) Family) []Family {
	var all []Family
	for _, names := range prefixes {
		all = append(all, family(names))
	}
	return all
}

// Family tells whose names a file has.
func (f *File) Family() (Family, error) {
	names := f.Names()
	for _, family := range families {
		if slices.ContainsFunc(names, func(name string) bool { return matches(family.mark, name) }) {
			return family, nil
		}
	}
	var known []string
	for _, family := range families {
		if !slices.Contains(known, family.Name) {
			known = append(known, family.Name)
		}
	}
	return Family{}, fmt.Errorf("weights: %s: its names, such as %s, are of no family that is read: %s", f.path, andMore(names, 2),
		strings.Join(known, ", "))
}
