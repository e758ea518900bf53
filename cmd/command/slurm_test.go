package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// sweepArgs are a sweep of falcon/table1 whose tasks have levels: MAFA needs Con-D fine-tuned, which needs Con-D.
func sweepArgs(more ...string) []string {
	return append(shortest("sweep", "falcon/table1", "-methods", "ALBEF,GRIT-VLP,DiHT,MAFA", "-without", "VQA,NLVR2"),
		append(more, "-set", "epochs=4")...)
}

// sweptFiles are what a sweep has written, by the endings.
func sweptFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, ending := range []string{".csv", ".md"} {
		found, err := filepath.Glob(filepath.Join(dir, "results", "falcon", "*"+ending))
		if err != nil || len(found) != 1 {
			t.Fatalf("got %v (%v), want one file with %s", found, err, ending)
		}
		text := must.Get(os.ReadFile(found[0]))(t)
		files[ending] = string(text)
	}
	return files
}

// On a cluster of three nodes whose tasks and nodes die in the middle a sweep gives the table that it gives on one machine.
func TestSweepOnSlurm(t *testing.T) {
	c := newCluster(t, 3)
	here := t.TempDir()
	succeed(t, here, sweepArgs("-jobs", "2")...)
	want := sweptFiles(t, here)

	there := t.TempDir()
	args := sweepArgs("-launcher", "slurm", "-slurm", "poll_s=1", "-slurm", "timeout_min=5", "-slurm", "cpus_per_task=1")
	command, errs := until(t, " running", there, args...)
	logs := func(index int) string {
		found, err := filepath.Glob(filepath.Join(there, "home", "sweeps", "*", "logs", fmt.Sprint(index)+".log"))
		if err != nil || len(found) != 1 {
			return ""
		}
		text := must.Get(os.ReadFile(found[0]))(t)
		return string(text)
	}
	// Of the first three tasks, one on each node, one is killed, one loses its node, and one is told that its time is up.
	for index := range 3 {
		c.await(t, time.Minute, fmt.Sprintf("task %d trains", index), func() bool { return strings.Contains(logs(index), "step") })
	}
	worker := func(index int) int {
		pids := c.processes(fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", index))
		if len(pids) != 1 {
			t.Fatalf("task %d is done by processes %v, want one\n%s", index, pids, logs(index))
		}
		return pids[0]
	}
	syscall.Kill(worker(0), syscall.SIGKILL)
	node := regexp.MustCompile(`\x00SLURMD_NODENAME=(n\d)\x00`)
	environment := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/environ", worker(1))))(t)
	lost := node.FindSubmatch(environment)
	if lost == nil {
		t.Fatalf("no node in %q", environment)
	}
	syscall.Kill(worker(2), syscall.SIGUSR1)
	c.kill(t, string(lost[1]))
	if status := exit(t, command.Wait()); status != 0 {
		t.Fatalf("status %d: %s", status, errs())
	}
	got := sweptFiles(t, there)
	for ending := range want {
		if got[ending] != want[ending] {
			t.Errorf("%s: got\n%s\nwant\n%s", ending, got[ending], want[ending])
		}
	}
	if told := errs(); !strings.Contains(told, "ended without a result or a word, and is started again (1 of 3)") ||
		!strings.Contains(told, "6 of 6 done") {
		t.Errorf("the sweep told %s", told)
	}
	for index := range 3 {
		if n := strings.Count(logs(index), fmt.Sprintf(": task %d of", index)); n != 2 {
			t.Errorf("task %d was begun %d times, want twice: %s", index, n, logs(index))
		}
	}
	if !strings.Contains(logs(2), "goes on when it is started again: stopped by the signal user defined signal 1") {
		t.Errorf("the log of the task whose time was up: %s", logs(2))
	}
	if state := c.ask("sinfo", "-h", "-n", string(lost[1]), "-o", "%T"); !strings.HasPrefix(state, "down") {
		t.Errorf("the node that was killed is %q", state)
	}
}
