package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

var update = flag.Bool("update", false, "write the numbers of TestPinned into their file")

// pinnedName is the file of the pinned numbers. go test ./vlpx/papers/catalogue -run TestPinned -update writes it.
const pinnedName = "testdata/pinned.json"

// Numbers may differ from the pinned ones by these shares: those of the first step, and those after an update, which grow apart where
// processors or a math library round otherwise.
const (
	pinnedFirst = 1e-5
	pinnedLater = 1e-4
	// pinnedOnEngines is for other engines than pure Go.
	pinnedOnEngines = 1e-3
)

// pins are the losses that runs gave, by the runs' identities. An identity stands for its numbers, so that a pinned number never
// changes: with the configuration or with format the identity does.
type pins struct {
	Format int
	Runs   map[string]pin
}

// pin is what a run told.
type pin struct {
	Method string
	// of some steps, the first one among them: ITC, ITM, MLM, norm of the gradient, temperature, improvement and further losses
	Steps  []numbers
	Epochs []numbers // ITC, ITM and MLM, and further losses
}

type numbers []float64

// MarshalJSON writes eight digits, which is what float32 has.
func (n numbers) MarshalJSON() ([]byte, error) {
	var text []string
	for _, x := range n {
		text = append(text, strconv.FormatFloat(x, 'g', 8, 64))
	}
	return []byte("[" + strings.Join(text, ",") + "]"), nil
}

// write writes the file, a line a run, by the names of methods.
func (p pins) write(t *testing.T) {
	t.Helper()
	var lines []string
	ids := slices.SortedFunc(maps.Keys(p.Runs), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.Runs[a].Method, p.Runs[b].Method), cmp.Compare(a, b))
	})
	for _, id := range ids {
		line := must.Get(json.Marshal(p.Runs[id]))(t)
		lines = append(lines, fmt.Sprintf("%q: %s", id, line))
	}
	text := fmt.Sprintf("{\"Format\": %d, \"Runs\": {\n%s\n}}\n", p.Format, strings.Join(lines, ",\n"))
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(pinnedName), 0o755), os.WriteFile(pinnedName, []byte(text), 0o644)))
}

// near tells whether all numbers are those that are wanted, but for a share.
func (n numbers) near(want numbers, share float64) bool {
	return slices.EqualFunc(n, want, func(a, b float64) bool { return math.Abs(a-b) <= share*math.Abs(b)+1e-6 })
}

// is tells whether a run told what is pinned.
func (p pin) is(want pin) bool {
	share := pinnedFirst
	steps := slices.EqualFunc(p.Steps, want.Steps, func(a, b numbers) bool {
		near := a.near(b, share)
		share = pinnedLater
		return near
	})
	return steps && slices.EqualFunc(p.Epochs, want.Epochs, func(a, b numbers) bool { return a.near(b, pinnedLater) })
}

// against compares what runs gave with what is pinned: runs of other numbers, runs that are not pinned, and pinned ones that are not
// there any more, each in words.
func (p pins) against(want pins) (changed, missing, gone []string) {
	for _, id := range slices.Sorted(maps.Keys(p.Runs)) {
		got := p.Runs[id]
		switch pinned, ok := want.Runs[id]; {
		case !ok:
			missing = append(missing, fmt.Sprintf("%s (%s)", got.Method, id))
		case !got.is(pinned):
			changed = append(changed, fmt.Sprintf("%s (%s) gives %v, %v, pinned are %v, %v", got.Method, id, got.Steps, got.Epochs,
				pinned.Steps, pinned.Epochs))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want.Runs)) {
		if _, ok := p.Runs[id]; !ok {
			gone = append(gone, fmt.Sprintf("%s (%s)", want.Runs[id].Method, id))
		}
	}
	return changed, missing, gone
}

// renewed is what the file is to hold: what runs gave. That a run of the same identity gives other numbers is refused.
func (p pins) renewed(have pins) (pins, error) {
	if changed, _, _ := p.against(have); len(changed) > 0 {
		return pins{}, fmt.Errorf("the same configurations give other numbers at the same format %d: raise format in vlpx/run/run.go and "+
			"regenerate, or find what changed them:\n%s", p.Format, strings.Join(changed, "\n"))
	}
	if have.Format != p.Format {
		return p, nil
	}
	kept := pins{p.Format, maps.Clone(p.Runs)}
	for id := range kept.Runs {
		if pinned, ok := have.Runs[id]; ok {
			kept.Runs[id] = pinned // to the digit
		}
	}
	return kept, nil
}

// digits are the numbers in a method's JSON.
var digits = regexp.MustCompile(`[0-9.]+`)

