package weights

import "vlpx.internal/vlpx/encoder"

// OPT is Hugging Face's OPT. Its decoder is the word embedding.
//
//   - names: what stands before its names, "model.decoder." or "decoder.".
//   - head: the name of its decoder's tensor, "lm_head.weight".
//   - scope: that of encoder.OPT.States.
func OPT(names, head, scope string) Table {
	block, layer := names+"layers.#.", scope+"/layer_#"
	words := scope + "/word/" + encoder.Embedding
	t := Table{
		Rules: []Rule{
			{words, Same, []string{names + "embed_tokens.weight"}},
			{scope + "/position/" + encoder.Embedding, Same, []string{names + "embed_positions.weight"}},
		},
		Copies: []Rule{{words, Same, []string{head}}},
	}
	return t.with(names, map[string]string{"final_layer_norm": scope + "/norm"}, nil).with(block, map[string]string{
		"self_attn_layer_norm": layer + "/attention/norm", "final_layer_norm": layer + "/mlp/norm",
	}, map[string][]string{
		layer + "/attention/qkv":    {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
		layer + "/attention/output": {"self_attn.out_proj"},
		layer + "/mlp/in":           {"fc1"},
		layer + "/mlp/out":          {"fc2"},
	})
}

// OPT is LanguageModel for an OPT.
func (s Source) OPT(o encoder.OPT, scope string) (Values, Report, error) {
	return s.language(optFamily, encoder.GPT{
		Vocab: o.Vocab, Positions: o.PositionRows(), Width: o.Width, Layers: o.Layers, Heads: o.Heads, MLP: o.MLP,
	}, scope)
}
