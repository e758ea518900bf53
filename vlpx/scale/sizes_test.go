package scale_test

import (
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
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
		{"mini", nil, "schedule.epochs=9"},
		{"mini", []string{"warmcosine=false"}, "schedule.epochs=12"},
		{"tiny", []string{"epochs=40"}, "schedule.epochs=40"},
		{"tiny", []string{"Schedule.Epochs=7", "Epochs=40"}, "schedule.epochs=7"},
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