// pinnedRuns are the runs that are pinned: of every method by name, and of every row of the catalogue whose framework or method is made
// otherwise than those before it, not with other numbers alone; those that they need are among them. They are at scale tiny, with a third
// of its data and for two epochs, of which the second goes by what the first has seen.
func pinnedRuns(t *testing.T) []run.Run {
	t.Helper()
	const methods = "falcon/table1" // which has all of them
	var all []run.Run
	seen := map[string]bool{}
	for _, a := range List() {
		if a.Status() == paper.NotYet {
			continue
		}
		q := plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"portion=0.34", "epochs=2", "schedule.epochs=2"}}
		if a.ID == methods {
			q.Without = []string{"NLVR2", "VQA"} // other tables put fewer methods to them
		}
		p := must.Get(paper.NewPlan(a, q))(t)
		for _, r := range p.Runs() {
			in, half := r.Train.Framework.Framework.(framework.InHalf)
			method := must.Get(json.Marshal([]any{r.Train.Framework.Name(), r.Train.Method, r.Train.Objectives, r.Init != nil, half &&
				in.InHalf()}))(t)
			made := digits.ReplaceAllString(string(method), "0")
			if id := r.ID(); !seen[id] && (a.ID == methods || !seen[made]) {
				seen[id], seen[made] = true, true
				all = append(all, r)
			}
		}
	}
	return all
}

// weightsOf are the variables of a trained run's model.
func weightsOf(t *testing.T, store *run.Store, backend compute.Backend, r run.Run) weights.Values {
	t.Helper()
	model := must.Get(train.Load(backend, r.Train, nil, store.Dir(r)))(t)
	t.Cleanup(model.Close)
	values := must.Get(model.Weights())(t)
	return values
}

// lockedTokens are what the encoder of the run that a run locks makes of its training images.
func lockedTokens(t *testing.T, store *run.Store, backend compute.Backend, r run.Run, set datasets.Set) loader.Features {
	t.Helper()
	by := *r.Locked
	by.Read = func(scope string) (weights.Values, error) {
		values := weights.Values{}
		for path, value := range weightsOf(t, store, backend, *r.Encoder) {
			if below, is := strings.CutPrefix(path, framework.Model+"/vision"); is {
				values[scope+below] = value
			}
		}
		return values, nil
	}
	tokens := must.Get(locked.Store{Dir: store.LockedDir(), Backend: backend, Bytes: 1 << 30}.Open(t.Context(), by, set, r.Data.Hash,
		"train"))(t)
	t.Cleanup(func() { tokens.Close() })
	return tokens
}

// trained trains a run, unless it is trained, with those that it needs, and tells what it told. Nothing is evaluated.
func trained(t *testing.T, store *run.Store, backend compute.Backend, r run.Run) pin {
	t.Helper()
	dir := store.Dir(r)
	collection := must.Get(r.Data.Open())(t)
	job := train.Job{Config: r.Train, Backend: backend, Dir: dir,
		Evaluate: func(context.Context, *train.Model, int) (map[string]float64, error) {
			return map[string]float64{r.Train.Select: 0}, nil
		}}
	job.Tokenizer = must.Get(r.Tokenizer(collection))(t)
	job.Set = must.Get(r.Data.TrainingSet())(t)
	if r.Regions != (regions.Source{}) {
		job.Features = must.Get(r.Regions.Open(job.Set, nil))(t)
	}
	for _, needed := range r.Needs() {
		if _, err := os.Stat(store.Dir(*needed)); err != nil {
			trained(t, store, backend, *needed)
		}
	}
	if r.Encoder != nil {
		job.Features = lockedTokens(t, store, backend, r, job.Set)
	}
	if r.Language != nil {
		job.Weights = must.Get(r.Train.Framework.Framework.(framework.Speaking).Speak(weightsOf(t, store, backend,
			*r.Language)))(t)
	}
	if r.Init != nil {
		job.InitConfig = &r.Init.Train
	}
	for needed, folder := range map[*run.Run]*string{r.Reference: &job.Reference, r.Init: &job.Init} {
		if needed != nil {
			*folder = store.Dir(*needed)
		}
	}
	told := pin{Method: r.Train.Method.Name}
	must.Do(t, os.MkdirAll(dir, 0o755))
	model, outcome, err := train.Train(t.Context(), job)
	if err != nil {
		t.Fatalf("%s: %v", told.Method, err)
	}
	model.Close()
	curves := must.Get(train.ReadCurves(dir))(t)
	usual := []negative.Loss{negative.ITC, negative.ITM, negative.MLM}
	further := slices.DeleteFunc(r.Train.Framework.Losses(), func(l negative.Loss) bool { return slices.Contains(usual, l) })
	of := func(losses map[negative.Loss]float64, names []negative.Loss) (all numbers) {
		for _, name := range names {
			all = append(all, losses[name])
		}
		return all
	}
	for _, p := range curves.Points {
		told.Steps = append(told.Steps, slices.Concat(of(p.Losses, usual), numbers{p.GradientNorm, p.Temperature, p.Improvement},
			of(p.Losses, further)))
	}
	for _, e := range outcome.Epochs {
		told.Epochs = append(told.Epochs, slices.Concat(of(e.Losses, usual), of(e.Losses, further)))
	}
	return told
}

