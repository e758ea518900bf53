package lab

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/cell"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// watched is a screen that keeps what it is given.
type watched struct {
	mu       sync.Mutex
	said     []string
	shown    [][]any
	texts    []string // of blocks
	pictures int
}

func (w *watched) Show(what ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shown = append(w.shown, what)
	return nil
}

func (w *watched) Say(lines ...string) { w.said = append(w.said, lines...) }

func (w *watched) Block() cell.Block { return watchedBlock{w} }

func (w *watched) Live() bool { return true }

func (w *watched) Close() error { return nil }

type watchedBlock struct{ *watched }

func (b watchedBlock) Head(...string) {}

func (b watchedBlock) Set(text string, picture plots.Drawing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts = append(b.texts, text)
	if picture != nil {
		b.pictures++
	}
}

func (b watchedBlock) Erase() {}

// person works a form: each entry waits until a status holds the text, and then does the event.
type person struct {
	t      *testing.T
	events chan cell.Event
	script []step
	mu     sync.Mutex
	told   []string
}

type step struct {
	when string
	do   []cell.Event
	wait func() // before the events, if not nil
}

func (p *person) Events() <-chan cell.Event { return p.events }

func (p *person) Status(text string, _ ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, text)
	if len(p.script) > 0 && strings.Contains(text, p.script[0].when) {
		go func(s step) {
			if s.wait != nil {
				s.wait()
			}
			for _, e := range s.do {
				p.events <- e
			}
		}(p.script[0])
		p.script = p.script[1:]
	}
}

func work(t *testing.T, o Options, script ...step) (*watched, *person, *Report) {
	t.Helper()
	screen, p := &watched{}, &person{t: t, events: make(chan cell.Event, 16), script: script}
	b := must.Get(newBench(o, screen))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	report := must.Get(b.serve(ctx, p))(t)
	if len(p.script) > 0 {
		t.Fatalf("the bench never said %q; it said %q", p.script[0].when, p.told)
	}
	return screen, p, report
}

func press(name string) cell.Event { return cell.Event{Name: name} }

// A person composes a method, runs it, and compares it with the plain one.
func TestBench(t *testing.T) {
	o := smallest(t.TempDir())
	o.Own = []negative.Method{{Name: "mine", Contrast: negative.Consistency{Weight: 0.7}}}
	screen, _, report := work(t, o,
		step{when: "compose", do: []cell.Event{{Name: "contrast", Value: "smoothed"}, {Name: "alpha", Value: "0.25"}}},
		step{when: "smoothed, alpha 0.25: press Run", do: []cell.Event{press("run")}},
		step{when: "trained: smoothed, alpha 0.25", do: []cell.Event{press("compare")}},
		step{when: "trained: plain; mine; smoothed", do: []cell.Event{press("finish")}})
	if len(screen.shown) != 2 || len(report.Rows) != 3 || report.Rows[2].Name != "smoothed, alpha 0.25" ||
		report.Rows[1].Status != "ready" {
		t.Errorf("%d reports were shown, the last with the rows %v", len(screen.shown), report.Rows)
	}
}

// Stop keeps a checkpoint, and Run goes on from it. What cannot be composed is said, and the bench goes on.
func TestBenchStops(t *testing.T) {
	o := smallest(t.TempDir())
	o.Set = append(o.Set, "epochs=400")
	trains := func() {
		for t.Context().Err() == nil {
			if files, _ := filepath.Glob(filepath.Join(o.Home, "runs", "*", train.CurvesName)); len(files) > 0 {
				if text, _ := os.ReadFile(files[0]); len(text) > 0 {
					return
				}
			}
			time.Sleep(time.Millisecond)
		}
	}
	_, p, _ := work(t, o,
		step{when: "compose", do: []cell.Event{{Name: "positives", Value: "connections, learned"}, {Name: "contrast", Value: "regulated"}}},
		step{when: "one reference model", do: []cell.Event{{Name: "positives", Value: "none"}, {Name: "contrast", Value: "InfoNCE"}}},
		step{when: "plain: press Run", do: []cell.Event{press("run")}},
		step{when: "training", do: []cell.Event{press("stop")}, wait: trains},
		step{when: "goes on from there", do: []cell.Event{press("finish")}})
	if said := strings.Join(p.told, "\n"); !strings.Contains(said, "stopped: 0 of 1 runs are kept, and a checkpoint of plain, seed 1") {
		t.Errorf("it said %q", said)
	}
}

// A control that gets what it cannot have while a run trains says so, and the run goes on: nothing trains behind the bench's back.
func TestBenchHearsMistakesWhileItTrains(t *testing.T) {
	o := smallest(t.TempDir())
	o.Set = append(o.Set, "epochs=400")
	_, p, _ := work(t, o,
		step{when: "compose", do: []cell.Event{press("run")}},
		step{when: "training", do: []cell.Event{{Name: "alpha", Value: "much"}}},
		step{when: `"much" is no number from 0 to 1; training; Stop`, do: []cell.Event{{Name: "colour", Value: "red"}}},
		step{when: `no control "colour"; training; Stop`, do: []cell.Event{press("stop")}},
		step{when: "goes on from there", do: []cell.Event{press("finish")}})
	if last := p.told[len(p.told)-1]; !strings.Contains(last, "stopped: 0 of 1 runs are kept") {
		t.Errorf("it said %q last, want that the run was stopped", last)
	}
}

