package command

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/cmd/bench"
	"vlpx.internal/internal/test/must"
)

func TestBench(t *testing.T) {
	dir := t.TempDir()
	out, errs, status := executed(t, dir, "bench", "-scale", "tiny", "-framework", "clip", "-batches", "4,8", "-what", "step,sampler",
		"-rounds", "1", "-json")
	var result bench.Result
	if err := json.Unmarshal([]byte(out), &result); err != nil || status != 0 {
		t.Fatalf("got status %d, %v and errors %q", status, err, errs)
	}
	if len(result.Lines) != 8 || result.Engine != "go:ops_sequential" || result.Lines[4].Batch != 8 || result.Lines[0].Framework != "CLIP" {
		t.Errorf("got %d lines on %s, the first %+v", len(result.Lines), result.Engine, result.Lines[0])
	}
	if !strings.Contains(errs, "CLIP, InfoNCE, batch 8 at tiny: sampler") {
		t.Errorf("got %q on standard error, want what is at work", errs)
	}
	path := filepath.Join(dir, "a.json")
	must.Do(t, os.WriteFile(path, []byte(out), 0o644))
	table, errs, status := executed(t, dir, "bench", "-read", path, "-markdown")
	if status != 0 || strings.Count(table, "\n| CLIP, InfoNCE, batch ") != 2 {
		t.Errorf("got status %d, %q and\n%s\nwant the two whole steps", status, errs, table)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-read", filepath.Join(dir, "b.json")}, "b.json"},
		{[]string{"-parts", "half"}, "forward, backward, whole"},
		{[]string{"-modes", "eager"}, "add -peer"},
		{[]string{"-ops"}, "ONNX Runtime on a processor does"},
		{[]string{"-ops", "-costs"}, "measured alone"},
		{[]string{"-peer", "-modes", "quick"}, "eager, compile, reduce-overhead"},
	} {
		if out, errs, status := executed(t, dir, append([]string{"bench", "-scale", "tiny"}, c.args...)...); status == 0 ||
			!strings.Contains(errs, c.want) {
			t.Errorf("%v: got status %d, %q and %q; want %q", c.args, status, out, errs, c.want)
		}
	}
	if out, errs, status = executed(t, dir, "runs"); status != 0 || !strings.Contains(out+errs, "no runs") &&
		strings.Contains(out, "InfoNCE") {
		t.Errorf("got status %d, %q and %q; want a store without runs", status, out, errs)
	}
}

// Runs at once are processes of the command, which end with it.
func TestBenchRunsAtOnce(t *testing.T) {
	dir := t.TempDir()
	out, errs, status := executed(t, dir, "bench", "-scale", "tiny", "-framework", "clip", "-batches", "4", "-what", "step", "-rounds", "1",
		"-runs", "2,3", "-json")
	var result bench.Result
	if err := json.Unmarshal([]byte(out), &result); err != nil || status != 0 {
		t.Fatalf("got status %d, %v and errors %q", status, err, errs)
	}
	if last := result.Lines[len(result.Lines)-1]; len(result.Lines) != 5 || last.What != "whole step, 3 runs at once" || last.Runs != 3 ||
		math.Abs(last.Pairs*last.Median-12) > 1e-9 || !(last.Median > 0) {
		t.Errorf("got %d lines, the last %+v", len(result.Lines), last)
	}
	if _, errs, status = executed(t, dir, "bench", "-scale", "tiny", "-what", "loader", "-runs", "2"); status == 0 ||
		!strings.Contains(errs, "add step") {
		t.Errorf("without steps: status %d, %q", status, errs)
	}
}

// Steps in chunks are made by processes of the command, one after another, each with its own memory.
func TestBenchChunks(t *testing.T) {
	dir := t.TempDir()
	command := []string{"bench", "-scale", "tiny", "-framework", "clip", "-rounds", "1"}
	out, errs, status := executed(t, dir, append(command, "-batches", "2,4", "-chunks", "0,2", "-json")...)
	var result bench.Result
	if err := json.Unmarshal([]byte(out), &result); err != nil || status != 0 {
		t.Fatalf("got status %d, %v and errors %q", status, err, errs)
	}
	var chunks []int
	for _, l := range result.Lines {
		chunks = append(chunks, l.Batch, l.Chunk)
		if runtime.GOOS == "linux" && !(l.Memory > 1<<20) || !(l.Median > 0) || (l.Undivided > 0) != (l.Chunk > 0) {
			t.Errorf("got %+v", l)
		}
	}
	if want := []int{2, 0, 4, 0, 4, 2}; !slices.Equal(chunks, want) {
		t.Errorf("got batches and chunks %v, want %v", chunks, want)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-batches", "2", "-chunks", "4"}, "no mini-batch is larger than chunks of 4"},
		{[]string{"-batches", "4", "-chunks", "0,3"}, "4 pairs in chunks of 3; take a chunk that divides it"},
		{[]string{"-chunks", "2", "-what", "step"}, "measured alone"},
	} {
		if out, errs, status := executed(t, dir, append(command, c.args...)...); status == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got status %d, %q and %q; want %q", c.args, status, out, errs, c.want)
		}
	}
}
