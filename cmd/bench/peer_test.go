package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// torch is a Python that has PyTorch. Without one the test is skipped unless $VLPX_REQUIRE, a list with commas, names torch.
func torch(t *testing.T) python {
	t.Helper()
	found, err := findTorch(t.Context(), false, "/usr/bin/python3", "python3")
	if err == nil {
		return found
	}
	if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "torch") {
		t.Fatalf("VLPX_REQUIRE names torch: %v", err)
	}
	t.Skip(err)
	return python{}
}

// forked is an interpreter that runs a program in a copy of a process which has imported PyTorch, with one thread. It ends with the test.
func forked(t *testing.T, in python) python {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "torch"))(t) // a short name, which a socket's can be made of
	t.Cleanup(func() { os.RemoveAll(dir) })
	script, socket := must.Get(filepath.Abs("testdata/forked.py"))(t), filepath.Join(dir, "socket")
	server := exec.CommandContext(t.Context(), in.path, "-B", script, socket)
	server.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1")
	server.Stderr = t.Output()
	said := must.Get(server.StdoutPipe())(t)
	must.Do(t, server.Start())
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	must.Get(bufio.NewReader(said).ReadString('\n'))(t)
	in.path = program(t, fmt.Sprintf("exec '%s' -S '%s' '%s' \"$@\"", in.path, script, socket))
	return in
}

