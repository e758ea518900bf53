package benchmark

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// torch is a Python that has PyTorch. Without one the test is skipped unless $VLPX_REQUIRE, a list with commas, names torch.
func torch(t *testing.T) python {
	t.Helper()
	found, err := findTorch(t.Context(), "/usr/bin/python3", "python3")
	if err == nil {
		return found
	}
	if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "torch") {
		t.Fatalf("VLPX_REQUIRE names torch: %v", err)
	}
	t.Skip(err)
	return python{}
}

// PyTorch's step has our losses, before the first update, after it, and after the second.
func TestPeerHasOurLosses(t *testing.T) {
	in, e := torch(t), executor(t)
	for _, c := range []Case{
		tiny(t, "InfoNCE"), tiny(t, "ALBEF"), tiny(t, "ALBEF, momentumqueue=16"), tiny(t, "InfoNCE", "meanpool=false"),
		tiny(t, "InfoNCE", "framework=clip"), tiny(t, "InfoNCE", "framework=clip", "meanpool=false"), tiny(t, "ALBEF", "framework=clip"),
		tiny(t, "InfoNCE", "framework=simclr"), tiny(t, "InfoNCE", "framework=simclr", "basic=false", "stem=0"),
	} {
		t.Run(c.name(), func(t *testing.T) {
			p, dir := probe(t, e, c), t.TempDir()
			batch, err := p.Load(t.Context())
			if err == nil {
				err = export(dir, c.Run.Train, p, batch)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer batch.Release()
			theirs, err := start(t.Context(), in, way{mode: eager, threads: 1}, dir)
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.close()
			ours := &step{probe: p, part: train.Whole, in: batch}
			for k, within := range []float64{1e-5, 2e-4, 1e-3} {
				want, _, err := ours.once()
				if err != nil {
					t.Fatal(err)
				}
				got, err := theirs.step(train.Whole)
				if err == nil {
					err = same(got.Losses, want.Losses, within)
				}
				if err != nil || !(got.Seconds > 0) {
					t.Errorf("step %d, in %v s: %v", k, got.Seconds, err)
				}
			}
			// The other parts leave the weights as they are.
			before, err := theirs.step(train.Forward)
			if err != nil {
				t.Fatal(err)
			}
			after, err := theirs.step(train.Backward)
			if _, momentum := c.Run.Train.Method.Contrast.(negative.Distilled); err != nil || !momentum && !maps.Equal(before.Losses, after.Losses) {
				t.Errorf("got %v after a forward pass with %v, %v", after.Losses, before.Losses, err)
			}
		})
	}
}

func TestSame(t *testing.T) {
	want := map[negative.Loss]float64{negative.ITC: 2, negative.ITM: 1}
	for _, c := range []struct {
		name string
		got  map[string]float64
		ok   bool
	}{
		{"the same", map[string]float64{"ITC": 2, "ITM": 1}, true},
		{"near", map[string]float64{"ITC": 2.0001, "ITM": 1}, true},
		{"far", map[string]float64{"ITC": 2.001, "ITM": 1}, false},
		{"no number", map[string]float64{"ITC": math.NaN(), "ITM": 1}, false},
		{"one missing", map[string]float64{"ITC": 2}, false},
		{"one more", map[string]float64{"ITC": 2, "ITM": 1, "MLM": 3}, false},
	} {
		if err := same(c.got, want, 1e-4); (err == nil) != c.ok {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

func TestPeerIsRefused(t *testing.T) {
	for _, c := range []struct {
		of   Case
		want string
	}{
		{tiny(t, "GRIT-VLP"), "no GRIT-VLP of ALBEF; race InfoNCE or ALBEF"},
		{tiny(t, "FALCON", "framework=clip"), "no FALCON of CLIP"},
		{tiny(t, "SogCLR", "framework=simclr"), "no SogCLR of SimCLR"},
		{tiny(t, "InfoNCE", "framework=GPT-2"), "race ALBEF, CLIP or SimCLR"},
		{tiny(t, "InfoNCE", "dropout=0.1"), "set dropout=0"},
		{tiny(t, "InfoNCE", "half=true"), "set half=false"},
	} {
		_, err := Measure(t.Context(), executor(t), []Case{c.of}, Settings{Kinds: []string{Step}, Peer: true}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.of.name(), err, c.want)
		}
	}
}

func TestNoTorch(t *testing.T) {
	_, err := findTorch(t.Context(), filepath.Join(t.TempDir(), "python3"), program(t, "exit 1"))
	if !errors.Is(err, ErrNoTorch) || !strings.Contains(err.Error(), "apt install python3-torch") {
		t.Errorf("got %v, want the packages named", err)
	}
}

// program is a shell script in the place of an interpreter.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPeerThatEnds(t *testing.T) {
	p, err := start(t.Context(), python{path: program(t, "echo 'Traceback' >&2; echo 'MemoryError: too large' >&2")}, way{mode: eager, threads: 1}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.step(train.Whole); err == nil || !strings.Contains(err.Error(), "PyTorch eager, 1 thread ended: MemoryError: too large") {
		t.Errorf("got %v, want its last words", err)
	}
}

func TestPeerStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := start(ctx, python{path: program(t, "exec sleep 60")}, way{mode: eager, threads: 2}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	begun := time.Now()
	if _, err := p.step(train.Whole); !errors.Is(err, context.Canceled) || time.Since(begun) > 30*time.Second {
		t.Errorf("got %v after %v, want the context's error at once", err, time.Since(begun))
	}
}

func TestPeersThreads(t *testing.T) {
	for _, w := range []way{{eager, 1, false}, {eager, 3, true}} {
		p, err := start(t.Context(), python{path: program(t, `read part; echo '{"seconds": '$OMP_NUM_THREADS$OPENBLAS_NUM_THREADS.5', "losses": {}}'; echo "asleep: $OMP_WAIT_POLICY" >&2`)}, w, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.step(train.Whole)
		p.close()
		if want := float64(11*w.threads) + 0.5; err != nil || a.Seconds != want || strings.Contains(p.complaint.String(), "PASSIVE") != w.asleep {
			t.Errorf("%s: got %v and %q, %v; want the threads %v", p.name(), a.Seconds, p.complaint.String(), err, want)
		}
	}
}

// A peer whose losses are others is no peer.
func TestPeerOfAnotherStep(t *testing.T) {
	answers := `while read part; do echo '{"seconds": 0.5, "losses": {"ITC": 2}}'; done`
	p, err := start(t.Context(), python{path: program(t, answers)}, way{mode: eager, threads: 1}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	itc := func(x float64) map[negative.Loss]float64 { return map[negative.Loss]float64{negative.ITC: x} }
	if err := p.check([]map[negative.Loss]float64{itc(2), itc(2.001)}); err != nil {
		t.Errorf("near: got %v", err)
	}
	if err := p.check([]map[negative.Loss]float64{itc(2.001)}); err == nil || !strings.Contains(err.Error(), "step 1 of PyTorch eager, 1 thread: its ITC is 2, and ours 2.001") {
		t.Errorf("far: got %v", err)
	}
	if a, err := p.step(train.Forward); err != nil || a.Seconds != 0.5 {
		t.Errorf("got %v s, %v", a.Seconds, err)
	}
}

// Ways that cannot win do not race.
func TestQualify(t *testing.T) {
	b := &bench{}
	var peers []*peer
	for k, seconds := range []string{"0.2", "0.1", "0.7"} {
		p, err := start(t.Context(), python{path: program(t, `while read part; do echo '{"seconds": `+seconds+`, "losses": {}}'; done`)}, way{mode: eager, threads: k + 1}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		peers = append(peers, p)
	}
	racing, err := b.qualify(tiny(t, "InfoNCE"), peers)
	if err != nil || !slices.Equal(racing, peers[:2]) || len(b.result.Left) != 1 || !strings.Contains(b.result.Left[0], "PyTorch eager, 3 threads, whose step took 7 times") {
		t.Errorf("got %d racing, %q left out, %v", len(racing), b.result.Left, err)
	}
}

func TestCompare(t *testing.T) {
	lines := []Line{{What: "a", Median: 2}, {What: "b", Median: 1}, {What: "a", By: "one", Median: 4}, {What: "a", By: "two", Median: 3}}
	if compare(lines); lines[0].Ratio != 1.5 || lines[1].Ratio != 0 || lines[2].Ratio != 0 {
		t.Errorf("got the ratios %v, %v and %v; want 1.5 for what raced", lines[0].Ratio, lines[1].Ratio, lines[2].Ratio)
	}
}

func TestWays(t *testing.T) {
	names := map[string]bool{}
	for _, w := range (python{compiles: true}).ways() {
		name := (&peer{way: w}).name()
		if w.threads < 1 || !strings.Contains(name, w.mode) || names[name] {
			t.Errorf("got %+v, called %q", w, name)
		}
		names[name] = true
	}
	if plain, both := len((python{}).ways()), len((python{compiles: true}).ways()); both != 2*plain {
		t.Errorf("got %d ways without torch.compile, %d with it", plain, both)
	}
}
