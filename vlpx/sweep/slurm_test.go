package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Arrays have explicit indices, stay below MaxArraySize, and never hold tasks of two levels.
func TestBatches(t *testing.T) {
	s := New("/store", planned(20)) // ten of each level
	tasks := []int{0, 3, 4, 5, 7, 8, 11, 12, 13, 19}
	var got []string
	seen := []int{}
	for _, b := range s.batches(tasks, 8) {
		got = append(got, fmt.Sprintf("%d+%s of level %d", b.first, b.array(), b.level))
		for _, i := range b.tasks {
			if seen = append(seen, i); i-b.first >= 8 || s.Tasks[i].Level != b.level {
				t.Errorf("task %d is in %+v", i, b)
			}
		}
	}
	if want := []string{"0+0,3-5,7 of level 0", "8+0 of level 0", "8+3-5 of level 1", "16+3 of level 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(seen, tasks) {
		t.Errorf("got tasks %v, want %v", seen, tasks)
	}
}

// submitit's names become sbatch's, and others are passed on.
func TestScript(t *testing.T) {
	l := must.Get(NewSlurm([]string{"timeout_min=60", "mem_gb=8", "array_parallelism=2", "signal_delay_s=30", "name=My Jobs",
		"gpus_per_node=1",
		"cpus_per_task=4",
		"partition=gpu", "exclusive", "constraint=a&b", "comment=it's \"mine\"", "setup=module load cuda", "setup=ulimit -c 0"}))(t)
	s := New("/a store/100%", planned(3))
	hash := s.Name[len("falcon-table1"):]
	l.sweep, l.worker = s, Worker{Args: []string{"sweep", "work"}, hash: "abc"}
	got := l.script(batch{first: 1001, tasks: []int{1002}})
	want := `#!/bin/sh
#SBATCH --job-name=my-jobs` + hash + `.1001
#SBATCH --array=1%2
#SBATCH --output="/a store/100%%/sweeps/` + s.Name + `/logs/1001+%a.log"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --time=60
#SBATCH --signal=B:USR1@30
#SBATCH --mem=8G
#SBATCH --gpus-per-node=1
#SBATCH --cpus-per-task=4
#SBATCH --partition=gpu
#SBATCH --exclusive
#SBATCH --constraint=a&b
#SBATCH --comment="it's \"mine\""
module load cuda
ulimit -c 0
exec '/a store/100%/sweeps/` + s.Name + `/program-abc' 'sweep' 'work' '/a store/100%/sweeps/` + s.Name + `/plan.json' '-from' '1001'
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.worker = Worker{own: []string{"it's"}, hash: "abc"}
	if own := l.script(batch{tasks: []int{0}}); !strings.Contains(own, "export VLPX_SWEEP_PLAN='"+s.PlanFile()+"'\n") ||
		!strings.HasSuffix(own, `/program-abc' 'it'\''s'`+"\n") {
		t.Errorf("a program that is its own worker: %s", own)
	}
	for set, want := range map[string]string{
		"timeout_min=soon": "no whole number", "timeout_min=1": "signal_delay_s", "array=3": "by itself", "job_name=x": "by itself",
		"Partition=x": "no option",
		"a b=c":       "no option", "=c": "key=value", "name=!": "letters", "partition=": "needs a value", "x=a\nb": "one line",
		"mem_gb=0": "no whole number",
	} {
		must.Fail(t, must.Err(NewSlurm([]string{set})), want, "%s", set)
	}
}

// squeue's lines are those of this sweep and no other.
func TestQueue(t *testing.T) {
	l := &Slurm{sweep: New("/store", planned(12))}
	name := l.sweep.Name
	got := l.queue(name + ".0|17|3\n" + name + ".0|17|4\n" + name + ".8|18|1\nother.0|19|1\n" + name + ".8|18|9\n" + name + ".0|20|N/A\n" +
		name + ".x|21|1\nhalf a line\n" + name + "0.0|22|1\n")
	if len(got) != 2 || len(got["17"]) != 2 || !got["17"][3] || !got["17"][4] || len(got["18"]) != 1 || !got["18"][9] {
		t.Errorf("got %v", got)
	}
	if below := (&Slurm{sweep: l.sweep, jobs: got}).below(1); !slices.Equal(below, []string{"17"}) {
		t.Errorf("jobs of lower levels: %v", below)
	}
}

func FuzzQueue(f *testing.F) {
	f.Add("falcon-table1-00000000.0|17|3\n")
	f.Fuzz(func(t *testing.T, lines string) {
		l := &Slurm{sweep: New("/store", planned(12))}
		for _, tasks := range l.queue(strings.ReplaceAll(lines, "falcon-table1-00000000", l.sweep.Name)) {
			for i := range tasks {
				if i < 0 || i >= 12 {
					t.Errorf("task %d of 12", i)
				}
			}
		}
	})
}

// Whatever a setting is, the script has one line for it, and the shell gets the words as they are.
func FuzzScript(f *testing.F) {
	f.Add("comment=a b", "/a store")
	f.Add("comment='\"\\", "/it's $HOME `x`")
	f.Fuzz(func(t *testing.T, set, home string) {
		l, err := NewSlurm([]string{set})
		if err != nil || strings.HasPrefix(strings.TrimSpace(set), "setup") || strings.ContainsAny(home, "\n\r\x00") {
			return
		}
		s := New(home, planned(2))
		l.sweep, l.worker = s, Worker{Args: []string{"work"}}
		lines := strings.Split(strings.TrimSuffix(l.script(batch{tasks: []int{0, 1}}), "\n"), "\n")
		for _, line := range lines[1 : len(lines)-1] {
			if !strings.HasPrefix(line, "#SBATCH --") {
				t.Errorf("%q has the line %q", set, line)
			}
		}
		if exec, ok := strings.CutPrefix(lines[len(lines)-1], "exec "); !ok ||
			strings.Join(unquoted(exec), "\n") != strings.Join([]string{l.worker.Program(s), "work", s.PlanFile()}, "\n") {
			t.Errorf("the last line is %q", lines[len(lines)-1])
		}
	})
}

// unquoted are words in single quotes, as a shell reads them.
func unquoted(line string) (words []string) {
	word, in := "", false
	for k := 0; k < len(line); k++ {
		switch c := line[k]; {
		case c == '\'':
			in = !in
		case !in && c == '\\' && k+1 < len(line):
			k++
			word += line[k : k+1]
		case !in && c == ' ':
			words, word = append(words, word), ""
		default:
			word += line[k : k+1]
		}
	}
	return append(words, word)
}

// A client that says why it failed is quoted, one that is missing says what to do.
func TestSlurmClient(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	must.Fail(t, must.Err(slurm(t.Context(), "", "squeue")), "-dry-run", "a missing program")
	must.Do(t, os.WriteFile(filepath.Join(dir, "squeue"), []byte("#!/bin/sh\necho 'error: no partition' >&2; echo 'do ask' >&2; exit 1\n"),
		0o755))
	if _, err := slurm(t.Context(), "", "squeue"); err == nil || err.Error() != "squeue: error: no partition; do ask" {
		t.Errorf("a program that fails: %v", err)
	}
}
