package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// planned is a plan of n tasks in two levels, of which the later half needs the first task.
func planned(n int) *Plan {
	p := &Plan{Artifacts: []string{"falcon/table1"}}
	for i := range n {
		t := Task{ID: string(rune('a'+i%26)) + string(rune('a'+i/26)), What: "a task", Result: "runs/" + string(rune('a'+i%26)) +
			string(rune('a'+i/26)) + "/result.json"}
		if i >= n/2 && i > 0 {
			t.Needs = []int{0}
		}
		p.Add(t)
	}
	p.Sort()
	return p
}

// Levels follow from needs, a task is there once, and the order of levels keeps that of the tasks within them.
func TestPlanLevels(t *testing.T) {
	p := &Plan{Artifacts: []string{"x"}}
	add := func(id string, needs ...int) int { return p.Add(Task{ID: id, Needs: needs, Result: "r/" + id}) }
	start := add("start")
	tuned := add("tuned", start)
	other := add("other")
	if again := add("tuned", start); again != tuned {
		t.Errorf("the same task is %d and %d", tuned, again)
	}
	add("last", other, tuned)
	add("alone")
	p.Sort()
	var ids []string
	var levels []int
	for _, task := range p.Tasks {
		ids, levels = append(ids, task.ID), append(levels, task.Level)
	}
	if want := []string{"start", "other", "alone", "tuned", "last"}; !slices.Equal(ids, want) ||
		!slices.Equal(levels, []int{0, 0, 0, 1, 2}) {
		t.Errorf("got %v of levels %v, want %v", ids, levels, want)
	}
	if needs := p.Tasks[4].Needs; !slices.Equal(needs, []int{1, 3}) {
		t.Errorf("the last one needs %v, want 1 and 3", needs)
	}
	if err := p.check(); err != nil {
		t.Error(err)
	}
}

// A plan is read back as it was written, by its place.
func TestPlanReadBack(t *testing.T) {
	home := t.TempDir()
	s := New(home, planned(5))
	program := filepath.Join(home, "a program")
	must.Do(t, os.WriteFile(program, []byte("#!"), 0o755))
	w := must.Get(workerOf(program))(t)
	must.Do(t, s.Write(w))
	got, err := Open(s.PlanFile())
	if err != nil || got.Name != s.Name || got.Home != home || len(got.Tasks) != 5 {
		t.Errorf("got %+v (%v)", got, err)
	}
	if got.Plan.Name() != s.Name || !strings.HasPrefix(s.Name, "falcon-table1-") {
		t.Errorf("named %s, and %s when it was read", s.Name, got.Plan.Name())
	}
	if info, err := os.Stat(w.Program(s)); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("the program's copy: %v", err)
	}
	must.Do(t, os.WriteFile(program, []byte("#!/bin/false"), 0o755))
	rebuilt := must.Get(workerOf(program))(t)
	must.Do(t, s.Write(rebuilt))
	if text, err := os.ReadFile(w.Program(s)); err != nil || string(text) != "#!" {
		t.Errorf("a program that is built anew has changed the one that is at work: %q (%v)", text, err)
	}
	if err := s.Tidy(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir(), programPrefix+"*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	all, err := All(home)
	if err != nil || len(all) != 1 {
		t.Errorf("the store has %d sweeps (%v)", len(all), err)
	}
	must.Do(t, os.WriteFile(s.PlanFile(), []byte("{"), 0o644))
	must.Fail(t, must.Err(Open(s.PlanFile())), "delete the file", "half a plan")
}

func FuzzParsePlan(f *testing.F) {
	for _, n := range []int{0, 1, 6} {
		text := must.Get(json.Marshal(planned(n)))(f)
		f.Add(text)
	}
	f.Add([]byte(`{"artifacts":["a"],"tasks":[{"id":"x","result":"../../etc","level":0}]}`))
	f.Add([]byte(`{"artifacts":["a"],"tasks":[{"id":"x","result":"r","needs":[0],"level":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePlan(text)
		if err != nil {
			return
		}
		s := New(t.TempDir(), p)
		for i, task := range p.Tasks {
			if !filepath.IsLocal(filepath.FromSlash(task.Result)) {
				t.Errorf("the result %q is outside of the store", task.Result)
			}
			for _, need := range task.Needs {
				if need >= i || p.Tasks[need].Level >= task.Level {
					t.Errorf("task %d needs %d", i, need)
				}
			}
			s.doomed(i)
		}
		if strings.ContainsAny(s.Name, "/ \\\n") {
			t.Errorf("named %q", s.Name)
		}
	})
}