// PyTorch's step has our losses, before the first update, after it, and after the second.
func TestPeerHasOurLosses(t *testing.T) {
	in, e := forked(t, torch(t)), executor(t)
	for _, c := range []Case{
		tiny(t, "InfoNCE"), tiny(t, "ALBEF"), tiny(t, "ALBEF, momentumqueue=16"), tiny(t, "InfoNCE", "meanpool=false"),
		tiny(t, "InfoNCE", "framework=clip"), tiny(t, "InfoNCE", "framework=clip", "meanpool=false"), tiny(t, "ALBEF", "framework=clip"),
		tiny(t, "InfoNCE", "framework=simclr"), tiny(t, "InfoNCE", "framework=simclr", "basic=false", "stem=0"),
		pixels(t, "InfoNCE"), tiny(t, "GRIT-VLP"), tiny(t, "GRIT-VLP", "framework=clip"), pixels(t, "GRIT-VLP"),
		tiny(t, "FALCON"), tiny(t, "FALCON", "scheduler.objectives=ITC+ITM"), tiny(t, "FALCON", "framework=clip"), pixels(t, "FALCON"),
		tiny(t, "S-ITC"), tiny(t, "MAFA"), pixels(t, "MAFA"), connecting(t, tiny(t, "MAFA"), 0.22, 0.3),
		connecting(t, pixels(t, "MAFA"), 0.62, 0.663),
		tiny(t, "SogCLR"), tiny(t, "GloFND"), tiny(t, "GloFND", "framework=clip"),
		pixels(t, "GloFND", "global.frombatch=false"), // a threshold at a mini-batch's own quantile takes or leaves negatives by rounding
		tiny(t, "GloFND", "global.frombatch=false"),
		tiny(t, "InfoNCE", "half=true"), pixels(t, "InfoNCE", "half=true"), tiny(t, "GRIT-VLP", "half=true"),
		tiny(t, "InfoNCE", "framework=clip", "half=true"), tiny(t, "MAFA", "half=true"),
		tiny(t, "InfoNCE", "framework=simclr", "half=true", "rootrate=0.01"),
		// at its own rate a step of LARS in half doubles rounding many times
	} {
		t.Run(c.name(), func(t *testing.T) {
			p, dir := probe(t, e, c), t.TempDir()
			d := must.Get(describe(c.Run.Train, e.Engine))(t)
			tolerance := []float64{1e-5, 2e-4, 1e-3}
			if d.Half {
				tolerance = d.tolerance()
			} else if c.Run.Train.LARS != (train.LARS{}) {
				tolerance[2] = 5e-3 // LARS and batch normalisation over 8 images double each processor's rounding in every step
			}
			batch, err := p.Load(t.Context())
			if err == nil {
				err = export(dir, d, p, batch)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer batch.Release()
			theirs := must.Get(start(t.Context(), in, way{mode: eager, threads: 1}, dir))(t)
			defer theirs.close()
			ours := &step{probe: p, part: train.Whole, in: batch}
			for k, within := range tolerance {
				want, _ := must.Get2(ours.once())(t)
				got, err := theirs.step(train.Whole)
				if err == nil {
					err = seen{want, within}.same(got)
				}
				if err != nil || !(got.Seconds > 0) {
					t.Errorf("step %d, in %v s: %v", k, got.Seconds, err)
				}
			}
			// The other parts leave the weights as they are.
			before := must.Get(theirs.step(train.Forward))(t)
			after, err := theirs.step(train.Backward)
			if _, momentum := c.Run.Train.Method.Contrast.(negative.Distilled); err != nil || !momentum && !d.Half && !keeps(c) &&
				!maps.Equal(before.Losses, after.Losses) {
				t.Errorf("got %v after a forward pass with %v, %v", after.Losses, before.Losses, err)
			}
		})
	}
}

// keeps tells of a method whose step moves more than weights.
func keeps(c Case) bool { return c.Run.Train.Method.Keeps() }

// pixels is a method's run of BLIP-2 that has its frozen image encoder in it.
func pixels(t *testing.T, method string, set ...string) Case {
	t.Helper()
	return tiny(t, method, append(set, "framework=BLIP-2", "locked.side=0", "frozen=true")...)
}

// connecting is a case of MAFA with thresholds by which its untrained judge finds new positives, true negatives and ambiguous pairs.
func connecting(t *testing.T, c Case, low, high float64) Case {
	t.Helper()
	ecm := c.Run.Train.Method.Positives.(negative.ECM)
	ecm.Low, ecm.High = low, high
	c.Run.Train.Method.Positives, c.Scale = ecm, c.Scale+", with connections"
	return c
}

// The cases of MAFA that are held to PyTorch have all kinds of candidates, and room for the new positives.
func TestConnectingCases(t *testing.T) {
	e := executor(t)
	for _, c := range []Case{connecting(t, tiny(t, "MAFA"), 0.22, 0.3), connecting(t, pixels(t, "MAFA"), 0.62, 0.663)} {
		p, ecm := probe(t, e, c), c.Run.Train.Method.Positives.(negative.ECM)
		batch := must.Get(p.Load(t.Context()))(t)
		defer batch.Release()
		out := must.Get(p.Run(train.Forward, batch))(t)
		defer out.Release()
		images := must.Get(out.Floats(field.ImageScores))(t)
		texts := must.Get(out.Floats(field.TextScores))(t)
		scores := slices.Sorted(slices.Values(slices.Concat(images, texts)))
		low, high := float32(ecm.Low), float32(ecm.High)
		ambiguous := slices.ContainsFunc(scores, func(x float32) bool { return low < x && x < high })
		if !(scores[0] < low && ambiguous && out.Joined > 0 && out.Joined <= p.Room()) {
			t.Errorf("%s: got %d new positives with room for %d, and the scores %v", c.name(), out.Joined, p.Room(), scores)
		}
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
		{tiny(t, "SRCL"), "no SRCL of ALBEF; race InfoNCE, ALBEF, GRIT-VLP, FALCON, MAFA, GloFND, or"},
		{tiny(t, "DiHT", "framework=clip"), "no DiHT of CLIP"},
		{tiny(t, "FNC"), "no FNC of ALBEF"},
		{tiny(t, "MAFA (Oracle)"), "no MAFA (Oracle) of ALBEF"},
		{tiny(t, "TAGS"), "no TAGS of ALBEF"},
		{tiny(t, "SogCLR", "framework=simclr"), "no SogCLR of SimCLR"},
		{tiny(t, "InfoNCE", "framework=GPT-2"), "race ALBEF, CLIP, SimCLR or BLIP-2"},
		{tiny(t, "InfoNCE", "dropout=0.1"), "set dropout=0"},
		{tiny(t, "InfoNCE", "devices=2"), "set devices=0"},
	} {
		_, err := Measure(t.Context(), executor(t), []Case{c.of}, Settings{Kinds: []string{Step}, Peer: true}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.of.name(), err, c.want)
		}
	}
}

// An interpreter that does not answer is waited for no longer than a limit.
func TestTellEnds(t *testing.T) {
	begun := time.Now()
	if text, err := tell(t.Context(), 10*time.Millisecond, program(t, "sleep 60")); err == nil || time.Since(begun) > 30*time.Second {
		t.Errorf("got %q, %v after %v", text, err, time.Since(begun))
	}
}

