package weights

import "vlpx.internal/vlpx/encoder"

// ViT is the vision transformer of timm, whose names DeiT's and ALBEF's checkpoints have.
//
//   - names: what stands before its names, such as "visual_encoder."; empty for DeiT.
//   - scope: that of encoder.ViT.Encode.
func ViT(names, scope string) Table {
	at := func(name string) []string { return []string{names + name} }
	block, layer := "blocks.#.", scope+"/layer_#"
	t := Table{
		Rules: []Rule{
			{scope + "/class/" + encoder.Embedding, Learned, at("cls_token")},
			{scope + "/position/" + encoder.Embedding, Learned, at("pos_embed")},
			{scope + "/patch/" + encoder.Weights, Patches, at("patch_embed.proj.weight")},
			{scope + "/patch/" + encoder.Bias, Same, at("patch_embed.proj.bias")},
		},
		Ignored: []string{names + "head.weight", names + "head.bias"},
	}
	for name, path := range map[string]string{
		block + "norm1": layer + "/attention/norm", block + "norm2": layer + "/mlp/norm", "norm": scope + "/norm",
	} {
		t.Rules = append(t.Rules, norm(names+name, path)...)
	}
	for name, path := range map[string]string{
		block + "attn.qkv": layer + "/attention/qkv", block + "attn.proj": layer + "/attention/output",
		block + "mlp.fc1": layer + "/mlp/in", block + "mlp.fc2": layer + "/mlp/out",
	} {
		t.Rules = append(t.Rules, linear(path, names+name)...)
	}
	return t
}

// linear are the rules of a linear layer; several published ones stand side by side in it.
func linear(scope string, names ...string) []Rule {
	weights, bias := Rule{scope + "/" + encoder.Weights, Linear, nil}, Rule{scope + "/" + encoder.Bias, Same, nil}
	for _, name := range names {
		weights.Tensors, bias.Tensors = append(weights.Tensors, name+".weight"), append(bias.Tensors, name+".bias")
	}
	return []Rule{weights, bias}
}

// norm are the rules of a layer normalisation.
func norm(name, scope string) []Rule {
	return []Rule{{scope + "/" + encoder.Gain, Same, []string{name + ".weight"}}, {scope + "/" + encoder.Offset, Same, []string{name + ".bias"}}}
}
