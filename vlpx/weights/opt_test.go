package weights

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
)

// optTensors are those of an OPT, whose table of positions has two rows more than there are places, with its decoder.
func optTensors(prefix string) map[string]tensor {
	all := map[string]tensor{
		prefix + "embed_tokens.weight": {[]int{words, width}, 1}, prefix + "embed_positions.weight": {[]int{places + 2, width}, 2},
		prefix + "final_layer_norm.weight": {[]int{width}, 3}, prefix + "final_layer_norm.bias": {[]int{width},
			4}, "lm_head.weight": {[]int{words, width}, 1},
	}
	for k := range layers {
		block := fmt.Sprintf("%slayers.%d.", prefix, k)
		for i, name := range []string{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj", "fc1", "fc2"} {
			shape := [][]int{{width, width}, {width, width}, {width, width}, {width, width}, {inside, width}, {width, inside}}[i]
			all[block+name+".weight"], all[block+name+".bias"] = tensor{shape, float64(100 + 10*i + k)},
				tensor{shape[:1], float64(200 + 10*i + k)}
		}
		for i, name := range []string{"self_attn_layer_norm", "final_layer_norm"} {
			all[block+name+".weight"], all[block+name+".bias"] = tensor{[]int{width}, float64(300 + 10*i + k)},
				tensor{[]int{width}, float64(400 + 10*i + k)}
		}
	}
	return all
}

func TestOPT(t *testing.T) {
	o := encoder.OPT{Vocab: words, Positions: places, Width: width, Layers: layers, Heads: 2, MLP: inside}
	want, report, err := found(t, optTensors("model.decoder.")).OPT(o, "/t")
	if err != nil {
		t.Fatal(err)
	}
	if got := want["/t/layer_1/attention/qkv/weights"].Shape().Dimensions; len(want) != 4+12*layers || got[0] != width ||
		got[1] != 3*width {
		t.Errorf("got %d variables, queries, keys and values of shape %v", len(want), got)
	}
	if len(report.Ignored) != 1 {
		t.Errorf("got %d tensors ignored, want the decoder", len(report.Ignored))
	}
	got, _ := must.Get2(found(t, optTensors("decoder.")).OPT(o, "/t"))(t)
	equal(t, "under the names of the decoder alone", got, want)
	back := must.Get(want.Published(OPT("model.decoder.", "lm_head.weight", "/t")))(t)
	if got, want := slices.Sorted(maps.Keys(back)), slices.Sorted(maps.Keys(optTensors("model.decoder."))); !slices.Equal(got, want) {
		t.Errorf("written: got %v, want %v", got, want)
	}
	long := o
	long.Positions++
	_, _, err = found(t, optTensors("decoder.")).OPT(long, "/t")
	if err == nil || !strings.Contains(err.Error(), "the number of positions is 7, the model's 8") {
		t.Errorf("got %v for another number of positions", err)
	}
	must.Fail(t, must.Err2(found(t, gpt2("")).OPT(o, "/t")), "looks like GPT-2, and the model is OPT", "a GPT-2 as an OPT")
	must.Fail(t, must.Err2(found(t, optTensors("decoder.")).LanguageModel(encoder.GPT(o), "/t")), "looks like OPT, and the model is GPT-2",
		"an OPT as a GPT-2")
}
