package paper

import (
	"strings"
	"testing"

	"vlpx.internal/vlpx/negative"
)

func TestIdle(t *testing.T) {
	for _, c := range []struct {
		methods, set []string
		want         []string // of each line
	}{
		{[]string{"GRIT-VLP"}, nil, nil},
		{[]string{"GRIT-VLP"}, []string{"searchspace=80", "epochs=4", "scenes.train=16"}, nil},
		{[]string{"GRIT-VLP"}, []string{"hard=.7", "epochs=4"}, []string{"setting hard=.7 changes nothing here: nothing that is asked for reads it; it is read by Hard quantile"}},
		{[]string{"GRIT-VLP", "Hard quantile"}, []string{"hard=.7"}, nil},
		{[]string{"MAFA"}, []string{"tuning.rate=1e-3"}, nil}, // of its Con-D
		{[]string{"GRIT-VLP"}, []string{"epochs=3"}, []string{"it is 3 already"}},
		{[]string{"GRIT-VLP"}, []string{"epochs=4", "Epochs=5"}, []string{"setting epochs=4 changes nothing: epochs=5 stands behind it"}},
		{[]string{"GRIT-VLP"}, []string{"framework=albef", "queries=3"}, []string{"every method on BLIP-2"}},
		{[]string{"GRIT-VLP"}, []string{"batchsize=20", "searchspace=60"}, nil},
		{[]string{"InfoNCE"}, []string{"batchsize=20", "searchspace=60"}, []string{"setting searchspace=60 changes nothing here"}},
		{[]string{"GRIT-VLP, hard=.7"}, nil, []string{`changes nothing of "GRIT-VLP, hard=.7": GRIT-VLP does not read it; it is read by Hard quantile`}},
		{[]string{"GRIT-VLP", "GRIT-VLP, hard=.7, epochs=4"}, nil, []string{`setting hard=.7 changes nothing of "GRIT-VLP, hard=.7, epochs=4"`}},
		{[]string{"GRIT-VLP, locked.gigabytes=3"}, nil, nil}, // which changes what the store may take
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
		p, err := NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{1, 2}, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		before := p.identities()
		got, err := p.Idle()
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%v with %v: got %q, error %v; want %q", c.methods, c.set, got, err, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i], want) {
				t.Errorf("%v with %v: got %q, want %q", c.methods, c.set, got[i], want)
			}
		}
		if strings.Join(p.identities(), " ") != strings.Join(before, " ") || len(p.Rows[0]) != 2 {
			t.Error("asking has changed the plan")
		}
	}
}

// An artifact without runs shows the settings, so that none is idle.
func TestIdleWithoutRuns(t *testing.T) {
	p, err := NewPlan(Artifact{ID: "test/presets"}, Request{Scale: "tiny", Set: []string{"hard=.7"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Idle(); err != nil || got != nil {
		t.Errorf("got %q and %v, want nothing", got, err)
	}
}

// A comparison of a run with itself is refused where settings say that it were another; one's own method that is another one is told of.
func TestSameRuns(t *testing.T) {
	compare := func(own []negative.Method, methods ...string) (*Planned, error) {
		var rows []Row
		for _, text := range methods {
			row, err := Variant(text, own)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		a, err := Compared(rows)
		if err != nil {
			t.Fatal(err)
		}
		return NewPlan(a, Request{Scale: "tiny", Seeds: []uint64{1}})
	}
	for _, c := range [][]string{
		{"GRIT-VLP", "GRIT-VLP, hard=.7", "GRIT-VLP does not read it"},
		{"GRIT-VLP, searchspace=40", "GRIT-VLP", "it is 40 already"},
		{"GRIT-VLP", "GRIT-VLP, contrast.weight=.2", "same runs"},
		{"GRIT-VLP, searchspace=80", "GRIT-VLP, batches.searchspace=80", "same runs"},
		{"Hard quantile, hard=.3", "Easy quantile, easy=.3", "same runs"},
	} {
		if _, err := compare(nil, c[:2]...); err == nil || !strings.Contains(err.Error(), "leave one of them out") || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%v: got %v", c[:2], err)
		}
	}
	p, err := compare([]negative.Method{{Name: "Mine"}}, "InfoNCE", "Mine")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Idle(); err != nil || len(got) != 1 || got[0] != "InfoNCE and Mine are the same runs" {
		t.Errorf("got %q and %v", got, err)
	}
	if n := len(p.Runs()); n != 1 {
		t.Errorf("%d runs, want the one", n)
	}
}
