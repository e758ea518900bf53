package golden_test

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/train"
)

func checkMLM(t *testing.T, c golden.Case) {
	labels := c.Tensor("inputs", "labels")
	ids := int32s(c.Ints("inputs", "labels"))
	inputs := []*tensors.Tensor{value(c, "inputs", "logits"), tensors.FromFlatDataAndDimensions(ids, labels.Shape...)}
	distils := c.Bool("params", "use_soft_labels")
	alpha := 0.0
	if distils {
		inputs, alpha = append(inputs, value(c, "inputs", "logits_m")), c.Float("params", "alpha")
	}
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		loss := objective.MLM(in[0], in[1])
		if distils {
			loss = objective.DistilledMLM(in[0], in[1], in[2], ConstAs(in[0], alpha))
		}
		return withGradients(loss, in[:1])
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "gradient", got[1], c.Tensor("expected", "grad", "logits").Float)
	read(t, c)
}

func checkMask(t *testing.T, c golden.Case) {
	of := func(path ...string) []int { return c.Ints(path...) }
	ids := of("inputs", "input_ids")
	draws := objective.MaskDraws{}
	for i := range ids {
		draws.Masked = append(draws.Masked, of("inputs", "bernoulli_mask")[i] == 1)
		draws.Replace = append(draws.Replace, of("inputs", "bernoulli_replace")[i] == 1)
		draws.Random = append(draws.Random, of("inputs", "bernoulli_random")[i] == 1)
		draws.Words = append(draws.Words, int32(of("inputs", "random_words")[i]))
	}
	special := objective.Special{Pad: int32(c.Int("params", "pad_id")), CLS: int32(c.Int("params", "cls_id")),
		Mask: int32(c.Int("params", "mask_id"))}
	read(t, c)
	masked, labels := objective.MaskTokens(int32s(ids), draws, special)
	if want := int32s(of("expected", "masked_ids")); !slices.Equal(masked, want) {
		t.Errorf("ids: got %v, want %v", masked, want)
	}
	if want := int32s(of("expected", "labels")); !slices.Equal(labels, want) {
		t.Errorf("labels: got %v, want %v", labels, want)
	}
	read(t, c)
}

func int32s(x []int) []int32 {
	out := make([]int32, len(x))
	for i, v := range x {
		out[i] = int32(v)
	}
	return out
}

func checkSchedule(t *testing.T, c golden.Case) {
	s := train.Schedule{
		Warmup: c.Float("params", "warmup_lr"), Rate: c.Float("params", "lr"), Min: c.Float("params", "min_lr"),
		Units: c.Int("params", "warmup_epochs"), Unit: 100, Epochs: c.Int("params", "epochs"),
	}
	last := c.Int("params", "iters_per_epoch") - 1
	warm, epochs := c.Matrix("expected", "warmup_iteration_lr"), c.Matrix("expected", "epoch_lr")
	read(t, c)
	for _, row := range warm {
		near(t, c, "warm-up", []float64{s.At(0, int(row[0]), last+1)}, row[1:])
	}
	near(t, c, "end of epoch 0", []float64{s.At(0, last, last+1)}, []float64{c.Float("expected", "lr_end_of_epoch0")})
	for _, row := range epochs {
		near(t, c, "cosine", []float64{s.At(int(row[0]), 0, last+1)}, row[1:])
		near(t, c, "within an epoch", []float64{s.At(int(row[0]), last, last+1)}, row[1:])
	}
	read(t, c)
}
