package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/internal/test/faults"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/train"
)

// disturbed is the program that makes a run. However it is disturbed, the run ends in the same numbers and weights, to the bit, and the
// store is whole.
func disturbed(t *testing.T, r Run) faults.Program {
	t.Helper()
	steps := 0
	e := executor(t, "")
	e.Report = func(Run, train.Report) { steps++ }
	type outcome struct {
		Metrics map[string]float64
		Records string
		Weights map[string][]float32
	}
	of := func() (o outcome, err error) {
		result, err := e.Store.Result(r)
		if err != nil {
			return o, err
		}
		return outcome{result.Metrics, toldAs(t, result.Epochs), weightsOf(t, e, r)}, nil
	}
	var want *outcome
	return faults.Program{
		Do: func(dir string) error {
			e.Store = OpenStore(dir)
			_, err := e.Run(t.Context(), r)
			return err
		},
		Readable: func(dir string) error {
			e.Store = OpenStore(dir)
			all, err := e.Store.Entries()
			if err != nil {
				return err
			}
			for _, entry := range all {
				if entry.ID == r.ID() && entry.Done && !reflect.DeepEqual(entry.Result.Metrics, want.Metrics) {
					return fmt.Errorf("the result reads %v, want %v", entry.Result.Metrics, want.Metrics)
				}
			}
			return nil
		},
		Done: func(dir string) error {
			got, err := of()
			if err != nil {
				return err
			}
			if want == nil {
				want = &got
			}
			if !reflect.DeepEqual(got, *want) {
				return errors.New("it ends in other numbers or weights")
			}
			return clean(t, e.Store)
		},
		Steps: func() int { n := steps; steps = 0; return n },
	}
}

// clean tells what verifying a store finds, and what is left in it.
func clean(t *testing.T, s *Store) error {
	t.Helper()
	found, err := s.Verify(t.Context(), nil)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("verifying finds %v", found)
	}
	left, _ := filepath.Glob(filepath.Join(s.folders.Dir(), ".*"))
	more, _ := filepath.Glob(filepath.Join(s.folders.Dir(), "*", ".*"))
	if left = append(left, more...); err == nil && len(left) > 0 {
		err = fmt.Errorf("there is left %s", strings.Join(left, ", "))
	}
	return err
}

// plainly is a run of little time: two epochs of towers.
func plainly(t *testing.T, m negative.Method) Run {
	t.Helper()
	r := byTowers(t, m)
	r.Train.Epochs, r.Train.Schedule.Epochs = 2, 2
	return r
}

// chained is a run that starts from another one and has a third, fine-tuned one for its reference.
func chained(t *testing.T) Run {
	t.Helper()
	reference, r := tuned(t), smallest(t)
	r.Train.Method = negative.SRCL(2)
	r.Reference, r.Train.Reference = &reference, reference.ID()
	first := *reference.Init
	r.Init, r.Train.Init = &first, first.ID()
	return r
}

// written is a run of TAGS, after its generator.
func written(t *testing.T) Run {
	t.Helper()
	first := byRegions(smallest(t), regions.Source{Count: 4, Width: 8, Boxes: &regions.Boxes{}})
	r := first
	stage := first.Train.Framework.Framework.(uniter.Model)
	stage.Pretraining, stage.Margin = false, 0.2
	r.Train.Framework.Framework = stage
	r.Init, r.Train.Init = &first, first.ID()
	r.Train.Method = negative.Method{
		Name: "TAGS-DC", Matching: negative.Retrieved{Pool: 6, Keep: 3}, Masking: 0.15,
		Writing: negative.TAGS{Masks: 3, Refills: 4, Keep: 5, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 0.2, WoD: 0.3, WoC: 0.4},
	}.WithDefaults()
	return r
}

// Whatever operation on files fails while a run is made, with those that it needs, nothing is lost by it and nothing damaged is taken for
// good. Only some of all faults are tried, others each time; see [faults.Every].
func TestFaults(t *testing.T) {
	scheduled := negative.FALCON(negative.Scheduled{SearchSpace: 16, Objectives: negative.Of(negative.ITC), Quantiles: 5, Hidden: 8,
		Baseline: 0.9})
	thresholds := negative.Method{Name: "SogCLR + GloFND", Contrast: negative.SogCLR{Gamma: 0.8, Temperature: 0.1},
		LeftOut: negative.Thresholds{Alpha: 0.2, Learn: 1, FromBatch: true}}.WithDefaults()
	for name, c := range map[string]struct {
		run  func(*testing.T) Run
		some int // faults that are tried
	}{
		"plain":                {func(t *testing.T) Run { return plainly(t, negative.Plain()) }, 30},
		"FALCON":               {func(t *testing.T) Run { return plainly(t, scheduled) }, 15},
		"GloFND":               {func(t *testing.T) Run { return plainly(t, thresholds) }, 15},
		"chain":                {chained, 8},
		"mined pairs":          {onMined, 8},
		"own locked encoder":   {behindOwn, 10},
		"BLIP-2, second stage": {speaking, 6},
		"TAGS":                 {written, 8},
	} {
		t.Run(name, func(t *testing.T) { t.Log(faults.Every(t, c.some, disturbed(t, c.run(t)))) })
	}
}

// A measure of a finished run is kept whole or not at all.
func TestFaultsOfMeasuring(t *testing.T) {
	r, e := plainly(t, negative.Plain()), executor(t, "")
	var want map[string]float64
	t.Log(faults.Every(t, 20, faults.Program{
		Prepare: func(t *testing.T, dir string) {
			e.Store = OpenStore(dir)
			must.Get(e.Run(t.Context(), r))(t)
		},
		Do: func(dir string) error {
			e.Store = OpenStore(dir)
			got, err := e.EvaluateBy(t.Context(), r, "val", r.Tasks[0])
			if want == nil {
				want = got
			}
			if err == nil && !reflect.DeepEqual(got, want) {
				err = fmt.Errorf("got %v, want %v", got, want)
			}
			return err
		},
		Done: func(dir string) error {
			if got, err := OpenStore(dir).AnswersOf(r.ID(), r.Code()); err != nil || len(got) != 1 || len(got[0].Metrics) != len(want) {
				return fmt.Errorf("the store has %v (%w)", got, err)
			}
			return clean(t, OpenStore(dir))
		},
	}))
}
