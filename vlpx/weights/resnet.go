package weights

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/vlpx/encoder"
)

// ResNet is torchvision's ResNet, of bottlenecks or of basic blocks, without its classifier.
//
//   - names: what stands before its names, mostly nothing.
//   - scope: that of encoder.ResNet.Encode.
func ResNet(names, scope string) Table {
	return Join(residual(names, scope, 1), Table{Ignored: []string{names + "fc.weight", names + "fc.bias"}})
}

// CLIPResNet is the ModifiedResNet of CLIP's image tower in OpenAI's names, with its attention pool.
//
//   - names: what stands before its names, "visual.".
//   - scope: that of encoder.CLIPResNet.Encode.
func CLIPResNet(names, scope string) Table {
	pool := scope + "/pool"
	t := Table{Rules: []Rule{{pool + "/position/" + encoder.Embedding, Same, []string{names + "attnpool.positional_embedding"}}}}
	return Join(residual(names, scope, 3), t.with(names+"attnpool.", nil, map[string][]string{
		pool + "/query": {"q_proj"}, pool + "/kv": {"k_proj", "v_proj"}, pool + "/output": {"c_proj"},
	}))
}

// ResNet reads the checkpoint, torchvision's ResNet of bottlenecks, for an image encoder: its variables below the scope in float32. The
// report tells what became of the file; what does not fit is an error that names both sizes.
func (s Source) ResNet(r encoder.ResNet, scope string) (Values, Report, error) {
	f, family, err := s.open()
	if err != nil {
		return nil, Report{}, err
	}
	defer f.Close()
	if family.Name != residualFamily || r.Basic || r.Stem != 0 {
		return nil, Report{}, fmt.Errorf("weights: %s: it looks like %s; a ResNet of bottlenecks with the stem for large images takes %s",
			s.Path, family.Name, residualFamily)
	}
	table := ResNet("", scope)
	values, report, err := f.Import(table)
	if err != nil {
		return nil, report, err
	}
	sizes := []size{{"the width", values.dim(scope+"/stem/convolution1/"+encoder.Weights, 3), r.Width},
		{"the number of stages", residualStages, len(r.Layers)}}
	for k, blocks := range r.Layers {
		sizes = append(sizes, size{fmt.Sprintf("the number of blocks of stage %d", k+1),
			values.layers(fmt.Sprintf("%s/stage%d", scope, k+1)),
			blocks})
	}
	if err := s.fits("image encoder", sizes); err != nil {
		return nil, report, err
	}
	for _, rule := range table.Rules {
		var stage int
		count := 1
		if _, err := fmt.Sscanf(rule.Variable, scope+"/stage%d/", &stage); err == nil {
			count = r.Layers[stage-1]
		}
		if strings.Contains(rule.Variable, "/shortcut/") {
			count = 1 // in a stage's first block alone
		}
		for layer := range count {
			if path := strings.ReplaceAll(rule.Variable, "#", fmt.Sprint(layer)); values[path] == nil {
				report.Missing = append(report.Missing, path)
			}
		}
	}
	if err := report.Check(); err != nil {
		return nil, report, err
	}
	values, err = values.as(dtypes.Float32)
	return values, report, err
}

// SimCLR is SogCLR's model with a ResNet, in the names of its published code: the projection head stands in the place of the classifier.
//
//   - root: that of framework/simclr's variables.
func SimCLR(root string) Table {
	const names = "base_encoder."
	t := Join(residual(names, root+"/vision", 1), Table{Rules: []Rule{
		{root + "/projection/hidden/" + encoder.Weights, Linear, []string{names + "fc.0.weight"}},
		{root + "/projection/out/" + encoder.Weights, Linear, []string{names + "fc.3.weight"}},
	}})
	t.normal(names+"fc.1", root+"/projection/norm1")
	t.Rules = append(t.Rules, norm(names+"fc.1", root+"/projection/norm1")...)
	t.normal(names+"fc.4", root+"/projection/norm2")
	return t
}

const (
	residualFamily = "torchvision's ResNet of bottlenecks"
	residualStages = 4
)

// residual are a stem of so many convolutions and four stages of bottlenecks, as both name them. What counts the batches that moved the
// running statistics is not read.
func residual(names, scope string, stem int) Table {
	var t Table
	for i := 1; i <= stem; i++ {
		t.convolution(names, fmt.Sprintf("conv%d", i), fmt.Sprintf("bn%d", i), fmt.Sprintf("%s/stem/convolution%d", scope, i),
			fmt.Sprintf("%s/stem/norm%d", scope, i))
	}
	for stage := 1; stage <= residualStages; stage++ {
		block, layer := fmt.Sprintf("layer%d.#.", stage), fmt.Sprintf("%s/stage%d/layer_#", scope, stage)
		for i := 1; i <= 3; i++ {
			t.convolution(names+block, fmt.Sprintf("conv%d", i), fmt.Sprintf("bn%d", i), fmt.Sprintf("%s/convolution%d", layer, i),
				fmt.Sprintf("%s/norm%d", layer, i))
		}
		t.convolution(names+block, "downsample.0", "downsample.1", layer+"/shortcut/convolution", layer+"/shortcut/norm")
	}
	return t
}

// convolution adds the rules of one without a bias and of the batch normalisation behind it: the names of both, and their scopes.
func (t *Table) convolution(names, kernels, normal, scope, normScope string) {
	t.Rules = append(t.Rules, Rule{scope + "/" + encoder.Weights, Kernels, []string{names + kernels + ".weight"}})
	t.normal(names+normal, normScope)
	t.Rules = append(t.Rules, norm(names+normal, normScope)...)
}

// normal adds the rules of the running statistics of a batch normalisation.
func (t *Table) normal(names, scope string) {
	t.Rules = append(t.Rules, Rule{scope + "/" + encoder.RunningMean, Same, []string{names + ".running_mean"}},
		Rule{scope + "/" + encoder.RunningVariance, Same, []string{names + ".running_var"}})
	t.Ignored = append(t.Ignored, names+".num_batches_tracked")
}
