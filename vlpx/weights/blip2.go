package weights

import "vlpx.internal/vlpx/encoder"

// BLIP2 is the first stage of BLIP-2 with EVA's image encoder, in LAVIS's names (Li et al., 2023).
//
//   - root: the scope of blip2.Model.Look, such as framework.Model.
func BLIP2(root string) Table { return Join(EVA("visual_encoder.", root+"/vision"), querying(root)) }

// BLIP2WithCLIP is BLIP2 with CLIP's image encoder.
func BLIP2WithCLIP(root string) Table {
	return Join(clipViT("visual_encoder.", root+"/vision"), querying(root))
}

// querying is what there is behind the image encoder: the Q-Former, the normalisation of what it sees, and the heads.
func querying(root string) Table {
	former, block := root+"/qformer", "encoder.layer.#."
	layer := former + "/layer_#"
	t := Table{Rules: append(heads(root), Rule{former + "/queries/" + encoder.Embedding, Learned, []string{"query_tokens"}})}
	t.Rules = append(t.Rules, linear(root+"/vision_projection", "vision_proj")...)
	t.Rules = append(t.Rules, linear(root+"/text_projection", "text_proj")...)
	t = t.with("", map[string]string{"ln_vision": root + "/vision_norm"}, nil).with("Qformer.bert.",
		map[string]string{block + "output_query.LayerNorm": layer + "/query_mlp/norm"}, map[string][]string{
			layer + "/query_mlp/in":  {block + "intermediate_query.dense"},
			layer + "/query_mlp/out": {block + "output_query.dense"},
		})
	return Join(t, BERT("Qformer.bert.", former), MaskedWords("Qformer.cls.", former))
}
