package weights

import (
	"fmt"
	"slices"
	"strings"
)

// NLVR is the model that ALBEF fine-tunes for NLVR2 (METHODS.md 15.6). Its two layers for each fusion layer of pre-training share the
// projections of images to keys and values, which files have under the names of both; they are read from the first.
//
//   - root: the scope of albef.Reasoning.Judge, such as framework.Model.
//   - text, fusion: the number of text layers and of fusion layers of pre-training, published 6 each.
func NLVR(root string, text, fusion int) Table {
	return Join(nlvr("", root, text, fusion), Table{Rules: slices.Concat(linear(root+"/verdict/in", "cls_head.0"),
		linear(root+"/verdict/out", "cls_head.2"))})
}

// NLVRMomentum is the momentum copy beside NLVR.
func NLVRMomentum(root string, text, fusion int) Table {
	return Join(nlvr("_m", root, text, fusion),
		Table{Rules: slices.Concat(linear(root+"/verdict/in", "cls_head_m.0"), linear(root+"/verdict/out", "cls_head_m.2"))})
}

// nlvr are the two encoders.
func nlvr(momentum, root string, text, fusion int) Table {
	t := Join(ViT("visual_encoder"+momentum+".", root+"/vision"), BERT("text_encoder"+momentum+".", root+"/text"))
	t.Rules = slices.DeleteFunc(t.Rules, func(r Rule) bool { return strings.Contains(r.Variable, "/cross/kv/") })
	for layer := text; layer < text+2*fusion; layer += 2 {
		of := func(layer int) []Rule {
			names := fmt.Sprintf("text_encoder%s.encoder.layer.%d.crossattention.self.", momentum, layer)
			return linear(fmt.Sprintf("%s/text/layer_%d/cross/kv", root, layer-(layer-text)%2), names+"key", names+"value")
		}
		t.Rules, t.Copies = append(t.Rules, of(layer)...), append(t.Copies, of(layer+1)...)
	}
	return t
}
