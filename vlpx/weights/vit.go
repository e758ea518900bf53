package weights

import "vlpx.internal/vlpx/encoder"

// ViT is the vision transformer of timm, whose names DeiT's and ALBEF's checkpoints have.
//
//   - names: what stands before its names, such as "visual_encoder."; empty for DeiT.
//   - scope: that of encoder.ViT.Encode.
func ViT(names, scope string) Table {
	t := Table{Ignored: []string{names + "head.weight", names + "head.bias"}}
	return Join(t.with(names, map[string]string{"norm": scope + "/norm"}, map[string][]string{
		scope + "/layer_#/attention/qkv": {"blocks.#.attn.qkv"},
	}), vitTokens(names, scope), vitLayers(names, scope))
}

// vitTokens are timm's embeddings.
func vitTokens(names, scope string) Table {
	at := func(name string) []string { return []string{names + name} }
	return Table{Rules: []Rule{
		{scope + "/class/" + encoder.Embedding, Learned, at("cls_token")},
		{scope + "/position/" + encoder.Embedding, Learned, at("pos_embed")},
		{scope + "/patch/" + encoder.Weights, Patches, at("patch_embed.proj.weight")},
		{scope + "/patch/" + encoder.Bias, Same, at("patch_embed.proj.bias")},
	}}
}

// vitLayers are timm's layers but for the projections to queries, keys and values.
func vitLayers(names, scope string) Table {
	block, layer := "blocks.#.", scope+"/layer_#"
	return Table{}.with(names, map[string]string{
		block + "norm1": layer + "/attention/norm", block + "norm2": layer + "/mlp/norm",
	}, map[string][]string{
		layer + "/attention/output": {block + "attn.proj"},
		layer + "/mlp/in":           {block + "mlp.fc1"},
		layer + "/mlp/out":          {block + "mlp.fc2"},
	})
}

// with is the table with layer normalisations (ours by the published names) and linear layers (the published ones, side by side, by
// ours) whose names begin with the given one.
func (t Table) with(names string, norms map[string]string, linears map[string][]string) Table {
	for name, path := range norms {
		t.Rules = append(t.Rules, norm(names+name, path)...)
	}
	for path, parts := range linears {
		var whole []string
		for _, part := range parts {
			whole = append(whole, names+part)
		}
		t.Rules = append(t.Rules, linear(path, whole...)...)
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
	return []Rule{{scope + "/" + encoder.Gain, Same, []string{name + ".weight"}}, {scope + "/" + encoder.Offset, Same,
		[]string{name + ".bias"}}}
}
