package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"

	"vlpx.internal/cmd/bench"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
)

// Speed says what MeasureSpeed measures; the zero value is all of InfoNCE. Scales, frameworks and batches are those of the options, or of
// the scale, where none are named; each is measured with each.
type Speed struct {
	Methods    []string // named as for Run; InfoNCE if empty
	Frameworks []string // as Show("frameworks") lists them
	Scales     []string
	Batches    []int    // pairs a mini-batch
	What       []string // "step", "loader", "sampler", "evaluation" and "generation"; all if empty
	Rounds     int      // turns of each part of a step; 10 if 0
	Parts      []string // of a step: "forward", "backward" (forward and backward) and "whole"; all if empty
	Peer       bool     // PyTorch makes the same steps in turn with ours
	Modes      []string // of PyTorch that race: "eager", "compile" and, on a GPU, "reduce-overhead"; all that there are if empty
	// Ready is how long PyTorch may take to get ready for a step, all its ways together; those that are not by then do not race. 0: as long
	// as it takes.
	Ready time.Duration
	Alone bool    // with Peer: where PyTorch cannot make the same step, ours is measured alone, and the result reports why
	Peak  float64 // TFLOP/s of the device at the precision of the products, by its maker's word, for MFU; 0 where it is not told
	// Runs are runs at once, as several seeds are trained, whose steps are measured, too: each a process of its own on its share of the
	// processors; none if 0. A process is this program, started again: everything before the call is done by it, too, so that the call
	// comes first.
	Runs  []int
	Costs bool // how costs grow with sizes is measured instead: of search space, training pairs, mini-batch, cores and test split
	Ops   bool // where the time of a whole step goes is measured instead, by kinds of work, on ONNX Runtime
	// Chunks are sizes of chunks, 0 for whole mini-batches: whole steps are measured instead, of each mini-batch in chunks of each size below
	// its own, each in a process of its own (see Runs), with the memory that it takes.
	Chunks []int
	// Pairs are the numbers of training pairs that costs are computed for, beside: 4, 14 and 400 million if empty. Workers share them; 8 if
	// 0.
	Pairs   []int
	Workers int
}

// ReadSpeed reads what vlpx bench -json has written into files.
func ReadSpeed(paths []string) (results []bench.Result, err error) {
	for _, path := range paths {
		r, err := bench.Read(path)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// MeasureSpeed measures how fast training is here: a step's forward pass, its backward pass and the whole of it, in turn with the engine's
// matrix product, the loader, the sampler, evaluation and writing. It trains nothing and keeps nothing. beside is the command that makes
// steps of the index-th case in a process of its own, by [MakeSteps]. say, if not nil, hears what is at work.
func MeasureSpeed(ctx context.Context, of Speed, o Options, beside Beside, say func(string)) (result bench.Result, err error) {
	settings, err := of.settings()
	if err != nil {
		return result, err
	}
	cases, store, err := of.cases(o)
	if err != nil {
		return result, err
	}
	settings.Again = beside
	return measureSpeed(ctx, cases, store, settings, say)
}

// MakeSteps makes steps of the index-th case of MeasureSpeed for the process that has started this one.
func MakeSteps(ctx context.Context, of Speed, o Options, index int) error {
	cases, store, err := of.cases(o)
	if err != nil {
		return err
	}
	if index >= len(cases) {
		return fmt.Errorf("benchmark: there is no case %d of %d", index, len(cases))
	}
	return serve(ctx, store, cases[index].Run)
}

// settings are those of the measuring itself.
func (of Speed) settings() (bench.Settings, error) {
	s := bench.Settings{
		Kinds: of.What, Rounds: of.Rounds, Parts: of.Parts, Peer: of.Peer, Modes: of.Modes, Ready: of.Ready, Alone: of.Alone,
		Peak: of.Peak * 1e12, Costs: of.Costs, Ops: of.Ops, Pairs: of.Pairs, Workers: of.Workers, Runs: of.Runs,
		Apart: len(of.Chunks) > 0,
	}
	return s, s.Check()
}

func measureSpeed(
	ctx context.Context, cases []bench.Case, store *run.Store, settings bench.Settings, say func(string),
) (result bench.Result, err error) {
	err = guard(func() error {
		return onEngine(func(backend compute.Backend, name string) error {
			executor := &run.Executor{Store: store, Backend: backend, Engine: name, Versions: engine.Versions(), Say: say}
			result, err = bench.Measure(ctx, executor, cases, settings, say)
			return err
		})
	})
	return result, err
}

// cases are the runs to measure: each framework, in it each method, of that each batch, and of that each chunk that is smaller.
func (of Speed) cases(o Options) (cases []bench.Case, store *run.Store, err error) {
	or := func(some []string, usual string) []string {
		if len(some) == 0 {
			return []string{usual}
		}
		return some
	}
	batches := of.Batches
	if len(batches) == 0 {
		batches = []int{0} // the scale's
	}
	o.Seeds = []uint64{1}
	for _, with := range combined(o, or(of.Scales, o.Scale), or(of.Frameworks, o.Framework)) {
		for _, method := range or(of.Methods, "InfoNCE") {
			for _, batch := range batches {
				sized := with
				if batch != 0 {
					sized.Set = append(slices.Clone(with.Set), fmt.Sprintf("batchsize=%d", batch))
				}
				grid, err := OpenComparison([]string{method}, sized)
				if err != nil {
					return nil, nil, err
				}
				store = grid.Store
				whole := bench.Case{Scale: grid.Plan.Scale.Name, Set: strings.Join(with.Set, ", "), Run: grid.Plan.Rows[0][0]}
				if len(of.Chunks) == 0 {
					cases = append(cases, whole)
				}
				for _, chunk := range of.Chunks { // of which some are for larger mini-batches
					if chunk >= whole.Run.Train.BatchSize {
						continue
					}
					divided := whole
					divided.Run.Train.Chunk = chunk
					if err := divided.Run.Train.Validate(); err != nil {
						return nil, nil, err
					}
					cases = append(cases, divided)
				}
			}
		}
	}
	if len(cases) == 0 {
		return nil, nil, fmt.Errorf("benchmark: no mini-batch is larger than chunks of %d; take smaller ones, or 0 for the whole",
			slices.Min(of.Chunks))
	}
	return cases, store, nil
}

// combined are the options with each scale and each framework.
func combined(o Options, scales, frameworks []string) (all []Options) {
	for _, scale := range scales {
		for _, framework := range frameworks {
			o.Scale, o.Framework = scale, framework
			all = append(all, o)
		}
	}
	return all
}
