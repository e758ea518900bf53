package weights

import "vlpx.internal/vlpx/encoder"

// EVA is EVA's vision transformer as LAVIS has it, whose names are timm's but for attention's biases, of which keys have none (LAVIS
// eva_vit.py). It ends without a normalisation.
//
//   - names: what stands before its names, such as "visual_encoder.".
//   - scope: that of an encoder.ViT of EVA's.
func EVA(names, scope string) Table {
	attention, layer := names+"blocks.#.attn.", scope+"/layer_#/attention"
	return Join(vitTokens(names, scope), Table{Rules: []Rule{
		{layer + "/qkv/" + encoder.Weights, Linear, []string{attention + "qkv.weight"}},
		{layer + "/qkv/" + encoder.Bias, Same, []string{attention + "q_bias", "", attention + "v_bias"}},
	}, Ignored: []string{names + "head.*", names + "norm.*", names + "fc_norm.*"}}, vitLayers(names, scope))
}
