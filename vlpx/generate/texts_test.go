package generate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/negative"
)

// begun is a model with first values, large enough to be sure of some words.
func begun(t testing.TB, m framework.Framework, backend compute.Backend) (*model.Store, *framework.Inference) {
	t.Helper()
	store, use := model.NewStore(), framework.Use{Method: negative.Plain(), Batch: 2, Tokens: 5}
	must.Do(t, framework.Initialise(m, use, backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1, Seed: 5}))
	for v := range store.Scope(framework.Model).IterVariables() {
		if v.Name() == encoder.Embedding {
			must.Do(t, tensors.MutableFlatData(v.MustValue(), func(x []float32) {
				for k := range x {
					x[k] *= 12
				}
			}))
		}
	}
	inference := must.Get(framework.NewInference(m, use, backend, store))(t)
	t.Cleanup(inference.Close)
	return store, inference
}

// whole reads all of a prefix at every step, padded to a length.
func whole(t testing.TB, m opt.Model, store *model.Store, backend compute.Backend, length int) Next {
	t.Helper()
	exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
		text := s.Store().Scope(framework.Model).In("text")
		s.Store().SetTraining(in[0].Graph(), false)
		words := m.Text.Words(text, in[0])
		for range m.Lead {
			words = Concatenate([]*Node{ZerosLike(Slice(words, AxisRange(), AxisElem(0))), words}, 1)
		}
		states := Slice(m.Text.States(text, words, nil, false), AxisRange(), AxisRangeToEnd(m.Lead))
		last := ReduceSum(Mul(states, InsertAxes(OneHot(in[1], length, states.DType()), -1)), 1)
		return []*Node{m.Text.Next(text, last, false)}
	}))(t)
	t.Cleanup(exec.Finalize)
	return func(_ context.Context, rows []Row) ([][]float32, error) {
		ids, last := make([]int32, len(rows)*length), make([]int32, len(rows))
		for r, row := range rows {
			copy(ids[r*length:], row.IDs)
			last[r] = int32(len(row.IDs) - 1)
		}
		out, err := framework.Call(exec, tensors.FromFlatDataAndDimensions(ids, len(rows), length),
			tensors.FromFlatDataAndDimensions(last, len(rows)))
		if err != nil {
			return nil, err
		}
		defer framework.Release(out)
		logits, err := tensors.CopyFlatData[float32](out[0])
		return slices.Collect(slices.Chunk(logits, m.Text.Vocab)), err
	}
}

// What is written with keys and values that are kept is what is written when all is read at every step, on every engine, behind prompts of
// different lengths, in which the id 0 may stand, and behind blank places.
func TestTextsAgainstWhole(t *testing.T) {
	for _, lead := range []int{0, 2} {
		againstWhole(t, opt.Model{Lead: lead, Text: encoder.OPT{Vocab: 11, Positions: 15, Width: 12, Layers: 2, Heads: 2, MLP: 20}})
	}
}

func againstWhole(t *testing.T, m opt.Model) {
	prompts := [][]int32{{2}, {2, 0, 5, 7}, {2, 9}}
	for _, name := range append([]string{"go"}, enginetest.Compiled...) {
		t.Run(fmt.Sprintf("%s, %d blanks", name, m.Lead), func(t *testing.T) {
			backend := compute.Backend(nil)
			if name == "go" {
				backend = enginetest.PureGo(t)
			} else {
				backend = enginetest.Open(t, name)
			}
			store, inference := begun(t, m, backend)
			next := whole(t, m, store, backend, 13)
			distinct := map[string]bool{}
			for _, s := range []Search{{Beams: 1, Max: 6}, {Beams: 3, Max: 8, LengthPenalty: 1, RepetitionPenalty: 1.3},
				{Beams: 5, Max: 5, Min: 3, LengthPenalty: -1}} {
				for _, end := range []int32{3, 8} {
					want := must.Get(s.Run(t.Context(), Language{11, end}, prompts, next))(t)
					got := must.Get(Texts(t.Context(), inference, s, Request{Prompts: prompts, Tokens: 5, End: end}))(t)
					for k := range want {
						if !slices.Equal(got[k].IDs, want[k].IDs) || got[k].Ended != want[k].Ended ||
							math.Abs(got[k].Score-want[k].Score) > 1e-4 {
							t.Errorf("%+v, end %d, prompt %v: got %+v, want %+v", s, end, prompts[k], got[k], want[k])
						}
						distinct[fmt.Sprint(got[k].IDs)] = true
					}
				}
			}
			if len(distinct) < 8 {
				t.Errorf("got %d different texts alone: %v", len(distinct), distinct)
			}
		})
	}
}

