package train

import (
	"errors"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// count takes a step with its mini-batch into the epoch's tally.
func (t *trainer) count(batch []int, out Output) error {
	t.Current.add(out)
	if err := t.hear(out.Numbers, func(k int) string { return t.step.tellers[k] }); err != nil {
		return err
	}
	if out.Has(field.HardestImages) {
		images, err := out.Ints(field.HardestImages)
		texts, failed := out.Ints(field.HardestTexts)
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		t.Current.False.count(t.holds, batch, images, texts)
	}
	return t.seen(negative.Step{
		Epoch: t.Epoch, Number: t.Step, Of: t.steps, Pairs: batch, Outputs: out.Values, Drafted: t.drafted.Drafted,
	})
}
