package generate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// tree is a language model by a table: the logits behind a prefix are drawn for it once. No two are alike.
type tree struct {
	t          *rapid.T
	vocabulary int
	draws      *rand.Rand
	logits     map[string][]float32
}

func newTree(t *rapid.T, vocabulary int) *tree {
	seed := rapid.Uint64().Draw(t, "seed of the logits")
	return &tree{t, vocabulary, rand.New(rand.NewPCG(seed, 1)), map[string][]float32{}}
}

func (r *tree) of(ids []int32) []float32 {
	key := fmt.Sprint(ids)
	if r.logits[key] == nil {
		for range r.vocabulary {
			r.logits[key] = append(r.logits[key], float32(2*r.draws.NormFloat64()))
		}
	}
	return r.logits[key]
}

// next checks what rows say of themselves, and answers.
func (r *tree) next() Next {
	var before []Row
	return func(_ context.Context, rows []Row) ([][]float32, error) {
		var all [][]float32
		for _, row := range rows {
			if before == nil != (row.From < 0) {
				r.t.Fatalf("row %+v behind %d rows", row, len(before))
			}
			if before != nil {
				of := before[row.From]
				if of.Text != row.Text || !slices.Equal(of.IDs, row.IDs[:len(row.IDs)-1]) {
					r.t.Fatalf("row %+v does not continue %+v", row, of)
				}
			}
			all = append(all, r.of(row.IDs))
		}
		before = slices.Clone(rows)
		return all, nil
	}
}

// softmax are the log-probabilities by logits, slowly.
func softmax(logits []float32) []float64 {
	var sum float64
	for _, x := range logits {
		sum += math.Exp(float64(x))
	}
	out := make([]float64, len(logits))
	for k, x := range logits {
		out[k] = math.Log(math.Exp(float64(x)) / sum)
	}
	return out
}

// drawn are settings, a language and prompts.
func drawn(t *rapid.T, most int) (Search, Language, [][]int32) {
	l := Language{Vocabulary: rapid.IntRange(2, 4).Draw(t, "vocabulary")}
	l.End = int32(rapid.IntRange(0, l.Vocabulary-1).Draw(t, "end"))
	s := Search{Max: rapid.IntRange(1, most).Draw(t, "max"), LengthPenalty: rapid.Float64Range(-2, 2).Draw(t, "length penalty")}
	s.Min = rapid.IntRange(0, s.Max-1).Draw(t, "min")
	prompts := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(0, int32(l.Vocabulary-1)), 0, 3), 1, 3).Draw(t, "prompts")
	return s, l, prompts
}

// exhaustive is the best of all texts behind a prompt: those that end, and those that are cut.
func exhaustive(s Search, l Language, r *tree, prompt []int32) Text {
	best := Text{Score: math.Inf(-1)}
	take := func(ids []int32, likelihood float64, tokens int, ended bool) {
		if score := likelihood / math.Pow(float64(tokens), s.LengthPenalty); score > best.Score {
			best = Text{slices.Clone(ids), score, ended}
		}
	}
	var visit func(ids []int32, likelihood float64)
	visit = func(ids []int32, likelihood float64) {
		if len(ids) == s.Max {
			take(ids, likelihood, len(ids), false)
			return
		}
		for token, x := range penalised(s, softmax(r.of(slices.Concat(prompt, ids))), slices.Concat(prompt, ids)) {
			if int32(token) != l.End {
				visit(append(slices.Clone(ids), int32(token)), likelihood+x)
			} else if len(ids) >= s.Min {
				take(ids, likelihood+x, len(ids)+1, true)
			}
		}
	}
	visit(nil, 0)
	return best
}

// penalised are log-probabilities of tokens with the penalty of those that stand already.
func penalised(s Search, scores []float64, ids []int32) []float64 {
	for token := range scores {
		if s.RepetitionPenalty > 0 && slices.Contains(ids, int32(token)) {
			scores[token] *= s.RepetitionPenalty // which are below zero
		}
	}
	return scores
}

func equal(t interface{ Errorf(string, ...any) }, what string, got, want Text) {
	if !slices.Equal(got.IDs, want.IDs) || got.Ended != want.Ended ||
		!(math.Abs(got.Score-want.Score) <= 1e-9*math.Max(1, math.Abs(want.Score))) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// With room for every prefix beam search finds what a search through all texts finds, under every penalty.
func TestWidestBeamIsExhaustive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, l, prompts := drawn(t, 4)
		s.Beams = 400 // more than there are texts, so that none ends the search
		s.RepetitionPenalty = rapid.SampledFrom([]float64{0, 1, 1.5, 0.7}).Draw(t, "repetition penalty")
		r := newTree(t, l.Vocabulary)
		got, err := s.Run(context.Background(), l, prompts, r.next())
		if err != nil {
			t.Fatal(err)
		}
		for k, prompt := range prompts {
			equal(t, "best text", got[k], exhaustive(s, l, r, prompt))
		}
	})
}

