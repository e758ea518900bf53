package paper

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	albef "vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Sizes follow those that they are relative to, whatever the order, unless they are set themselves.
func TestResolved(t *testing.T) {
	for _, c := range []struct {
		scale string
		set   []string
		want  string // settings with their values
	}{
		{"tiny", []string{"batchsize=24"}, "searchspace=120 groupqueue=240 momentumqueue=192"},
		{"tiny", []string{"batchsize=24", "searchspace=72"}, "searchspace=72 groupqueue=216"},
		{"tiny", []string{"groupqueue=96", "batchsize=24"}, "searchspace=120 groupqueue=96"},
		{"mini", []string{"searchspace=960"}, "groupqueue=9600"},
		{"mini", []string{"searchspace=1000"}, "groupqueue=10000 batchsize=32"},
		{"tiny", []string{"queuebatches=0"}, "momentumqueue=0"},
		{"paper", nil, "searchspace=5664 groupqueue=28320 momentumqueue=65472 tuning.queue=65536"},
		{"paper", []string{"tuning.batchsize=100"}, "tuning.queue=65500 momentumqueue=65472"},
		{"mini", []string{"momentumqueue=512"}, "tuning.queue=512"},
		{"mini", []string{"image=64"}, "scenes.size=64 patch=8"},
		{"mini", []string{"scenes.size=64"}, "image=32"},
		{"mini", []string{"image=64", "scenes.size=32"}, "image=64 scenes.size=32"},
		{"tiny", []string{"image=64", "framework=blip-2"}, "locked.side=4 scenes.size=64"},
		{"tiny", []string{"locked.side=0", "framework=blip-2"}, "locked.side=0"},
		{"mini", []string{"width=128"}, "heads=4 mlp=256 textwidth=128 textheads=4 textmlp=256"},
		{"mini", []string{"width=192"}, "heads=8 mlp=384"},
		{"mini", []string{"heads=6", "width=192"}, "heads=6 mlp=384 textheads=6"},
		{"mini", []string{"textwidth=48"}, "textheads=2 textmlp=96 heads=4 mlp=192"},
		{"tiny", []string{"maxlen=40"}, "positions=40"},
		{"tiny", []string{"maxlen=10"}, "positions=32"},
		{"tiny", []string{"lr=1e-5"}, "schedule.min=1e-05 schedule.warmup=1e-05"},
		{"tiny", []string{"lr=1e-2"}, "schedule.min=4e-05 schedule.warmup=0.0001"},
		{"tiny", []string{"framework=uniter", "epochs=10"}, "schedule.epochs=10 schedule.ramp=1"},
		{"tiny", []string{"epochs=10", "schedule.ramp=.5", "framework=uniter"}, "schedule.epochs=10 schedule.ramp=0.5"},
		{"mini", []string{"framework=simclr", "batchsize=512"}, "schedule.rate=1.697"},
		{"mini", []string{"framework=simclr", "batchsize=512", "lr=.3"}, "schedule.rate=0.3"},
		{"mini", []string{"batchsize=128"}, "schedule.rate=0.001"},
		{"mini", nil, "schedule.epochs=11"},
		{"paper", nil, "schedule.epochs=30 epochs=20"},
		{"paper", []string{"epochs=40"}, "schedule.epochs=60"},
		{"paper", []string{"epochs=40", "schedule.epochs=7"}, "schedule.epochs=7"},
	} {
		s := must.Get(scale.Preset(c.scale, false))(t)
		must.Do(t, s.SetAll(c.set))
		if twice := s.Resolved().Resolved(); !reflect.DeepEqual(twice, s.Resolved()) {
			t.Errorf("%s with %v resolves otherwise a second time: %+v", c.scale, c.set, twice)
		}
		for _, want := range strings.Fields(c.want) {
			name, value, _ := strings.Cut(want, "=")
			x := must.Get(scale.FindSetting(name))(t)
			if got := x.Value(s.Resolved()); got != value {
				t.Errorf("%s with %v: %s=%s, want %s", c.scale, c.set, name, got, value)
			}
		}
	}
}

// What a request sets stays where a row sets another size.
func TestSetSizesAcrossRows(t *testing.T) {
	row := must.Get(plan.Variant("InfoNCE, batch=12, epochs=9", nil))(t)
	a := must.Get(Compared([]plan.Row{plan.MethodRow("InfoNCE"), row}))(t)
	p := must.Get(NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"schedule.epochs=7", "batchsize=24"}}))(t)
	if plain, own := p.Rows[0][0].Train, p.Rows[1][0].Train; plain.Schedule.Epochs != 7 || own.Schedule.Epochs != 7 || own.Epochs != 9 ||
		own.BatchSize != 12 {
		t.Errorf("got cosines of %d and %d epochs, %d epochs and a batch of %d; want 7, 7, 9, 12", plain.Schedule.Epochs,
			own.Schedule.Epochs, own.Epochs, own.BatchSize)
	}
}

// A cosine that is set shorter than training is told of.
func TestSwings(t *testing.T) {
	a := Artifact{ID: "test/swings", Rows: []plan.Row{plan.MethodRow("InfoNCE"), plan.MethodRow("GRIT-VLP")}}
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, ""},
		{[]string{"epochs=40"}, ""},
		{[]string{"epochs=40", "schedule.epochs=60"}, ""},
		{[]string{"epochs=40", "schedule.epochs=3"}, "of InfoNCE is at its least after 3 of 40 epochs"},
		{[]string{"warmstart=4", "schedule.epochs=5"}, "after 5 of 7 epochs"},
		// which stays at its least
		{[]string{"epochs=40", "schedule.epochs=3", "schedule.smooth=true", "schedule.linear=true", "schedule.units=0"}, ""},
	} {
		p := must.Get(NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: c.set}))(t)
		if got := strings.Join(p.Swings(), " "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: got %q, want %q", c.set, got, c.want)
		}
	}
}

// Whatever the batch size, every method of the registry can be made, with its tasks.
func TestAnyBatchSize(t *testing.T) {
	for _, size := range []string{"2", "3", "7"} {
		a := Artifact{ID: "test/batches", Downstream: []plan.Downstream{albef.NLVR2, albef.VQA}}
		for _, name := range []string{"ALBEF", "GRIT-VLP", "MAFA", "FALCON", "Streamed", "Hard quantile"} {
			a.Rows = append(a.Rows, plan.MethodRow(name))
		}
		p, err := NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"batchsize=" + size}})
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

// All that one does in one call is what it does in any order.
func TestSetAllInAnyOrder(t *testing.T) {
	set := []string{"epochs=7", "batchsize=24", "width=48", "image=48", "lr=1e-5", "framework=clip", "schedule.min=0"}
	rapid.Check(t, func(t *rapid.T) {
		one, other := scale.Scales()[0], scale.Scales()[0]
		shuffled := rapid.Permutation(set).Draw(t, "order")
		if one.SetAll(set) != nil || other.SetAll(shuffled) != nil {
			t.Fatal("an error")
		}
		if !reflect.DeepEqual(one, other) {
			t.Errorf("%v: got %+v, and %+v in another order", shuffled, one, other)
		}
	})
}
