package weights

import "vlpx.internal/vlpx/encoder"

// CLIP is the ViT of CLIP's image tower in OpenAI's names, which open_clip has, too. The projection to the shared embedding and the text
// tower are no part of it.
//
//   - names: what stands before its names, "visual.".
//   - scope: that of an encoder.ViT of CLIP's.
func CLIP(names, scope string) Table {
	others := []string{names + "proj", "positional_embedding", "text_projection", "logit_scale", "transformer.*", "token_embedding.weight",
		"ln_final.*"}
	return Join(clipViT(names, scope), clipSizes, Table{Ignored: others})
}

// CLIPModel is the whole of OpenAI's CLIP with a ViT, which open_clip has in the same names: the towers below root/vision and root/text,
// the projections to the shared embedding, and the scale of the logits.
func CLIPModel(root string) Table {
	vision := Rule{root + "/vision_projection/" + encoder.Weights, Same, []string{"visual.proj"}}
	return Join(clipViT("visual.", root+"/vision"), clipShared(root), Table{Rules: []Rule{vision}})
}

// CLIPResNetModel is CLIPModel with a ModifiedResNet, whose attention pool ends in the projection to the shared embedding.
func CLIPResNetModel(root string) Table {
	return Join(CLIPResNet("visual.", root+"/vision"), clipShared(root))
}

// CLIPText is CLIP's text tower in OpenAI's names, without its projection.
//
//   - scope: that of an encoder.CLIPText.
func CLIPText(scope string) Table {
	t := Table{Rules: []Rule{
		{scope + "/word/" + encoder.Embedding, Same, []string{"token_embedding.weight"}},
		{scope + "/position/" + encoder.Embedding, Same, []string{"positional_embedding"}},
	}}
	return Join(t.with("", map[string]string{"ln_final": scope + "/norm"}, nil), clipLayers("", scope))
}

// clipShared is what a CLIP has beside its image tower.
func clipShared(root string) Table {
	return Join(CLIPText(root+"/text"), clipSizes, Table{Rules: []Rule{
		{root + "/text_projection/" + encoder.Weights, Same, []string{"text_projection"}},
		{root + "/" + encoder.Scale, Same, []string{"logit_scale"}},
	}})
}

// clipSizes are numbers that OpenAI's files have beside the weights.
var clipSizes = Table{Ignored: []string{"input_resolution", "context_length", "vocab_size"}}

func clipViT(names, scope string) Table {
	t := Table{Rules: []Rule{
		{scope + "/class/" + encoder.Embedding, Vector, []string{names + "class_embedding"}},
		{scope + "/position/" + encoder.Embedding, Same, []string{names + "positional_embedding"}},
		{scope + "/patch/" + encoder.Weights, Patches, []string{names + "conv1.weight"}},
	}}
	return Join(t.with(names, map[string]string{"ln_pre": scope + "/first_norm", "ln_post": scope + "/norm"}, nil),
		clipLayers(names, scope))
}

// clipLayers are the layers of either tower.
func clipLayers(names, scope string) Table {
	block, layer := "transformer.resblocks.#.", scope+"/layer_#"
	t := Table{Rules: []Rule{
		{layer + "/attention/qkv/" + encoder.Weights, Linear, []string{names + block + "attn.in_proj_weight"}},
		{layer + "/attention/qkv/" + encoder.Bias, Same, []string{names + block + "attn.in_proj_bias"}},
	}}
	return t.with(names, map[string]string{
		block + "ln_1": layer + "/attention/norm", block + "ln_2": layer + "/mlp/norm",
	}, map[string][]string{
		layer + "/attention/output": {block + "attn.out_proj"},
		layer + "/mlp/in":           {block + "mlp.c_fc"},
		layer + "/mlp/out":          {block + "mlp.c_proj"},
	})
}

// CLIPForImages is CLIP's image tower in Hugging Face's names.
//
//   - names: what stands before its names, "vision_model.".
//   - scope: that of an encoder.ViT of CLIP's.
func CLIPForImages(names, scope string) Table {
	others := []string{"visual_projection.weight", "text_model.*", "text_projection.weight", "logit_scale"}
	return Join(hubCLIPViT(names, scope), Table{Ignored: others})
}

// HubCLIPModel is CLIPModel in Hugging Face's names, which the hub's files have.
func HubCLIPModel(root string) Table {
	text := root + "/text"
	t := Table{
		Rules: []Rule{
			{text + "/word/" + encoder.Embedding, Same, []string{"text_model.embeddings.token_embedding.weight"}},
			{text + "/position/" + encoder.Embedding, Same, []string{"text_model.embeddings.position_embedding.weight"}},
			{root + "/vision_projection/" + encoder.Weights, Linear, []string{"visual_projection.weight"}},
			{root + "/text_projection/" + encoder.Weights, Linear, []string{"text_projection.weight"}},
			{root + "/" + encoder.Scale, Same, []string{"logit_scale"}},
		},
		Ignored: []string{"text_model.embeddings.position_ids"},
	}
	t = t.with("text_model.", map[string]string{"final_layer_norm": text + "/norm"}, nil)
	return Join(hubCLIPViT("vision_model.", root+"/vision"), hubCLIPLayers("text_model.", text), t)
}

func hubCLIPViT(names, scope string) Table {
	embeddings := names + "embeddings."
	t := Table{
		Rules: []Rule{
			{scope + "/class/" + encoder.Embedding, Vector, []string{embeddings + "class_embedding"}},
			{scope + "/position/" + encoder.Embedding, Same, []string{embeddings + "position_embedding.weight"}},
			{scope + "/patch/" + encoder.Weights, Patches, []string{embeddings + "patch_embedding.weight"}},
		},
		Ignored: []string{embeddings + "position_ids"},
	}
	norms := map[string]string{"pre_layrnorm": scope + "/first_norm", "post_layernorm": scope + "/norm"}
	return Join(t.with(names, norms, nil), hubCLIPLayers(names, scope))
}

// hubCLIPLayers are the layers of either tower.
func hubCLIPLayers(names, scope string) Table {
	block, layer := "encoder.layers.#.", scope+"/layer_#"
	self := block + "self_attn."
	return Table{}.with(names, map[string]string{
		block + "layer_norm1": layer + "/attention/norm", block + "layer_norm2": layer + "/mlp/norm",
	}, map[string][]string{
		layer + "/attention/qkv":    {self + "q_proj", self + "k_proj", self + "v_proj"},
		layer + "/attention/output": {self + "out_proj"},
		layer + "/mlp/in":           {block + "mlp.fc1"},
		layer + "/mlp/out":          {block + "mlp.fc2"},
	})
}