// One beam takes the most probable token at each step, and a penalty is of logits there, whose sign tells how.
func TestOneBeamIsGreedy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, l, prompts := drawn(t, 6)
		s.Beams = 1
		s.RepetitionPenalty = rapid.SampledFrom([]float64{0, 1, 1.5}).Draw(t, "repetition penalty")
		s.Early = rapid.Bool().Draw(t, "early")
		r := newTree(t, l.Vocabulary)
		got, err := s.Run(context.Background(), l, prompts, r.next())
		if err != nil {
			t.Fatal(err)
		}
		for k, prompt := range prompts {
			var ids []int32
			ended := false
			for len(ids) < s.Max && !ended {
				best, most := -1, math.Inf(-1)
				for token, x := range r.of(slices.Concat(prompt, ids)) {
					score := float64(x)
					if s.RepetitionPenalty > 0 && slices.Contains(slices.Concat(prompt, ids), int32(token)) {
						score = math.Min(score*s.RepetitionPenalty, score/s.RepetitionPenalty)
					}
					if score > most && !(int32(token) == l.End && len(ids) < s.Min) {
						best, most = token, score
					}
				}
				if ended = int32(best) == l.End; !ended {
					ids = append(ids, int32(best))
				}
			}
			if !slices.Equal(got[k].IDs, ids) || got[k].Ended != ended {
				t.Errorf("got %+v, want %v, ended %t", got[k], ids, ended)
			}
		}
	})
}

// Beams are a text's own: a text is the same whatever others are searched for beside it. Its score is that of its tokens, and keeps to the
// limits.
func TestTextsAreAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, l, prompts := drawn(t, 6)
		s.Beams, s.Early = rapid.IntRange(2, 4).Draw(t, "beams"), rapid.Bool().Draw(t, "early")
		r := newTree(t, l.Vocabulary)
		together, err := s.Run(context.Background(), l, prompts, r.next())
		if err != nil {
			t.Fatal(err)
		}
		for k, prompt := range prompts {
			alone, err := s.Run(context.Background(), l, prompts[k:k+1], r.next())
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "beside others", together[k], alone[0])
			text := together[k]
			likelihood, tokens := 0.0, slices.Clone(text.IDs)
			if text.Ended {
				tokens = append(tokens, l.End)
			}
			for at, id := range tokens {
				likelihood += softmax(r.of(slices.Concat(prompt, tokens[:at])))[id]
			}
			want := likelihood / math.Pow(float64(len(tokens)), s.LengthPenalty)
			if math.Abs(text.Score-want) > 1e-9*math.Max(1, math.Abs(want)) || slices.Contains(text.IDs, l.End) || len(text.IDs) < s.Min ||
				len(tokens) > s.Max ||
				!text.Ended && len(tokens) != s.Max {
				t.Errorf("got %+v of %d to %d tokens, want the score %g", text, s.Min, s.Max, want)
			}
		}
	})
}

// always gives the same logits.
func always(logits ...float32) Next {
	return func(_ context.Context, rows []Row) ([][]float32, error) {
		return slices.Repeat([][]float32{logits}, len(rows)), nil
	}
}

// The end, 0, has the probability 1/2 at first, and 3/4 behind the token 1. Of the texts "" and "1" the log-likelihoods are ln 1/2 and ln
// 3/8, the lengths 1 and 2: without a penalty the first is better, by the mean the second, by a power below 0 the first.
func TestLengthPenaltyByHand(t *testing.T) {
	next := func(_ context.Context, rows []Row) ([][]float32, error) {
		var all [][]float32
		for _, row := range rows {
			end := 0.5
			if len(row.IDs) > 1 {
				end = 0.75
			}
			all = append(all, []float32{float32(math.Log(end)), float32(math.Log(1 - end))})
		}
		return all, nil
	}
	for _, c := range []struct {
		penalty float64
		ids     int
		score   float64
	}{{0, 0, math.Log(0.5)}, {1, 1, math.Log(0.375) / 2}, {-1, 0, math.Log(0.5)}, {0.2, 0, math.Log(0.5)},
		{0.6, 1, math.Log(0.375) / math.Pow(2, 0.6)}} {
		got, err := Search{Beams: 2, Max: 2, LengthPenalty: c.penalty}.Run(t.Context(), Language{2, 0}, [][]int32{{1}}, next)
		if err != nil || len(got[0].IDs) != c.ids || !got[0].Ended || math.Abs(got[0].Score-c.score) > 1e-6 {
			t.Errorf("penalty %g: got %+v (%v), want %d tokens and the score %g", c.penalty, got, err, c.ids, c.score)
		}
	}
}

