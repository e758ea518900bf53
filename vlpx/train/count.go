package train

import "vlpx.internal/vlpx/negative"

// count takes a step with its mini-batch into the epoch's tally: what every method tells, then what only some do.
func (t *trainer) count(batch []int, out Output) {
	c := t.job.Config
	t.Current.add(out)
	if t.relation != nil {
		t.Current.False.count(t.relation, t.pairs, batch, out)
	}
	if out.Weights != nil {
		t.Current.weigh(out.Weights, batch, t.pairs, t.relation)
	}
	if e, mines := c.Method.Positives.(negative.ECM); mines {
		t.Current.connect(e, *out.Connected, t.relation, t.pairs, batch, t.Epoch >= c.Epochs-shownEpochs)
	}
	if out.Labels != nil {
		t.Current.label(out.Labels, c.BatchSize)
	}
	if scheduler, schedules := t.sampler.(negative.Scheduler); schedules && len(scheduler.Choices()) > 0 {
		t.Current.schedule(scheduler.Choices(), out.Improvement, t.classes, t.relation, t.pairs)
	}
}