func TestTextsRefuses(t *testing.T) {
	backend := enginetest.PureGo(t)
	m := opt.Model{Text: encoder.OPT{Vocab: 11, Positions: 13, Width: 12, Layers: 1, Heads: 2, MLP: 20}}
	_, inference := begun(t, m, backend)
	short := Search{Beams: 2, Max: 3}
	for says, c := range map[string]struct {
		Search
		Request
	}{
		"the end has the id 11 of 11 tokens":     {short, Request{Prompts: [][]int32{{2}}, End: 11}},
		"prompt 1, token 1: the id 12 of 11":     {short, Request{Prompts: [][]int32{{2}, {2, 12}}}},
		"prompt 1 is empty":                      {short, Request{Prompts: [][]int32{{2}, {}}}},
		"prompt 0 is empty or ends in padding":   {short, Request{Prompts: [][]int32{{2, 0}}}},
		"3 tokens where there are places for 2":  {short, Request{Prompts: [][]int32{{2, 1, 1}}, Tokens: 2}},
		"positions for 13 tokens, not for 2 and": {Search{Beams: 2, Max: 12}, Request{Prompts: [][]int32{{2, 1}}}},
		"0 beams":                                {Search{}, Request{}},
	} {
		must.Fail(t, must.Err(Texts(t.Context(), inference, c.Search, c.Request)), says)
	}
	_, silent := begun(t, gpt.Model{Text: encoder.GPT{Vocab: 11, Positions: 13, Width: 12, Layers: 1, Heads: 2, MLP: 20}}, backend)
	must.Fail(t, must.Err(Texts(t.Context(), silent, short, Request{Prompts: [][]int32{{2}}})), "GPT-2 writes no texts")
	if none, err := Texts(t.Context(), inference, short, Request{}); err != nil || len(none) != 0 {
		t.Errorf("of no prompts: got %v, %v", none, err)
	}
}

// BenchmarkTexts writes captions of 30 tokens by a small model, with keys and values kept and without.
func BenchmarkTexts(b *testing.B) {
	const texts = 16
	m := opt.Model{Text: encoder.OPT{Vocab: 1000, Positions: 64, Width: 128, Layers: 4, Heads: 4, MLP: 512}}
	for _, name := range []string{"go", "onnx:cpu"} {
		for _, beams := range []int{1, 5} {
			for _, kept := range []bool{true, false} {
				b.Run(fmt.Sprintf("%s/beams=%d/kept=%t", name, beams, kept), func(b *testing.B) {
					backend := compute.Backend(nil)
					if name == "go" {
						backend = enginetest.PureGo(b)
					} else {
						backend = enginetest.Open(b, name)
					}
					store, inference := begun(b, m, backend)
					s := Search{Beams: beams, Max: 30, Min: 30, LengthPenalty: 1}
					prompts := slices.Repeat([][]int32{{2, 5, 7, 9}}, texts)
					write := func() error {
						_, err := Texts(b.Context(), inference, s, Request{Prompts: prompts, End: 3})
						return err
					}
					if !kept {
						next := whole(b, m, store, backend, 34)
						write = func() error {
							_, err := s.Run(b.Context(), Language{1000, 3}, prompts, next)
							return err
						}
					}
					for k := -1; k < b.N; k++ {
						if k == 0 {
							b.ResetTimer() // compiled by then
						}
						must.Do(b, write())
					}
					b.ReportMetric(float64(b.N*texts*30)/b.Elapsed().Seconds(), "tokens/s")
				})
			}
		}
	}
}
