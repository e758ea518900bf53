package weights

import "vlpx.internal/vlpx/encoder"

// Generative is the second stage of BLIP-2 with EVA's image encoder and an OPT, in LAVIS's names (Li et al., 2023). Of the Q-Former it has
// what queries need.
//
//   - root: the scope of blip2.Generative's variables, such as framework.Model.
func Generative(root string) Table {
	return Join(BLIP2(root), speaking("opt_proj", "opt_model.", root))
}

// GenerativeWithCLIP is Generative with CLIP's image encoder.
func GenerativeWithCLIP(root string) Table {
	return Join(BLIP2WithCLIP(root), speaking("opt_proj", "opt_model.", root))
}

// speaking is the language model behind the queries, and what brings them to its width.
func speaking(projection, names, root string) Table {
	return Join(OPT(names+"model.decoder.", names+"lm_head.weight", root+"/language"),
		Table{Rules: linear(root+"/language_projection", projection)})
}

// HubGenerative is Generative in the names of Hugging Face's Blip2ForConditionalGeneration, in which keys of the image encoder have a bias
// of zero.
func HubGenerative(root string) Table {
	vision, former, block := root+"/vision", root+"/qformer", "encoder.layers.#."
	t := Table{Rules: []Rule{
		{vision + "/class/" + encoder.Embedding, Learned, []string{"vision_model.embeddings.class_embedding"}},
		{vision + "/position/" + encoder.Embedding, Learned, []string{"vision_model.embeddings.position_embedding"}},
		{vision + "/patch/" + encoder.Weights, Patches, []string{"vision_model.embeddings.patch_embedding.weight"}},
		{vision + "/patch/" + encoder.Bias, Same, []string{"vision_model.embeddings.patch_embedding.bias"}},
		{former + "/queries/" + encoder.Embedding, Learned, []string{"query_tokens"}},
	}}
	t = t.with("vision_model.", map[string]string{
		"post_layernorm": root + "/vision_norm", block + "layer_norm1": vision + "/layer_#/attention/norm", block + "layer_norm2": vision +
			"/layer_#/mlp/norm",
	}, map[string][]string{
		vision + "/layer_#/attention/qkv":    {block + "self_attn.qkv"},
		vision + "/layer_#/attention/output": {block + "self_attn.projection"},
		vision + "/layer_#/mlp/in":           {block + "mlp.fc1"},
		vision + "/layer_#/mlp/out":          {block + "mlp.fc2"},
	})
	layer, of := former+"/layer_#", "encoder.layer.#."
	t = t.with("qformer.", map[string]string{
		"layernorm": former + "/embeddings/norm", of + "attention.output.LayerNorm": layer + "/attention/norm",
		of + "crossattention.output.LayerNorm": layer + "/cross/norm", of + "output_query.LayerNorm": layer + "/query_mlp/norm",
	}, map[string][]string{
		layer + "/attention/qkv":    {of + "attention.attention.query", of + "attention.attention.key", of + "attention.attention.value"},
		layer + "/attention/output": {of + "attention.output.dense"},
		layer + "/cross/query":      {of + "crossattention.attention.query"},
		layer + "/cross/kv":         {of + "crossattention.attention.key", of + "crossattention.attention.value"},
		layer + "/cross/output":     {of + "crossattention.output.dense"},
		layer + "/query_mlp/in":     {of + "intermediate_query.dense"},
		layer + "/query_mlp/out":    {of + "output_query.dense"},
	})
	return Join(t, speaking("language_projection", "language_model.", root))
}