// Whatever a page sends, a bench's controls keep values that they can have, and a mistake is told and changes nothing.
func FuzzBenchEvents(f *testing.F) {
	f.Add("seeds", "3")
	f.Add("seeds", "1e18")
	f.Add("quantile", "NaN")
	f.Add("search space", "-1")
	f.Add("temperature", "0x1p-4")
	f.Add("contrast", "smoothed")
	f.Add("positives", "")
	f.Add("colour", "red")
	o := smallest(f.TempDir())
	f.Fuzz(func(t *testing.T, name, value string) {
		b := must.Get(newBench(o, &watched{}))(t)
		was := *b
		was.now.Parts = maps.Clone(b.now.Parts)
		if err := b.set(name, value); err != nil {
			if !reflect.DeepEqual(b.now, was.now) || b.seeds != was.seeds {
				t.Fatalf("%q=%q: %v, and yet %+v with %d seeds became %+v with %d", name, value, err, was.now, was.seeds, b.now, b.seeds)
			}
			return
		}
		if seeds := b.withSeeds().Seeds; len(seeds) < 1 || len(seeds) > 5 {
			t.Fatalf("%q=%q: %d seeds", name, value, len(seeds))
		}
		if n := b.now; n.SearchSpace < 1 || !(n.Quantile >= 0 && n.Quantile <= 1) || !(n.Alpha >= 0 && n.Alpha <= 1) ||
			!(n.Temperature > 0) {
			t.Fatalf("%q=%q: %+v", name, value, n)
		}
		if _, err := b.now.Row(); err != nil && !strings.Contains(err.Error(), "one reference model") {
			t.Fatalf("%q=%q cannot be composed: %v", name, value, err)
		}
		b.describe("")
	})
}

// The curves of a run appear while it trains.
func TestLiveCurves(t *testing.T) {
	o := smallest(t.TempDir())
	grid := must.Get(OpenComparison([]string{"InfoNCE", "ALBEF"}, o))(t)
	var last Progress
	must.Do(t, grid.Make(t.Context(), func(p Progress) { last = p }))
	if last.Method != "ALBEF" || last.Training.Step != last.Training.Steps {
		t.Fatalf("the last news is %v", last)
	}
	drawing, err := grid.curves(last)
	f, ok := drawing.(plots.Figure)
	if err != nil || !ok || len(f.Panels) != 2 {
		t.Fatalf("curves %v, want two panels", f)
	}
	losses, recall := f.Panels[0].(plots.Lines), f.Panels[1].(plots.Lines)
	if len(losses.Series) != 3 || len(losses.Series[0].X) != 2 || losses.Series[0].X[1] != 10 {
		t.Errorf("losses %v, want three of two points, at the beginning of each epoch", losses.Series)
	}
	if len(recall.Series) != 2 || recall.Series[1].Name != "ALBEF" || len(recall.Series[1].X) != 2 {
		t.Errorf("recall %v, want that of both methods after two epochs", recall.Series)
	}
	screen := &watched{}
	shows := func(what string, is func() bool) {
		t.Helper()
		l := follow(grid, screen.Block(), true)
		defer l.close()
		l.hear(last)
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			screen.mu.Lock()
			shown := is()
			screen.mu.Unlock()
			if shown {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("no %s within a minute", what)
			}
		}
	}
	shows("picture", func() bool { return screen.pictures > 0 })

	// Curves that are damaged, here those of the other run, are told.
	damaged := filepath.Join(grid.Store.Dir(grid.Plan.Runs()[0]), train.CurvesName)
	must.Do(t, os.WriteFile(damaged, []byte("{}}\n"), 0o644))
	shows("complaint", func() bool {
		return strings.Contains(strings.Join(screen.texts, ""), "no curves: train: "+damaged+": line 1")
	})
}

// As many seeds as the slider says: those asked for first, then the lowest others.
func TestBenchSeeds(t *testing.T) {
	for _, c := range []struct {
		asked []uint64
		n     int
		want  []uint64
	}{
		{nil, 2, []uint64{1, 2}},
		{[]uint64{7, 2}, 4, []uint64{7, 2, 1, 3}},
		{[]uint64{7, 2}, 1, []uint64{7}},
	} {
		b := &composer{options: Options{Seeds: c.asked}, seeds: c.n}
		if got := b.withSeeds().Seeds; !slices.Equal(got, c.want) {
			t.Errorf("%v, %d seeds: got %v, want %v", c.asked, c.n, got, c.want)
		}
	}
}
