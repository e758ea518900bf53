package paper

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What belongs to a setting moves with it, whatever the order, and not where it is set apart.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		scale string
		set   []string
		want  string // settings with their values
	}{
		{"tiny", []string{"batchsize=24"}, "searchspace=48 groupqueue=96 momentumqueue=72"},
		{"tiny", []string{"batchsize=2"}, "searchspace=40 groupqueue=80 momentumqueue=64"},
		{"tiny", []string{"batchsize=24", "searchspace=72"}, "searchspace=72 groupqueue=72"},
		{"tiny", []string{"groupqueue=96", "batchsize=24"}, "searchspace=48 groupqueue=96"},
		{"mini", []string{"searchspace=960"}, "groupqueue=9600"},
		{"mini", []string{"searchspace=1000"}, "groupqueue=10000 batchsize=32"},
		{"paper", []string{"tuning.batchsize=100"}, "tuning.queue=65500 momentumqueue=65472"},
		{"mini", []string{"image=64"}, "scenes.size=64 patch=8"},
		{"mini", []string{"scenes.size=64"}, "image=64"},
		{"mini", []string{"image=64", "scenes.size=32"}, "image=64 scenes.size=32"},
		{"tiny", []string{"image=64", "framework=blip-2"}, "locked.side=4 scenes.size=64"},
		{"mini", []string{"width=128"}, "heads=4 mlp=256 textwidth=0"},
		{"mini", []string{"width=192"}, "heads=8 mlp=384"},
		{"mini", []string{"heads=6", "width=192"}, "heads=6 mlp=384"},
		{"mini", []string{"textwidth=48"}, "textheads=2 textmlp=96 heads=4 mlp=192"},
		{"tiny", []string{"maxlen=40"}, "positions=40"},
		{"tiny", []string{"maxlen=10"}, "positions=32"},
		{"tiny", []string{"lr=1e-5"}, "schedule.min=1e-05 schedule.warmup=1e-05"},
		{"tiny", []string{"lr=1e-2"}, "schedule.min=4e-05 schedule.warmup=0.0001"},
		{"tiny", []string{"vqa.rate=1e-6"}, "vqa.min=1e-06 nlvr.min=4e-05"},
		{"tiny", []string{"framework=uniter", "epochs=10"}, "schedule.epochs=0 schedule.ramp=1"},
		{"tiny", []string{"epochs=10", "schedule.ramp=.5", "framework=uniter"}, "schedule.epochs=0 schedule.ramp=0.5"},
		{"mini", []string{"framework=simclr", "batchsize=512"}, "schedule.rate=1.697"},
		{"mini", []string{"batchsize=128"}, "schedule.rate=0.001"},
		{"paper", []string{"warmstart=5"}, "schedule.epochs=0"},
		{"paper", []string{"epochs=20"}, "schedule.epochs=30"}, // as it was
	} {
		s, err := Preset(c.scale, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetAll(c.set); err != nil {
			t.Fatal(err)
		}
		for _, want := range strings.Fields(c.want) {
			name, value, _ := strings.Cut(want, "=")
			x, err := FindSetting(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := x.Value(s); got != value {
				t.Errorf("%s with %v: %s=%s, want %s", c.scale, c.set, name, got, value)
			}
		}
	}
}

// What a request sets apart stays where a row changes what it moves with; and what moved is told once for each.
func TestApartAcrossRows(t *testing.T) {
	row, err := Variant("InfoNCE, batch=12, epochs=9", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Compared([]Row{MethodRow("InfoNCE"), row})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"schedule.epochs=7", "batchsize=24", "momentumqueue=48"}})
	if err != nil {
		t.Fatal(err)
	}
	if plain, own := p.Rows[0][0].Train, p.Rows[1][0].Train; plain.Schedule.Epochs != 7 || own.Schedule.Epochs != 7 || own.Epochs != 9 || own.BatchSize != 12 {
		t.Errorf("got cosines of %d and %d epochs, %d epochs and a batch of %d; want 7, 7, 9, 12", plain.Schedule.Epochs, own.Schedule.Epochs, own.Epochs, own.BatchSize)
	}
	if moved, err := p.Moved(); err != nil || moved != nil {
		t.Errorf("got %q and %v, want nothing: what moved makes no difference to InfoNCE", moved, err)
	}
}

