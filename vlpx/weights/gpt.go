package weights

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/vlpx/encoder"
)

// GPT is Hugging Face's GPT-2, whose linear layers lie as ours do, [in, out] (its Conv1D). Its decoder is the word embedding.
//
//   - names: what stands before its names, "transformer." or nothing.
//   - scope: that of encoder.GPT.States.
func GPT(names, scope string) Table {
	block, layer := names+"h.#.", scope+"/layer_#"
	words := scope + "/word/" + encoder.Embedding
	t := Table{
		Rules: []Rule{
			{words, Same, []string{names + "wte.weight"}},
			{scope + "/position/" + encoder.Embedding, Same, []string{names + "wpe.weight"}},
		},
		Copies:  []Rule{{words, Same, []string{"lm_head.weight"}}},
		Ignored: []string{block + "attn.bias", block + "attn.masked_bias"},
	}
	for path, name := range map[string]string{
		layer + "/attention/qkv": "attn.c_attn", layer + "/attention/output": "attn.c_proj", layer + "/mlp/in": "mlp.c_fc", layer +
			"/mlp/out": "mlp.c_proj",
	} {
		t.Rules = append(t.Rules, Rule{path + "/" + encoder.Weights, Same, []string{block + name + ".weight"}},
			Rule{path + "/" + encoder.Bias, Same, []string{block + name + ".bias"}})
	}
	return t.with(names, map[string]string{"h.#.ln_1": layer + "/attention/norm", "h.#.ln_2": layer + "/mlp/norm", "ln_f": scope + "/norm"},
		nil)
}

// LanguageModel reads the checkpoint for a GPT-2: its variables below the scope in float32. The report tells what became of the file; what
// does not fit is an error that names both sizes.
func (s Source) LanguageModel(g encoder.GPT, scope string) (Values, Report, error) {
	return s.language(gptFamily, g, scope)
}

// language is LanguageModel for a family's models, of sizes as a GPT-2's, with Positions the rows of the table.
func (s Source) language(name string, g encoder.GPT, scope string) (Values, Report, error) {
	f, family, err := s.open()
	if err != nil {
		return nil, Report{}, err
	}
	defer f.Close()
	if family.Language == nil {
		return nil, Report{}, fmt.Errorf("weights: %s: it looks like %s, which has no language model that is read", s.Path, family.Name)
	}
	if family.Name != name {
		return nil, Report{}, fmt.Errorf("weights: %s: it looks like %s, and the model is %s; take weights or a framework of the same kind",
			s.Path, family.Name, name)
	}
	values, report, err := f.Import(family.Language(scope))
	if err != nil {
		return nil, report, err
	}
	words := scope + "/word/" + encoder.Embedding
	sizes := []size{
		{"the width", values.dim(words, 1), g.Width},
		{"the width inside its MLP", values.dim(scope+"/layer_0/mlp/in/"+encoder.Weights, 1), g.MLP},
		{"the number of layers", values.layers(scope), g.Layers},
		{"the number of positions", values.dim(scope+"/position/"+encoder.Embedding, 0), g.Positions},
	}
	if err := s.fits("language model", sizes); err != nil {
		return nil, report, err
	}
	if has := values.dim(words, 0); has != 0 && has != g.Vocab {
		return nil, report,
			fmt.Errorf("weights: %s: its vocabulary has %d tokens, the run's %d; give the tokenizer.json that belongs to these weights "+
				"with -vocab", s.Path, has, g.Vocab)
	}
	report.miss(values, family.Language(scope), scope, g.Layers, g.Layers)
	if err := report.Check(); err != nil {
		return nil, report, err
	}
	report.heads(g.Width, g.Heads)
	values, err = values.as(dtypes.Float32)
	return values, report, err
}
