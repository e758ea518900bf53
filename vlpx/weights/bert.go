package weights

import "vlpx.internal/vlpx/encoder"

// legacy is what the files of the first BERTs call a layer normalisation's gain and offset.
var legacy = map[string]string{"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}

// BERT is Hugging Face's BERT, with ALBEF's cross-attention where a file has it.
//
//   - names: what stands before its names, such as "bert." or "text_encoder.".
//   - scope: that of encoder.BERT.Encode.
func BERT(names, scope string) Table {
	embeddings, block, layer := names+"embeddings.", names+"encoder.layer.#.", scope+"/layer_#"
	t := Table{
		Copies:  []Rule{{scope + "/embeddings/position/" + encoder.Embedding, Counted, []string{embeddings + "position_ids"}}},
		Renamed: legacy,
	}
	for name, path := range map[string]string{"word": "word", "position": "position", "token_type": "segment"} {
		t.Rules = append(t.Rules, Rule{scope + "/embeddings/" + path + "/" + encoder.Embedding, Same,
			[]string{embeddings + name + "_embeddings.weight"}})
	}
	self, cross := "attention.", "crossattention."
	return t.with(names, map[string]string{"embeddings.LayerNorm": scope + "/embeddings/norm"}, nil).with(block, map[string]string{
		self + "output.LayerNorm":  layer + "/attention/norm",
		cross + "output.LayerNorm": layer + "/cross/norm",
		"output.LayerNorm":         layer + "/mlp/norm",
	}, map[string][]string{
		layer + "/attention/qkv":    {self + "self.query", self + "self.key", self + "self.value"},
		layer + "/attention/output": {self + "output.dense"},
		layer + "/cross/query":      {cross + "self.query"},
		layer + "/cross/kv":         {cross + "self.key", cross + "self.value"},
		layer + "/cross/output":     {cross + "output.dense"},
		layer + "/mlp/in":           {"intermediate.dense"},
		layer + "/mlp/out":          {"output.dense"},
	})
}

// HubBERT is the BertModel that transformers writes today, without the numbers of positions and without a pooled summary.
func HubBERT(scope string) Table {
	t := BERT("", scope)
	t.Copies = nil
	return t
}

// MaskedWords is BERT's head for MLM. Its decoder is tied to the word embedding, and so are two of its names.
//
//   - names: what stands before its names, such as "cls." or "text_encoder.cls.".
//   - scope: that of encoder.BERT.Encode.
func MaskedWords(names, scope string) Table {
	head, bias := names+"predictions.", scope+"/mlm/decoder/"+encoder.Bias
	rules := append(linear(scope+"/mlm/dense", head+"transform.dense"), norm(head+"transform.LayerNorm", scope+"/mlm/norm")...)
	return Table{
		Rules: append(rules, Rule{bias, Same, []string{head + "bias"}}),
		Copies: []Rule{
			{scope + "/embeddings/word/" + encoder.Embedding, Same, []string{head + "decoder.weight"}},
			{bias, Same, []string{head + "decoder.bias"}},
		},
		Renamed: legacy,
	}
}

// BERTForPreTraining is the whole of Hugging Face's BERT: the encoder, its pooled summary and the heads for MLM and for the
// next sentence.
func BERTForPreTraining(scope string) Table {
	sentence := append(linear(scope+"/pooler", "bert.pooler.dense"), linear(scope+"/next_sentence", "cls.seq_relationship")...)
	return Join(BERT("bert.", scope), MaskedWords("cls.", scope), Table{Rules: sentence})
}
