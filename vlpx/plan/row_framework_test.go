package plan_test

import (
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
)

// What a request sets holds for a row on a framework of its own, too, whose preset has other values.
func TestSettingsOutlastARowsFramework(t *testing.T) {
	a := plan.Experiment{ID: "vlpx/own", Rows: []plan.Row{plan.MethodRow("GloFND").On("simclr")}}
	p := must.Get(plan.New(a, plan.Request{Seeds: []uint64{1}, Set: []string{"epochs=7", "batchsize=64", "global.alpha=0.25",
		"temperature=0.3",
		"scenes.train=200"}}))(t)
	c := p.Rows[0][0].Train
	if c.Epochs != 7 || c.Schedule.Epochs != 7 || c.BatchSize != 64 {
		t.Errorf("%d epochs, a cosine over %d, mini-batches of %d; want 7, 7 and 64", c.Epochs, c.Schedule.Epochs, c.BatchSize)
	}
	if got := c.Method.LeftOut.(negative.Thresholds).Alpha; got != 0.25 {
		t.Errorf("alpha %v, want .25", got)
	}
	if c.Framework.Name() != "SimCLR" {
		t.Errorf("the framework is %s", c.Framework.Name())
	}
}