func TestNoTorch(t *testing.T) {
	_, err := findTorch(t.Context(), false, filepath.Join(t.TempDir(), "python3"), program(t, "exit 1"))
	if !errors.Is(err, ErrNoTorch) || !strings.Contains(err.Error(), "apt install python3-torch") {
		t.Errorf("got %v, want the packages named", err)
	}
}

// program is a shell script in the place of an interpreter.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	must.Do(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	return path
}

func TestPeerThatEnds(t *testing.T) {
	p := must.Get(start(t.Context(), python{path: program(t, "echo 'Traceback' >&2; echo 'MemoryError: too large' >&2")},
		way{mode: eager, threads: 1}, t.TempDir()))(t)
	must.Fail(t, must.Err(p.step(train.Whole)), "PyTorch eager, 1 thread ended: MemoryError: too large")
}

func TestPeerStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := must.Get(start(ctx, python{path: program(t, "exec sleep 60")}, way{mode: eager, threads: 2}, t.TempDir()))(t)
	time.AfterFunc(50*time.Millisecond, cancel)
	begun := time.Now()
	if _, err := p.step(train.Whole); !errors.Is(err, context.Canceled) || time.Since(begun) > 30*time.Second {
		t.Errorf("got %v after %v, want the context's error at once", err, time.Since(begun))
	}
}

func TestPeersThreads(t *testing.T) {
	for _, w := range []way{{eager, 1, false}, {eager, 3, true}} {
		p := must.Get(start(t.Context(),
			python{path: program(t,
				`read part; echo '{"seconds": '$OMP_NUM_THREADS$OPENBLAS_NUM_THREADS.5', "losses": {}}'
				echo "asleep: $OMP_WAIT_POLICY" >&2`)}, w, t.TempDir()))(t)
		a, err := p.step(train.Whole)
		p.close()
		if want := float64(11*w.threads) + 0.5; err != nil || a.Seconds != want ||
			strings.Contains(p.complaint.String(), "PASSIVE") != w.asleep {
			t.Errorf("%s: got %v and %q, %v; want the threads %v", p.name(), a.Seconds, p.complaint.String(), err, want)
		}
	}
}

// A peer whose losses are others is no peer.
func TestPeerOfAnotherStep(t *testing.T) {
	answers := `while read part; do echo '{"seconds": 0.5, "losses": {"ITC": 2}}'; done`
	p := must.Get(start(t.Context(), python{path: program(t, answers)}, way{mode: eager, threads: 1}, t.TempDir()))(t)
	defer p.close()
	itc := func(x float64) outcome { return outcome{losses: map[negative.Loss]float64{negative.ITC: x}} }
	if err := p.check([]seen{{itc(2), 1e-4}, {itc(2.001), 1e-3}}); err != nil {
		t.Errorf("near: got %v", err)
	}
	must.Fail(t, p.check([]seen{{itc(2.001), 1e-4}}), "step 1 of PyTorch eager, 1 thread: its "+
		"ITC is 2, and ours 2.001", "far")
	if a, err := p.step(train.Forward); err != nil || a.Seconds != 0.5 {
		t.Errorf("got %v s, %v", a.Seconds, err)
	}
}

