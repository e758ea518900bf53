package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// The tables and figures of the five papers.
func TestListNamesEveryArtifact(t *testing.T) {
	var want []string
	for _, paper := range []struct {
		name            string
		tables          int
		figures, others []string
	}{
		{"falcon", 6, []string{"2", "4", "5", "6"}, []string{"D.1", "D.2", "D.3"}},
		{"mafa", 20, []string{"2", "5", "6", "7", "8"}, nil},
		{"glofnd", 8, []string{"1", "5", "6"}, []string{"tsne", "lambda", "predfn", "warmup", "batchwise", "stats"}},
		{"srcl", 5, []string{"3", "4", "5", "6", "7", "8"}, nil},
		{"tags", 5, []string{"1", "3", "4"}, nil},
		{"vlpx", 0, nil, []string{"reward", "policy", "quantile", "density", "clip", "human", "agreement", "con-d", "leftout", "written",
			"tagged", "blip2", "questions", "captions", "map", "scheduler", "ceilings", "ceilings-images",
			"ceilings-written"}},
	} {
		for i := range paper.tables {
			want = append(want, fmt.Sprintf("%s/table%d", paper.name, i+1))
		}
		for _, figure := range paper.figures {
			want = append(want, paper.name+"/figure"+figure)
		}
		for _, other := range paper.others {
			want = append(want, paper.name+"/"+other)
		}
	}
	dir := t.TempDir()
	text, _ := succeed(t, dir, "list", "-json")
	var all []listed
	must.Do(t, json.Unmarshal([]byte(text), &all))
	var got []string
	for _, a := range all {
		got = append(got, a.ID)
		if a.Title == "" || a.Status != "ready" || !strings.HasPrefix(a.ID, a.Paper+"/") {
			t.Errorf("got %+v, want title, paper, and all of it ready", a)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	listtest.Equal(t, "artifacts", got, want)
	if !strings.Contains(text, `"shipped": []`) || strings.Contains(text, `"shipped": null`) {
		t.Error("of an artifact that is not shipped there is no empty list")
	}
	table, _ := succeed(t, dir, "list")
	if !regexp.MustCompile(`(?m)^vlpx/map .* 24 of 24 rows, 5 seeds, scenes `).MatchString(table) ||
		!regexp.MustCompile(`(?m)^falcon/D.2 .* 12 of 12 rows, `).MatchString(table) || // two of them by another table
		!regexp.MustCompile(`(?m)^srcl/figure7 .* docs/GALLERY.md, scenes `).MatchString(table) ||
		!regexp.MustCompile(`(?m)^glofnd/table4 .* – `).MatchString(table) {
		t.Errorf("the table does not say what is shipped:\n%s", table)
	}
	for _, id := range want {
		if !strings.Contains(table, id+" ") {
			t.Errorf("the table does not name %s", id)
		}
	}
}

// reproduce writes four files; asked again it runs nothing and writes the same.
func TestReproduceTwice(t *testing.T) {
	dir := t.TempDir()
	args := shortest("reproduce", "falcon/table1", "-methods", "InfoNCE", "-out", "out")
	var before map[string]string
	for call := range 2 {
		out, errs := succeed(t, dir, args...)
		files := map[string]string{}
		for _, ending := range []string{".md", ".csv", ".json", ".png"} {
			name := filepath.Join("out", "falcon", "table1-tiny-scenes-train-16-scenes-test-d1c782de"+ending)
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || len(text) == 0 || !strings.Contains(out, "wrote "+name) {
				t.Errorf("%s: %d bytes (%v), output %q; want it written and told", name, len(text), err, out)
			}
			files[ending] = string(text)
		}
		if trained := strings.Contains(errs, "step"); trained != (call == 0) {
			t.Errorf("call %d: got trained %v: %s", call, trained, errs)
		}
		if !json.Valid([]byte(files[".json"])) || !strings.HasPrefix(files[".png"], "\x89PNG") {
			t.Errorf("call %d: got no JSON or no PNG", call)
		}
		if call == 1 && !reflect.DeepEqual(files, before) {
			t.Error("the second call wrote other files than the first")
		}
		before = files
	}
	if out, _ := succeed(t, dir, shortest("show", "falcon/table1", "-methods", "InfoNCE")...); !strings.Contains(out, "InfoNCE") {
		t.Errorf("show printed %q", out)
	}
	if out, _ := succeed(t, dir, shortest("eval", "InfoNCE", "-split", "val")...); !strings.Contains(out, "split val") {
		t.Errorf("eval printed %q", out)
	}
	classes, _ := succeed(t, dir, shortest("eval", "InfoNCE", "-task", "classes", "-prompts", "an object on {}")...)
	if !strings.Contains(classes, "class top-1") || strings.Contains(classes, "TR@1") {
		t.Errorf("eval by classes printed %q", classes)
	}
	for task, want := range map[string]string{
		"neighbours": "neighbours", "linear": "linear average", "transfer": "transfer scenes' shape top-1",
		"thresholds": "text in-batch RMSE",
	} {
		if out, _ := succeed(t, dir, shortest("eval", "InfoNCE", "-task", task)...); !strings.Contains(out, want) ||
			strings.Contains(out, "TR@1") {
			t.Errorf("eval by %s printed %q", task, out)
		}
	}
	if out, _ := succeed(t, dir, "show", "tasks"); !strings.Contains(out, "class top-1") || !strings.Contains(out, "TR@1") ||
		!strings.Contains(out, "linear 0.1%") {
		t.Errorf("show tasks printed %q", out)
	}
	out, _ := succeed(t, dir, "doctor", "-speed")
	if !strings.Contains(out, "4 finished runs") || !strings.Contains(out, "go:ops_sequential") ||
		!strings.Contains(out, "encoder  none to lock") || !strings.Contains(out, "-regions FOLDER") ||
		strings.Contains(out, "speed    0 ") {
		t.Errorf("doctor printed %q", out)
	}
}

// What was made of other settings, or of other methods, is not written over.
func TestFilesOfTheirOwnName(t *testing.T) {
	dir := t.TempDir()
	written := map[string]string{}
	for _, args := range [][]string{
		{"reproduce", "falcon/table5"}, {"reproduce", "falcon/table5", "-set", "temperature=.1"},
		{"compare", "InfoNCE"}, {"compare", "InfoNCE, temperature=.1"},
	} {
		succeed(t, dir, shortest(args...)...)
		found, err := filepath.Glob(filepath.Join(dir, "results", "*", "*.json"))
		if err != nil || len(found) != len(written)+1 {
			t.Fatalf("%v: got files %v (%v), want one more than %d", args, found, err, len(written))
		}
		for _, name := range found {
			text := must.Get(os.ReadFile(name))(t)
			if before, ok := written[name]; ok && before != string(text) {
				t.Errorf("%v: %s was written over", args, name)
			}
			written[name] = string(text)
		}
	}
}

// only reads the one result of a store.
func only(t *testing.T, dir string) run.Result {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "home", "runs", "*", "result.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("got results %v (%v), want one", found, err)
	}
	text := must.Get(os.ReadFile(found[0]))(t)
	var result run.Result
	must.Do(t, json.Unmarshal(text, &result))
	return result
}

// sameNumbers compares what does not depend on the clock.
func sameNumbers(t *testing.T, what string, got, want run.Result) {
	t.Helper()
	if !reflect.DeepEqual(got.Metrics, want.Metrics) || !reflect.DeepEqual(got.Epochs, want.Epochs) || len(want.Metrics) == 0 {
		t.Errorf("%s: got\n%v\n%+v\nwant\n%v\n%+v", what, got.Metrics, got.Epochs, want.Metrics, want.Epochs)
	}
}

// A program that is killed at any moment loses no more than time: while it starts, and soon after a checkpoint of its own.
func TestKilledTenTimes(t *testing.T) {
	args := shortest("train", "GRIT-VLP", "-set", "epochs=90")
	whole := t.TempDir()
	succeed(t, whole, args...)
	dir := t.TempDir()
	checkpoint := func() (written time.Time) {
		found := must.Get(filepath.Glob(filepath.Join(dir, "home", "runs", "*", train.CheckpointName)))(t)
		for _, name := range found {
			if info, err := os.Stat(name); err == nil {
				written = info.ModTime()
			}
		}
		return written
	}
	draw := rand.New(rand.NewPCG(1, 2))
	killed, kept := 0, 0
	for k := range 10 {
		c, _, errs := prepared(dir, args...)
		before := checkpoint()
		must.Do(t, c.Start())
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for deadline := time.Now().Add(time.Minute); k%2 == 1 && checkpoint().Equal(before) &&
			len(ended) == 0; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("no checkpoint in a minute")
			}
		}
		wait := draw.IntN(30)
		if k%2 == 0 {
			wait = 50 + draw.IntN(250)
		}
		time.Sleep(time.Duration(wait) * time.Millisecond)
		if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		switch status := exit(t, <-ended); status {
		case -1:
			killed++
			if !checkpoint().IsZero() {
				kept++
			}
		case 0:
		default:
			t.Fatalf("status %d: %s", status, errs)
		}
	}
	if kept == 0 {
		t.Errorf("killed %d times, never with a checkpoint to go on from; the program is faster than this test thinks", killed)
	}
	succeed(t, dir, args...)
	sameNumbers(t, fmt.Sprintf("after %d kills, %d of them with a checkpoint", killed, kept), only(t, dir), only(t, whole))
	left, err := filepath.Glob(filepath.Join(dir, "home", "runs", "*", ".checkpoint*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	t.Logf("killed %d times, %d of them with a checkpoint", killed, kept)
}

// Ctrl-C keeps a checkpoint, says so, and the same command goes on to the same numbers.
func TestInterrupted(t *testing.T) {
	for _, command := range [][]string{{"reproduce", "falcon/table1", "-methods", "ALBEF", "-without", "NLVR2,VQA"}, {"train", "ALBEF"}} {
		t.Run(command[0], func(t *testing.T) {
			args := append(shortest(command...), "-set", "epochs=4")
			whole, dir := t.TempDir(), t.TempDir()
			succeed(t, whole, args...)
			c, errs := until(t, "seed 1: step ", dir, args...)
			must.Do(t, c.Process.Signal(os.Interrupt))
			if status := exit(t, c.Wait()); status != 130 {
				t.Errorf("got status %d, want 130: %s", status, errs())
			}
			lines := strings.Split(strings.TrimSpace(errs()), "\n")
			want := "vlpx: stopped: 0 of 1 runs are kept, and a checkpoint of ALBEF, seed 1; the same command goes on from there"
			if got := lines[len(lines)-1]; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			succeed(t, dir, args...)
			sameNumbers(t, "after Ctrl-C", only(t, dir), only(t, whole))
		})
	}
}

// Two programs on one store share the run: one makes it, the other waits and has it, too.
func TestTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	args := append(shortest("train", "InfoNCE"), "-set", "epochs=4")
	var outs, errs [2]string
	var both sync.WaitGroup
	for i := range outs {
		both.Go(func() {
			c, out, err := prepared(dir, args...)
			if failed := c.Run(); failed != nil {
				t.Errorf("%v: %s", failed, err)
			}
			outs[i], errs[i] = out.String(), err.String()
		})
	}
	both.Wait()
	if outs[0] != outs[1] || !strings.Contains(outs[0], only(t, dir).ID) {
		t.Errorf("got outputs\n%s\nand\n%s\nwant the same", outs[0], outs[1])
	}
	if strings.Contains(errs[0], "seed 1: step ") && strings.Contains(errs[1], "seed 1: step ") {
		t.Errorf("both trained:\n%s\n%s", errs[0], errs[1])
	}
}

