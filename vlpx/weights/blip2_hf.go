package weights

import "vlpx.internal/vlpx/encoder"

// HubBLIP2 is the first stage of BLIP-2 in Hugging Face's names (Blip2ForImageTextRetrieval), which has neither the head for ITG nor a
// temperature of its own. What the second stage has besides is ignored.
//
//   - root: as BLIP2's.
func HubBLIP2(root string) Table {
	vision, former := root+"/vision", root+"/qformer"
	tokens, block, self := "vision_model.embeddings.", "encoder.layers.#.", "attention."
	layer, seen := former+"/layer_#", vision+"/layer_#"
	t := Table{
		Rules: []Rule{
			{vision + "/class/" + encoder.Embedding, Learned, []string{tokens + "class_embedding"}},
			{vision + "/position/" + encoder.Embedding, Learned, []string{tokens + "position_embedding"}},
			{vision + "/patch/" + encoder.Weights, Patches, []string{tokens + "patch_embedding.weight"}},
			{vision + "/patch/" + encoder.Bias, Same, []string{tokens + "patch_embedding.bias"}},
			{former + "/queries/" + encoder.Embedding, Learned, []string{"query_tokens"}},
			{former + "/embeddings/word/" + encoder.Embedding, Same, []string{"embeddings.word_embeddings.weight"}},
			{former + "/embeddings/position/" + encoder.Embedding, Same, []string{"embeddings.position_embeddings.weight"}},
			{root + "/" + encoder.Temperature, Same, []string{own + encoder.Temperature}},
		},
		Ignored: []string{"embeddings.position_ids", "language_projection.*", "language_model.*"},
	}
	t = t.with("", map[string]string{"vision_model.post_layernorm": root + "/vision_norm", "qformer.layernorm": former +
		"/embeddings/norm"},
		map[string][]string{
			root + "/vision_projection": {"vision_projection"}, root + "/text_projection": {"text_projection"}, root + "/itm": {"itm_head"},
		})
	t = t.with("vision_model."+block, map[string]string{"layer_norm1": seen + "/attention/norm", "layer_norm2": seen + "/mlp/norm"},
		map[string][]string{
			seen + "/attention/qkv": {"self_attn.qkv"}, seen + "/attention/output": {"self_attn.projection"}, seen + "/mlp/in": {"mlp.fc1"},
			seen +
				"/mlp/out": {"mlp.fc2"},
		})
	cross := "cross" + self
	return t.with("qformer.encoder.layer.#.", map[string]string{
		self + "output.LayerNorm": layer + "/attention/norm", cross + "output.LayerNorm": layer + "/cross/norm",
		"output.LayerNorm": layer + "/mlp/norm", "output_query.LayerNorm": layer + "/query_mlp/norm",
	}, map[string][]string{
		layer + "/attention/qkv":    {self + "attention.query", self + "attention.key", self + "attention.value"},
		layer + "/attention/output": {self + "output.dense"},
		layer + "/cross/query":      {cross + "attention.query"},
		layer + "/cross/kv":         {cross + "attention.key", cross + "attention.value"},
		layer + "/cross/output":     {cross + "output.dense"},
		layer + "/mlp/in":           {"intermediate.dense"},
		layer + "/mlp/out":          {"output.dense"},
		layer + "/query_mlp/in":     {"intermediate_query.dense"},
		layer + "/query_mlp/out":    {"output_query.dense"},
	})
}
