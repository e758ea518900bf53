package weights

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/encoder"
)

// Vision is the checkpoint's image encoder at its own size, as ImageEncoder reads it. A file does not tell the number of heads: 0 stands
// for heads that are 64 wide, as they are from ViT-Ti to ViT-L.
func (s Source) Vision(heads int) (encoder.ViT, error) {
	f, family, err := s.open()
	if err != nil {
		return encoder.ViT{}, err
	}
	defer f.Close()
	if family.Vision == nil {
		return encoder.ViT{}, fmt.Errorf("weights: %s: it looks like %s, which has no image encoder that is a vision transformer", s.Path,
			family.Name)
	}
	v := encoder.ViT{Heads: heads, CLIP: family.CLIP, EVA: family.EVA, Open: family.EVA, Activation: family.Activation}
	rules := family.Vision("").Rules
	published := func(variable string) string {
		return rules[slices.IndexFunc(rules, func(r Rule) bool { return r.Variable == variable })].Tensors[0]
	}
	shape := func(variable string, axes ...int) []int {
		name := strings.ReplaceAll(published(variable), "#", "0")
		if dims := f.about(name).Shape; slices.Contains(axes, len(dims)) {
			return dims
		}
		if err == nil {
			err = fmt.Errorf("weights: %s: there is no tensor %s, or it has not the axes of %s", s.Path, name, family.Name)
		}
		return make([]int, axes[0])
	}
	patch, positions, mlp := shape("/patch/"+encoder.Weights, 4), shape("/position/"+encoder.Embedding, 2, 3),
		shape("/layer_#/mlp/in/"+encoder.Weights, 2)
	if err != nil {
		return encoder.ViT{}, err
	}
	v.Width, v.Patch, v.MLP = patch[0], patch[3], mlp[0]
	layer := published("/layer_#/attention/norm/" + encoder.Gain)
	for slices.Contains(f.Names(), strings.ReplaceAll(layer, "#", fmt.Sprint(v.Layers))) {
		v.Layers++
	}
	if heads == 0 {
		v.Heads = max(1, v.Width/64)
	}
	tokens := positions[len(positions)-2]
	v.Image = v.Patch * side(tokens-1)
	if v.Patch == 0 || v.Image == 0 || patch[2] != v.Patch || patch[1] != 3 || v.Heads < 1 || v.Width%v.Heads != 0 {
		return encoder.ViT{},
			fmt.Errorf("weights: %s: patches of shape %v, %d positions and %d heads are not those of a vision transformer with "+
				"square patches",
				s.Path, patch, tokens, v.Heads)
	}
	return v, nil
}