// A decoder that never ends stops at the most tokens and says so, one that ends at once says so, too; with two finished texts and Early a
// search of two beams ends, and otherwise goes on while a longer text can be better.
func TestStops(t *testing.T) {
	l := Language{Vocabulary: 3, End: 2}
	calls := 0
	counted := func(next Next) Next {
		calls = 0
		return func(ctx context.Context, rows []Row) ([][]float32, error) { calls++; return next(ctx, rows) }
	}
	for beams, least := range map[int]int{1: 1, 3: 2} { // of three beams two end at the second step, no worse than what goes on
		got, err := Search{Beams: beams, Max: 5}.Run(t.Context(), l, [][]int32{{0}, {1, 1}}, counted(always(1, 0, -50)))
		if err != nil || calls != 5 || got[1].Ended || !slices.Equal(got[0].IDs, []int32{0, 0, 0, 0, 0}) {
			t.Errorf("%d beams, never ending: got %+v after %d calls (%v)", beams, got, calls, err)
		}
		got, err = Search{Beams: beams, Max: 5}.Run(t.Context(), l, [][]int32{{0}}, counted(always(0, 0, 50)))
		if err != nil || len(got[0].IDs) != 0 || !got[0].Ended || calls != least {
			t.Errorf("%d beams, ending at once: got %+v after %d calls (%v)", beams, got, calls, err)
		}
	}
	for early, want := range map[bool]int{true: 2, false: 9} {
		// Each step ends with a probability near a half; by the mean over the length nothing that is finished is beyond what goes on.
		if _, err := (Search{Beams: 2, Max: 9, LengthPenalty: 4, Early: early}).Run(t.Context(), l, [][]int32{{0}},
			counted(always(0, -9, 0.1))); err != nil || calls != want {
			t.Errorf("early %t: got %d calls, want %d (%v)", early, calls, want, err)
		}
	}
}

// The context is asked between steps, and errors of the model come back.
func TestEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err := Search{Beams: 2, Max: 9}.Run(ctx, Language{3, 2}, [][]int32{{0}}, func(ctx context.Context, rows []Row) ([][]float32, error) {
		if calls++; calls == 3 {
			cancel()
		}
		return always(1, 0, -9)(ctx, rows)
	})
	if !errors.Is(err, context.Canceled) || calls != 3 {
		t.Errorf("got %v after %d calls, want an end after the third", err, calls)
	}
	failed := errors.New("no luck")
	_, err = Captions().Run(t.Context(), Language{3, 2}, [][]int32{{0}},
		func(context.Context, []Row) ([][]float32, error) { return nil, failed })
	if !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	infinite := float32(math.Inf(-1))
	for says, c := range map[string]struct {
		Search
		Language
		prompt []int32
		next   Next
	}{
		"0 beams":                          {Search{Max: 3}, Language{3, 2}, nil, nil},
		"4 to 3 tokens":                    {Search{Beams: 1, Max: 3, Min: 4}, Language{3, 2}, nil, nil},
		"a length penalty of NaN":          {Search{Beams: 1, Max: 3, LengthPenalty: math.NaN()}, Language{3, 2}, nil, nil},
		"a repetition penalty of -1":       {Search{Beams: 1, Max: 3, RepetitionPenalty: -1}, Language{3, 2}, nil, nil},
		"the end has the id 3 of 3 tokens": {Captions(), Language{3, 3}, nil, nil},
		"prompt 0, token 1: the id 5 of 3": {Captions(), Language{3, 2}, []int32{0, 5}, nil},
		"prompt 0, token 0: the id -1":     {Captions(), Language{3, 2}, []int32{-1}, nil},
		"row 0: got 2 logits":              {Captions(), Language{3, 2}, nil, always(1, 2)},
		"the logit of token 1 is NaN":      {Captions(), Language{3, 2}, nil, always(1, float32(math.NaN()), 2)},
		"the logit of token 0 is +Inf":     {Captions(), Language{3, 2}, nil, always(float32(math.Inf(1)), 1, 2)},
		"text 0: no token can follow":      {Captions(), Language{3, 2}, nil, always(infinite, infinite, infinite)},
		"the end alone has another":        {Search{Beams: 2, Max: 3, Min: 1}, Language{3, 2}, nil, always(infinite, infinite, 0)},
		"got logits of 0 rows": {Captions(), Language{3, 2}, nil,
			func(context.Context, []Row) ([][]float32, error) { return nil, nil }},
	} {
		must.Fail(t, must.Err(c.Run(t.Context(), c.Language, [][]int32{c.prompt}, c.next)), says)
	}
}
