package weights

import (
	"fmt"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
)

// gpt2 are the tensors of a GPT-2, with the buffers that files of older versions have. Its linear layers lie [in, out].
func gpt2(prefix string) map[string]tensor {
	all := map[string]tensor{
		prefix + "wte.weight": {[]int{words, width}, 1}, prefix + "wpe.weight": {[]int{places, width}, 2},
		prefix + "ln_f.weight": {[]int{width}, 3}, prefix + "ln_f.bias": {[]int{width}, 4},
	}
	for k := range layers {
		block := fmt.Sprintf("%sh.%d.", prefix, k)
		for name, shape := range map[string][]int{
			"ln_1": {width}, "ln_2": {width}, "attn.c_attn": {width, 3 * width}, "attn.c_proj": {width, width}, "mlp.c_fc": {width,
				inside}, "mlp.c_proj": {inside, width},
		} {
			all[block+name+".weight"], all[block+name+".bias"] = tensor{shape, float64(10 + k)},
				tensor{shape[len(shape)-1:], float64(20 + k)}
		}
		all[block+"attn.bias"], all[block+"attn.masked_bias"] = tensor{[]int{1, 1, places, places}, 0}, tensor{nil, -1e4}
	}
	return all
}

// A language model's tensors are read under the names of the model alone, and of the one with its tied decoder.
func TestLanguageModels(t *testing.T) {
	g := encoder.GPT{Vocab: words, Positions: places, Width: width, Layers: layers, Heads: 2, MLP: inside}
	want, _ := must.Get2(found(t, gpt2("")).LanguageModel(g, "/t"))(t)
	if got := want["/t/layer_1/attention/qkv/weights"].Shape().Dimensions; len(want) != 4+12*layers || got[0] != width ||
		got[1] != 3*width {
		t.Errorf("got %d variables, queries, keys and values of shape %v", len(want), got)
	}
	tied := gpt2("transformer.")
	tied["lm_head.weight"] = tied["transformer.wte.weight"]
	got, report := must.Get2(found(t, tied).LanguageModel(g, "/t"))(t)
	equal(t, "with a decoder", got, want)
	if len(report.Ignored) != 2*layers+1 {
		t.Errorf("got %d tensors ignored, want the decoder and two buffers a layer", len(report.Ignored))
	}
	lacking := gpt2("")
	delete(lacking, "h.1.ln_2.bias")
	for says, content := range map[string]map[string]tensor{
		"nothing for the variable /t/layer_1/mlp/norm/offset": lacking, "looks like BERT, which has no language model": bert("bert."),
	} {
		must.Fail(t, must.Err2(found(t, content).LanguageModel(g, "/t")), says)
	}
	must.Fail(t, must.Err2(found(t, gpt2("")).TextEncoder(text, "/t")), "looks like GPT-2, which has no text encoder", "as a text encoder")
	lines, err := found(t, gpt2("")).About()
	if told := strings.Join(lines, "\n"); err != nil || !strings.Contains(told, "GPT-2, 32 tensors") ||
		!strings.Contains(told, "language, 2 layers\n  used        28 tensors") {
		t.Errorf("got %v (%v)", told, err)
	}
}
