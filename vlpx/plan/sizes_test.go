package plan_test

import (
	"testing"

	"vlpx.internal/internal/test/must"
	albefpreset "vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/plan"
)

// What a request sets stays where a row sets another size.
func TestSetSizesAcrossRows(t *testing.T) {
	row := must.Get(plan.Variant("InfoNCE, batch=12, epochs=9", nil))(t)
	a := plan.Experiment{ID: plan.Comparison, Rows: []plan.Row{plan.MethodRow("InfoNCE"), row}}
	p := must.Get(plan.New(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"schedule.epochs=7", "batchsize=24"}}))(t)
	if plain, own := p.Rows[0][0].Train, p.Rows[1][0].Train; plain.Schedule.Epochs != 7 || own.Schedule.Epochs != 7 || own.Epochs != 9 ||
		own.BatchSize != 12 {
		t.Errorf("got cosines of %d and %d epochs, %d epochs and a batch of %d; want 7, 7, 9, 12", plain.Schedule.Epochs,
			own.Schedule.Epochs, own.Epochs, own.BatchSize)
	}
}

// Whatever the batch size, every method of the registry can be made, with its tasks.
func TestAnyBatchSize(t *testing.T) {
	for _, size := range []string{"2", "3", "7"} {
		a := plan.Experiment{ID: "test/batches", Downstream: []plan.Downstream{albefpreset.NLVR2, albefpreset.VQA}}
		for _, name := range []string{"ALBEF", "GRIT-VLP", "MAFA", "FALCON", "Streamed", "Hard quantile"} {
			a.Rows = append(a.Rows, plan.MethodRow(name))
		}
		p, err := plan.New(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"batchsize=" + size}})
		if err != nil {
			t.Errorf("a batch of %s: %v", size, err)
			continue
		}
		for _, r := range p.Runs() {
			if err := r.Train.Validate(); err != nil {
				t.Errorf("a batch of %s: %s: %v", size, r.Train.Method.Name, err)
			}
		}
	}
}