// The same configuration gives the same numbers from commit to commit, or format is raised.
func TestPinned(t *testing.T) {
	backend := enginetest.PureGo(t)
	store := run.OpenStore(t.TempDir())
	got := pins{Runs: map[string]pin{}}
	runs := pinnedRuns(t)
	for _, r := range runs {
		if err := json.Unmarshal(r.JSON(), &got); err != nil { // its Format
			t.Fatal(err)
		}
		got.Runs[r.ID()] = trained(t, store, backend, r)
	}
	var have pins
	text, err := os.ReadFile(pinnedName)
	if err == nil {
		err = json.Unmarshal(text, &have)
	}
	if err != nil && !(*update && errors.Is(err, fs.ErrNotExist)) {
		t.Fatalf("%s: %v", pinnedName, err)
	}
	const command = "go test ./vlpx/papers/catalogue -run TestPinned -update"
	renewed := must.Get(got.renewed(have))(t)
	if *update {
		renewed.write(t)
		return
	}
	if have.Format != got.Format {
		t.Fatalf("%s is of format %d, runs are of format %d: regenerate it with %s", pinnedName, have.Format, got.Format, command)
	}
	if _, missing, gone := got.against(have); len(missing)+len(gone) > 0 {
		t.Errorf("the runs that are pinned are not those that there are: new or configured otherwise are %q, not there any more %q; "+
			"regenerate %s with %s",
			missing, gone, pinnedName, command)
	}
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) { onEngine(t, name, runs, have) })
	}
}

// onEngine holds some runs on a compiled engine against what is pinned, which pure Go gave. Others' similarities have ties, since few
// captions are as few sentences, and a rounding decides which of them is in a mini-batch or left out.
func onEngine(t *testing.T, name string, runs []run.Run, have pins) {
	backend, store := enginetest.Open(t, name), run.OpenStore(t.TempDir())
	for _, method := range []string{"FALCON", "FastCLIP", "GRIT-VLP + TAGS", "BLIP-2 + FALCON", "SimCLR + GloFND"} {
		i := slices.IndexFunc(runs, func(r run.Run) bool { return r.Train.Method.Name == method })
		if i < 0 {
			t.Fatalf("no run of %s is pinned", method)
		}
		got, want := trained(t, store, backend, runs[i]), have.Runs[runs[i].ID()]
		near := func(a, b numbers) bool { return a.near(b, pinnedOnEngines) }
		if !slices.EqualFunc(got.Steps, want.Steps, near) || !slices.EqualFunc(got.Epochs, want.Epochs, near) {
			t.Errorf("%s gives %v, %v, pinned are %v, %v", method, got.Steps, got.Epochs, want.Steps, want.Epochs)
		}
	}
}

// Other numbers of one identity are an error, which regenerating does not lift; another format or configuration is new.
func TestPins(t *testing.T) {
	of := func(format int, id string, first, later float64) pins {
		return pins{format, map[string]pin{id: {"ALBEF", []numbers{{first}, {later}}, []numbers{{later}}}}}
	}
	have := of(1, "a", 2, 3)
	for name, c := range map[string]struct {
		got                    pins
		changed, missing, gone int
	}{
		"the same":             {of(1, "a", 2, 3), 0, 0, 0},
		"rounded otherwise":    {of(1, "a", 2*(1+1e-6), 3*(1+5e-5)), 0, 0, 0},
		"another first step":   {of(1, "a", 2*(1+5e-5), 3), 1, 0, 0},
		"another step":         {of(1, "a", 2, 3*(1+5e-4)), 1, 0, 0},
		"not a number":         {of(1, "a", 2, math.NaN()), 1, 0, 0},
		"fewer steps":          {pins{1, map[string]pin{"a": {"ALBEF", []numbers{{2}}, []numbers{{3}}}}}, 1, 0, 0},
		"configured otherwise": {of(1, "b", 2, 4), 0, 1, 1},
		"another format":       {of(2, "c", 2, 4), 0, 1, 1},
	} {
		changed, missing, gone := c.got.against(have)
		if len(changed) != c.changed || len(missing) != c.missing || len(gone) != c.gone {
			t.Errorf("%s: got changed %q, missing %q, gone %q", name, changed, missing, gone)
		}
		renewed, err := c.got.renewed(have)
		if refused := err != nil; refused != (c.changed > 0) {
			t.Errorf("%s: regenerating gives %v", name, err)
		} else if changed, missing, gone := c.got.against(renewed); !refused && len(changed)+len(missing)+len(gone) > 0 {
			t.Errorf("%s: after regenerating got changed %q, missing %q, gone %q", name, changed, missing, gone)
		}
	}
	must.Fail(t, must.Err(of(1, "a", 9, 9).renewed(have)), "raise format in vlpx/run/run.go and "+
		"regenerate")
}
