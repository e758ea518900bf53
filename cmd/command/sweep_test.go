package command

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"vlpx.internal/internal/test/must"
)

// A sweep gives the table of reproduce; one that is interrupted keeps what it has, is listed, and goes on.
func TestSweepHere(t *testing.T) {
	one, many := t.TempDir(), t.TempDir()
	succeed(t, one, append([]string{"reproduce"}, sweepArgs()[1:]...)...)
	want := sweptFiles(t, one)
	var largest, all float64
	checkpoints, _ := filepath.Glob(filepath.Join(one, "home", "runs", "*", "*"))
	for _, path := range checkpoints {
		if name := filepath.Base(path); name == "checkpoint" || name == "best" {
			size := float64(must.Get(os.Stat(path))(t).Size()) / 1e6
			largest, all = max(largest, size), all+size
		}
	}

	command, errs := until(t, ": 1 of 4 epochs", many, sweepArgs("-jobs", "2", "-tensorboard", "events")...)
	must.Do(t, command.Process.Signal(syscall.SIGINT))
	if status := exit(t, command.Wait()); status != 130 || !strings.Contains(errs(),
		"of 6 tasks done, and what was begun is kept as checkpoints; the same command goes on from there") {
		t.Errorf("interrupted: status %d, %s", status, errs())
	}
	announced := regexp.MustCompile(`(?m)^\d runs? and a copy of this program will take about ([\d.]+) MB on disk; [\d.]+ MB are free at `)
	program := float64(must.Get(os.Stat(command.Path))(t).Size()) / 1e6
	if said := announced.FindStringSubmatch(errs()); said == nil {
		t.Errorf("nothing is said of the disk: %s", errs())
	} else if mb := must.Get(strconv.ParseFloat(said[1], 64))(t) - program; mb < all+largest-0.1 || mb > 1.3*(all+largest)+0.1 {
		t.Errorf("%.1f MB beside the program were said, and runs keep %.2f, of which the largest keeps %.2f", mb, all, largest)
	}
	if kept, _ := filepath.Glob(filepath.Join(many, "home", "runs", "*", "checkpoint")); len(kept) == 0 {
		t.Error("no checkpoint is kept")
	}
	for _, args := range [][]string{{"list"}, {"runs", "-unfinished"}} {
		if out, _ := succeed(t, many, args...); !strings.Contains(strings.Join(strings.Fields(out), " "), "of 6 done, ") ||
			!strings.Contains(out, "falcon-table1-") {
			t.Errorf("%v printed %s", args, out)
		}
	}
	_, told := succeed(t, many, sweepArgs("-jobs", "2", "-tensorboard", "events")...)
	if !strings.Contains(told, "6 of 6 done") {
		t.Errorf("the second call told %s", told)
	}
	got := sweptFiles(t, many)
	for ending := range want {
		if got[ending] != want[ending] {
			t.Errorf("%s: got\n%s\nwant\n%s", ending, got[ending], want[ending])
		}
	}
	if files, _ := filepath.Glob(filepath.Join(many, "events", "MAFA, seed 1 (*)", "events.out.tfevents.*")); len(files) != 1 {
		t.Errorf("got event files %v of MAFA, want one", files)
	}
	if out, _ := succeed(t, many, "list"); !strings.Contains(out, "6 of 6 done") {
		t.Errorf("list printed %s", out)
	}
	if _, told := succeed(t, many, sweepArgs("-jobs", "2")...); strings.Contains(told, "running") {
		t.Errorf("a sweep with everything there told %s", told)
	}
	if out, _ := succeed(t, many, "prune", "orphans", "-yes"); !strings.Contains(out, "falcon-table1-") {
		t.Errorf("pruning told %s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(many, "home", "sweeps", "*")); len(left) > 0 {
		t.Errorf("pruning left %v", left)
	}
}

// Before a long sweep it is measured how many runs at once are fastest, and nothing but the plan is kept of that.
func TestSweepChoosesJobs(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("there is one processor only")
	}
	dir := t.TempDir()
	args := append(shortest("sweep", "falcon/table1", "-methods", "InfoNCE,ALBEF", "-without", "VQA,NLVR2"), "-set", "epochs=100000")
	command, errs := until(t, " running", dir, args...)
	must.Do(t, command.Process.Signal(syscall.SIGINT))
	if status := exit(t, command.Wait()); status != 130 {
		t.Errorf("interrupted: status %d, %s", status, errs())
	}
	if told := regexp.MustCompile(`runs at once, by steps a second: 2 make [\d.]+, 1 make [\d.]+; taking [12] `); !told.MatchString(
		errs()) {
		t.Errorf("told %s", errs())
	}
}

// What would be submitted is printed, and nothing is written.
func TestSweepDryRun(t *testing.T) {
	dir := t.TempDir()
	out, _ := succeed(t, dir, sweepArgs("-launcher", "slurm", "-slurm", "timeout_min=30", "-dry-run", "-tables", "", "-figures", "")...)
	if strings.Count(out, "#!/bin/sh") != 3 || !strings.Contains(out, "#SBATCH --array=0-3\n") || !strings.Contains(out, "levels below 2") {
		t.Errorf("printed %s", out)
	}
	yaml, _ := succeed(t, dir, sweepArgs("-launcher", "k8s", "-k8s", "image=x", "-k8s", "claim=y", "-dry-run", "-tables", "",
		"-figures", "")...)
	if !strings.Contains(yaml, "completions: 6\n") {
		t.Errorf("printed %s", yaml)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "home")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if _, told := succeed(t, dir, sweepArgs("-launcher", "k8s", "-k8s", "image=x", "-k8s", "claim=y")...); !strings.Contains(told,
		"plan.json; start the job by kubectl") {
		t.Errorf("told %s", told)
	}
}
