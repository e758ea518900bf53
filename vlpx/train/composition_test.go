package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Every Batches goes with every Contrast, every Matching and every Positives: it takes two steps, or is refused with a reason
// before there is a run. The parts are those of every registered method, and some at other settings.
func TestComposition(t *testing.T) {
	reference := train.Smallest(t, negative.Plain())
	reference.Config.Epochs = 1
	train.Finish(t, reference)

	scheduled := negative.Scheduled{SearchSpace: 8, Quantiles: 5, Hidden: 8}
	rewardedByITC := scheduled
	rewardedByITC.Objectives = negative.Of(negative.ITC, negative.ITM)
	batches := registered[negative.Batches](func(m negative.Method) negative.Batches { return m.Batches }, scheduled, rewardedByITC)
	contrasts := registered[negative.Contrast](func(m negative.Method) negative.Contrast { return m.Contrast },
		negative.Smoothed{Alpha: 0.5, FirstEpoch: true}, negative.Distilled{Alpha: 0.4, Decay: 0.995},
		negative.Distilled{Alpha: 0.4, Decay: 0.995, Queue: 8, Items: true})
	matchings := registered[negative.Matching](func(m negative.Method) negative.Matching { return m.Matching }, train.NextOnes{},
		negative.Retrieved{Pool: 9, Keep: 2})
	learned := negative.ECM{Low: 0.3, High: 0.4}
	eliminating, partly, oracle := learned, learned, learned
	eliminating.Eliminate, oracle.JudgedBy = true, negative.Oracle
	partly.Use = negative.Of(negative.ITM, negative.MLM)
	positives := registered[negative.Positives](func(m negative.Method) negative.Positives { return m.Positives }, nil, learned,
		eliminating,
		partly, oracle)

	taken, refused := 0, 0
	for _, b := range batches {
		for _, c := range contrasts {
			for _, m := range matchings {
				for _, p := range positives {
					if rewarded, ok := b.(negative.Rewarded); p != nil && ok && rewarded.Reward().Has(negative.MLM) {
						continue // the parts that a reward of MLM could disturb are tried without positives
					}
					method := negative.Method{Name: fmt.Sprintf("%T, %T, %T, %T", b, c, m, p), Batches: b, Contrast: c, Matching: m,
						Positives: p}.WithDefaults()
					err := twoSteps(t, train.Smallest(t, method), reference.Dir)
					wanted := reasonAgainst(b, c, m, p)
					switch {
					case wanted == "" && err != nil:
						t.Errorf("%s: %v", method.Name, err)
					case wanted == "":
						taken++
					case err == nil || !strings.Contains(err.Error(), wanted):
						t.Errorf("%s: got %v, want an error about %q", method.Name, err, wanted)
					default:
						refused++
					}
				}
			}
		}
	}
	t.Logf("%d combinations took two steps, %d were refused", taken, refused)
	if taken == 0 || refused == 0 {
		t.Error("one of the two was never tried")
	}
}

// registered are the parts of one role of all methods that are registered, one a type; those given take the place of the ones of their
// types.
func registered[P any](of func(negative.Method) P, given ...P) []P {
	small := scale.Scale{Epochs: 3, SearchSpace: 8, GroupQueue: 16, Easy: 0.2, Hard: 0.9, Soft: 0.8,
		Writing: negative.WritingSettings{Pool: 4,
			Hard: 2},
		Global: negative.GlobalSettings{Gamma: 0.8, Faded: 0.2, Temperature: 0.07,
			Individual: negative.IndividualSettings{Least: 0.01, Most: 1}}}
	parts, known := slices.Clone(given), map[string]bool{}
	for _, part := range given {
		known[fmt.Sprintf("%T", part)] = true
	}
	for _, m := range scale.Methods() {
		part := of(m.Parts(small).WithDefaults())
		if kind := fmt.Sprintf("%T", part); !known[kind] {
			known[kind] = true
			parts = append(parts, part)
		}
	}
	return parts
}

// reasonAgainst is what makes no sense in a combination, in words of the error; empty for none.
func reasonAgainst(b negative.Batches, c negative.Contrast, m negative.Matching, p negative.Positives) string {
	rewarded, learns := b.(negative.Rewarded)
	_, stateful := c.(negative.Stateful)
	if learns && rewarded.Reward().Has(negative.ITC) {
		switch {
		case stateful:
			return "its state would change"
		case p != nil:
			return "which pairs count as positives"
		}
	}
	if e, mines := p.(negative.ECM); mines {
		_, picks := m.(negative.Picking)
		_, connects := c.(negative.Connecting)
		itemised, _ := c.(negative.Itemised)
		inITC := e.Use.Has(negative.ITC)
		switch {
		case !picks:
			return "one negative an anchor"
		case inITC && itemised != nil && itemised.NeedsItems():
			return "captions of an image"
		case inITC && !connects:
			return "one positive an anchor"
		}
	}
	return ""
}

// On CLIP every Batches goes with every Contrast, too, but for a reward by what it has not.
func TestCompositionOnCLIP(t *testing.T) {
	reference := train.OnCLIP(t, negative.Plain(), false)
	reference.Config.Epochs = 1
	train.Finish(t, reference)
	byMLM := negative.Scheduled{SearchSpace: 8, Quantiles: 5, Hidden: 8}
	byITC := byMLM
	byITC.Objectives = negative.Of(negative.ITC)
	for _, b := range registered[negative.Batches](func(m negative.Method) negative.Batches { return m.Batches }, byMLM, byITC) {
		for _, c := range registered[negative.Contrast](func(m negative.Method) negative.Contrast { return m.Contrast },
			negative.Distilled{Alpha: 0.4, Decay: 0.995, Queue: 8, Items: true}) {
			method := negative.Method{Name: fmt.Sprintf("%T, %T", b, c), Batches: b, Contrast: c}.WithDefaults()
			wanted := reasonAgainst(b, c, method.Matching, nil)
			if s, schedules := b.(negative.Scheduled); schedules && s.Objectives == byMLM.Objectives {
				wanted = "the loss MLM for a reward"
			}
			err := twoSteps(t, train.OnCLIP(t, method, false), reference.Dir)
			if wanted == "" && err != nil || wanted != "" && (err == nil || !strings.Contains(err.Error(), wanted)) {
				t.Errorf("%s: got %v, want an error about %q, or none", method.Name, err, wanted)
			}
		}
	}
}

// twoSteps validates a job, and makes two steps of its run.
func twoSteps(t *testing.T, job train.Job, reference string) error {
	if job.Config.Method.NeedsReference() {
		job.Config.Reference, job.Reference = "of the test", reference
	}
	if err := job.Config.Validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	loss := 0.0
	job.Report = func(r train.Report) {
		loss = r.Loss
		if r.Step == 2 {
			cancel()
		}
	}
	if _, _, err := train.Train(ctx, job); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("in the run: %w", err)
	}
	if !(loss > 0) || math.IsInf(loss, 0) {
		return fmt.Errorf("a loss of %v", loss)
	}
	return nil
}
