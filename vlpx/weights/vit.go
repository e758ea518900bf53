package weights

import (
	"fmt"
	"math"

	"vlpx.internal/vlpx/encoder"
)

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

// ViT tells the sizes of the vision transformer whose values lie below a scope. A file does not tell the number of heads: 0 stands for
// heads that are 64 wide, as they are from ViT-Ti to ViT-L.
func (v Values) ViT(scope string, heads int) (encoder.ViT, error) {
	at := func(path string) ([]int, error) {
		value, ok := v[scope+path]
		if !ok {
			return nil, fmt.Errorf("weights: nothing was read for %s", scope+path)
		}
		if dims := value.Shape().Dimensions; len(dims) == 2 {
			return dims, nil
		}
		return nil, fmt.Errorf("weights: %s has the shape %s; want two axes", scope+path, value.Shape())
	}
	patch, err := at("/patch/" + encoder.Weights)
	if err != nil {
		return encoder.ViT{}, err
	}
	positions, err := at("/position/" + encoder.Embedding)
	if err != nil {
		return encoder.ViT{}, err
	}
	mlp, err := at("/layer_0/mlp/in/" + encoder.Weights)
	if err != nil {
		return encoder.ViT{}, err
	}
	side := func(squares int) int { return int(math.Round(math.Sqrt(float64(squares)))) }
	t := encoder.ViT{Patch: side(patch[0] / 3), Width: patch[1], Heads: heads, MLP: mlp[1]}
	if heads == 0 {
		t.Heads = max(1, t.Width/64)
	}
	t.Image = t.Patch * side(positions[0]-1)
	for v[fmt.Sprintf("%s/layer_%d/attention/qkv/%s", scope, t.Layers, encoder.Weights)] != nil {
		t.Layers++
	}
	if 3*t.Patch*t.Patch != patch[0] || t.Tokens() != positions[0] || t.Width%t.Heads != 0 {
		return encoder.ViT{}, fmt.Errorf("weights: patches of %d numbers, %d positions and a width of %d are not those of a vision transformer "+
			"with square patches and %d heads", patch[0], positions[0], patch[1], t.Heads)
	}
	return t, nil
}