// Ways that cannot win do not race.
func TestQualify(t *testing.T) {
	b := &bench{}
	var peers []*peer
	for k, seconds := range []string{"0.2", "0.1", "0.7"} {
		p := must.Get(start(t.Context(), python{path: program(t, `while read part; do echo '{"seconds": `+seconds+
			`, "losses": {}}'; done`)},
			way{mode: eager, threads: k + 1}, t.TempDir()))(t)
		defer p.close()
		peers = append(peers, p)
	}
	racing, err := b.qualify(tiny(t, "InfoNCE"), peers, slow)
	if err != nil || !slices.Equal(racing, peers[:2]) || len(b.result.Left) != 1 ||
		!strings.Contains(b.result.Left[0], "PyTorch eager, 3 threads, whose step took 7 times") {
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
	for _, w := range (python{compiles: true}).ways(false, nil) {
		name := (&peer{way: w}).name()
		if w.threads < 1 || !strings.Contains(name, w.mode) || names[name] {
			t.Errorf("got %+v, called %q", w, name)
		}
		names[name] = true
	}
	if plain, both := len((python{}).ways(false, nil)), len((python{compiles: true}).ways(false, nil)); both != 2*plain {
		t.Errorf("got %d ways without torch.compile, %d with it", plain, both)
	}
}

// On a GPU PyTorch has to see one, too: a Python that sees none is told of, unless another one does.
func TestTorchOnAGPU(t *testing.T) {
	blind, sees := program(t, "echo 2.9.1 True False"), program(t, "echo 2.11.0 True True")
	found, err := findTorch(t.Context(), true, blind, sees)
	if err != nil || found.path != sees || !found.cuda || !found.compiles {
		t.Errorf("got %+v, %v; want the one that sees a GPU", found, err)
	}
	if _, err = findTorch(t.Context(), true, blind); err == nil ||
		!strings.Contains(err.Error(), "PyTorch 2.9.1 of "+blind+" sees no GPU") {
		t.Errorf("got %v, want that it sees none", err)
	}
	if found, err = findTorch(t.Context(), false, blind, sees); err != nil || found.path != blind {
		t.Errorf("got %+v, %v; want the first on a processor", found, err)
	}
	var names []string
	for _, w := range found.ways(true, nil) {
		names = append(names, w.name())
	}
	if want := []string{"PyTorch eager", "PyTorch compile", "PyTorch compile, reduce-overhead"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if ways := found.ways(true, []string{compiled}); len(ways) != 1 || ways[0].mode != compiled {
		t.Errorf("got %+v, want torch.compile alone", ways)
	}
}

// A step's device and precision are those of the engine.
func TestDescribedDevice(t *testing.T) {
	for _, c := range []struct {
		engine, device string
		tf32           bool
		within         float64
	}{
		{"onnx:cpu", "cpu", false, 1e-4}, {"xla:cuda", "cuda", true, 2e-3}, {"xla:cuda,tf32=false", "cuda", false, 1e-4},
		{"xla:/opt/xla_cuda_plugin.so", "cuda", true, 2e-3},
	} {
		d, err := describe(tiny(t, "InfoNCE").Run.Train, c.engine)
		if err != nil || d.Device != c.device || d.TF32 != c.tf32 || d.tolerance()[0] != c.within {
			t.Errorf("%s: got device %s, TF32 %v, tolerance %v, %v", c.engine, d.Device, d.TF32, d.tolerance(), err)
		}
	}
	half := tiny(t, "InfoNCE", "half=true")
	if d, err := describe(half.Run.Train, "xla:cuda"); err != nil || !d.Half || half.precision("xla:cuda") != bfloat16 {
		t.Errorf("got %+v, %v; want bfloat16", d, err)
	}
}

// Where PyTorch has no such step, ours is measured alone if that is asked for.
func TestAlone(t *testing.T) {
	c := tiny(t, "SRCL")
	s := Settings{Kinds: []string{Step}, Parts: []string{"whole"}, Rounds: 1, Peer: true, Alone: true, Peak: 1e12}
	result, err := Measure(t.Context(), executor(t), []Case{c}, s, nil)
	if err != nil || len(result.Lines) != 1 || len(result.Left) != 1 || !strings.Contains(result.Left[0], "no SRCL of ALBEF") {
		t.Fatalf("got %d lines, %q left out, %v; want ours alone and why", len(result.Lines), result.Left, err)
	}
	if l := result.Lines[0]; math.Abs(l.MFU-l.Operations/l.Median/1e12) > 1e-12 || l.What != "whole step" || l.Precision != "float32" {
		t.Errorf("got %+v, want the whole step in float32 and its share of 1 TFLOP/s", l)
	}
}

func TestImprovementIsHeld(t *testing.T) {
	x, near, far := 0.1, 0.1001, 0.11
	of := seen{outcome{map[negative.Loss]float64{negative.ITC: 2}, &x}, 1e-4}
	for _, c := range []struct {
		got *float64
		ok  bool
	}{{&x, true}, {&near, true}, {&far, false}, {nil, false}} {
		if err := of.same(answer{Losses: map[string]float64{"ITC": 2}, Improvement: c.got}); (err == nil) != c.ok {
			t.Errorf("%v: got %v", c.got, err)
		}
	}
}