// What moved is told where it makes a difference, a line for each setting that it moved with, and for each row that has it alone.
func TestMoved(t *testing.T) {
	for _, c := range []struct {
		methods, set, want []string
	}{
		{[]string{"GRIT-VLP"}, []string{"epochs=40"}, nil},
		{[]string{"GRIT-VLP"}, []string{"batchsize=24", "width=64"}, []string{
			"with batchsize move searchspace from 40 to 48 (the nearest multiple) and groupqueue from 80 to 96",
			"with width move heads from 2 to 4 (about as wide each as before) and mlp from 64 to 128"}},
		{[]string{"ALBEF"}, []string{"batchsize=24"}, []string{"with batchsize moves momentumqueue from 64 to 72"}},
		{[]string{"ALBEF"}, []string{"batchsize=24", "momentumqueue=48"}, nil},
		{[]string{"ALBEF", "ALBEF, maxlen=40"}, nil, []string{"ALBEF, maxlen=40: with maxlen moves positions from 32 to 40"}},
	} {
		var rows []Row
		for _, text := range c.methods {
			row, err := Variant(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		a, err := Compared(rows)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{1}, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Moved()
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%v with %v: got %q and %v, want %q", c.methods, c.set, got, err, c.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) || strings.Contains(got[i], "momentumqueue") != strings.Contains(c.want[i], "momentumqueue") {
				t.Errorf("%v with %v: got %q, want %q", c.methods, c.set, got[i], c.want[i])
			}
		}
	}
}

// A cosine that is set shorter than training is told of, once for all rows that have it.
func TestSwings(t *testing.T) {
	a := Artifact{ID: "test/swings", Rows: []Row{MethodRow("InfoNCE"), MethodRow("GRIT-VLP")}}
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, ""},
		{[]string{"epochs=40"}, ""},
		{[]string{"epochs=40", "schedule.epochs=60"}, ""},
		{[]string{"epochs=40", "schedule.epochs=3"}, "of InfoNCE and GRIT-VLP is at its least after 3 of 40 epochs"},
		{[]string{"warmstart=4", "schedule.epochs=5"}, "after 5 of 7 epochs"},
		{[]string{"epochs=40", "schedule.epochs=3", "schedule.smooth=true", "schedule.linear=true", "schedule.units=0"}, ""}, // which stays at its least
	} {
		p, err := NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{1}, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Swings(), " "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: got %q, want %q", c.set, got, c.want)
		}
	}
}

// Whatever the batch size, every method of the registry can be made, with its tasks.
func TestAnyBatchSize(t *testing.T) {
	for _, size := range []string{"2", "3", "7"} {
		a := Artifact{ID: "test/batches", Downstream: []Downstream{NLVR2, VQA}}
		for _, name := range []string{"ALBEF", "GRIT-VLP", "MAFA", "FALCON", "Streamed", "Hard quantile"} {
			a.Rows = append(a.Rows, MethodRow(name))
		}
		p, err := NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"batchsize=" + size}})
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

// The number of heads divides the width, and none that does is nearer to the old width of each.
func TestHeadsAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, each, next := rapid.IntRange(1, 12).Draw(t, "heads"), rapid.IntRange(1, 64).Draw(t, "each"), rapid.IntRange(1, 400).Draw(t, "next")
		got, want := heads(n, n*each, next), float64(next)/float64(each)
		if next%got != 0 {
			t.Fatalf("%d heads of %d", got, next)
		}
		for k := 1; k <= next; k++ {
			if next%k == 0 && math.Abs(float64(k)-want) < math.Abs(float64(got)-want)-1e-9 {
				t.Errorf("%d heads of %d, %d are nearer to %g", got, next, k, want)
			}
		}
		if size := rapid.IntRange(1, 50).Draw(t, "size"); multiple(next, size)%size != 0 || multiple(next, size) < size ||
			next >= size && 2*max(multiple(next, size)-next, next-multiple(next, size)) > size {
			t.Errorf("%d is no multiple of %d nearest to %d", multiple(next, size), size, next)
		}
	})
}

// All that one does in one call is what it does in any order.
func TestSetAllInAnyOrder(t *testing.T) {
	set := []string{"epochs=7", "batchsize=24", "width=48", "image=48", "lr=1e-5", "framework=clip", "schedule.min=0"}
	rapid.Check(t, func(t *rapid.T) {
		one, other := scales()[0], scales()[0]
		shuffled := rapid.Permutation(set).Draw(t, "order")
		if one.SetAll(set) != nil || other.SetAll(shuffled) != nil {
			t.Fatal("an error")
		}
		for _, x := range Settings() {
			if x.Value(one) != x.Value(other) {
				t.Errorf("%v: %s is %s, and %s in another order", shuffled, x.Name, x.Value(one), x.Value(other))
			}
		}
	})
}
