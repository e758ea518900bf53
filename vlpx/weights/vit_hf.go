package weights

import "vlpx.internal/vlpx/encoder"

// ViTForImages is Hugging Face's ViT.
//
//   - names: what stands before its names, such as "vit."; empty where a file has the encoder alone.
//   - scope: that of encoder.ViT.Encode.
func ViTForImages(names, scope string) Table {
	embeddings, block, layer := names+"embeddings.", "encoder.layer.#.", scope+"/layer_#"
	t := Table{
		Rules: []Rule{
			{scope + "/class/" + encoder.Embedding, Learned, []string{embeddings + "cls_token"}},
			{scope + "/position/" + encoder.Embedding, Learned, []string{embeddings + "position_embeddings"}},
			{scope + "/patch/" + encoder.Weights, Patches, []string{embeddings + "patch_embeddings.projection.weight"}},
			{scope + "/patch/" + encoder.Bias, Same, []string{embeddings + "patch_embeddings.projection.bias"}},
		},
		Ignored: []string{"classifier.weight", "classifier.bias", names + "pooler.dense.weight", names + "pooler.dense.bias"},
	}
	self := block + "attention."
	return t.with(names, map[string]string{
		block + "layernorm_before": layer + "/attention/norm", block + "layernorm_after": layer + "/mlp/norm", "layernorm": scope + "/norm",
	}, map[string][]string{
		layer + "/attention/qkv":    {self + "attention.query", self + "attention.key", self + "attention.value"},
		layer + "/attention/output": {self + "output.dense"},
		layer + "/mlp/in":           {block + "intermediate.dense"},
		layer + "/mlp/out":          {block + "output.dense"},
	})
}
