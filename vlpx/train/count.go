package train

import (
	"errors"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// count takes a step with its mini-batch into the epoch's tally: what every framework and method tells, then what only some do.
func (t *trainer) count(batch []int, out Output) error {
	c := t.job.Config
	var failed []error
	floats := func(name field.Name) []float32 {
		numbers, err := out.Floats(name)
		failed = append(failed, err)
		return numbers
	}
	places := func(name field.Name) []int32 {
		numbers, err := out.Ints(name)
		failed = append(failed, err)
		return numbers
	}
	t.Current.add(out)
	if err := t.hear(out.Numbers, func(k int) string { return t.step.tellers[k] }); err != nil {
		return err
	}
	if out.Has(field.HardestImages) {
		t.Current.False.count(t.holds, batch, places(field.HardestImages), places(field.HardestTexts))
	}
	for _, of := range []struct {
		name  field.Name
		holds func(anchor, candidate int) (is, known bool)
	}{
		{field.FoundOfImages, func(image, text int) (is, known bool) { return t.holds(batch[image], batch[text]) }},
		{field.FoundOfTexts, func(text, image int) (is, known bool) { return t.holds(batch[image], batch[text]) }},
	} {
		if out.Has(of.name) {
			t.Current.find(floats(of.name), len(batch), of.holds)
		}
	}
	if out.Has(field.FoundOfImages) && t.Epoch == c.Epochs-1 && t.Step == 0 {
		t.Current.Found.show(floats(field.FoundOfImages), batch)
	}
	if out.Has(field.Sentences) {
		t.write(batch, writtenStep{
			sentences: places(field.Sentences), passed: floats(field.SentencePassed), scores: floats(field.SentenceScores),
			kept: places(field.SentencesKept), captions: floats(field.CaptionScores),
		})
	}
	if out.Has(field.Weights) {
		t.Current.weigh(floats(field.Weights), batch, t.pairs, t.relation)
	}
	if e, mines := c.Method.Positives.(negative.ECM); mines {
		connected := Connected{
			Images: places(field.PickedImages), Texts: places(field.PickedTexts), ImageScores: floats(field.ImageScores), TextScores: floats(field.TextScores),
		}
		t.Current.connect(e, connected, t.relation, t.pairs, batch, t.Epoch >= c.Epochs-shownEpochs)
	}
	if out.Has(field.Labels) && t.Epoch == c.Epochs-1 { // which can be large
		t.Current.label(floats(field.Labels), c.BatchSize)
	}
	if scheduler, schedules := t.sampler.(negative.Scheduler); schedules && len(scheduler.Choices()) > 0 {
		t.Current.schedule(scheduler.Choices(), out.Float(field.Improvement), t.classes, t.relation, t.pairs)
	}
	return errors.Join(failed...)
}