// A program that waits for another one's run can be stopped, too.
func TestInterruptedWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	args := append(shortest("train", "InfoNCE"), "-set", "epochs=200")
	first, _ := until(t, "seed 1: step ", dir, args...)
	second, _ := until(t, "another process is at InfoNCE, seed 1; waiting for it", dir, args...)
	for _, c := range []*exec.Cmd{second, first} {
		must.Do(t, c.Process.Signal(syscall.SIGTERM))
		if status := exit(t, c.Wait()); status != 130 {
			t.Errorf("got status %d, want 130", status)
		}
	}
}

// A program that is still planning, which hears of no signal, ends within a second or so of one.
func TestEndedWhilePlanning(t *testing.T) {
	var seeds []string
	for seed := range 1000 {
		seeds = append(seeds, strconv.Itoa(seed+1))
	}
	for _, by := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(by) {
			continue // under nohup, where the program does not hear of it, either
		}
		c, _, errs := prepared(t.TempDir(), "show", "falcon/table1", "-scale", "tiny", "-seeds", strings.Join(seeds, ","))
		must.Do(t, c.Start())
		time.Sleep(time.Second) // it must have begun to listen, also on a busy machine
		must.Do(t, c.Process.Signal(by))
		asked := time.Now()
		if status := exit(t, c.Wait()); status != 130 {
			t.Errorf("%v: got status %d, want 130: %s", by, status, errs)
		}
		if took := time.Since(asked); took > 3*time.Second {
			t.Errorf("%v: it took %v", by, took)
		}
	}
	if _, errs, status := executed(t, t.TempDir(), "show", "falcon/table1", "-seeds", strings.Join(seeds, ",")+",1001"); status != 1 ||
		!strings.Contains(errs, "1001 seeds; use at most 1000") {
		t.Errorf("1001 seeds: status %d, %q", status, errs)
	}
}
