package generate

import (
	"context"
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// slowBeams is beam search told step by step, one prompt at a time: at each step all continuations of all prefixes are sorted, of the best
// 2 Beams those that end are finished texts if they are among the best Beams, and the best Beams others go on. Of finished texts the worst
// leaves when there are more than Beams. The search is over when there are Beams and, unless Early, what is best of all continuations,
// by its length, is no better than the worst of them; what is left at the last step counts as finished.
func slowBeams(s Search, l Language, r *tree, prompt []int32) Text {
	type prefix struct {
		ids []int32
		sum float64
	}
	going, finished := []prefix{{}}, []Text{}
	finish := func(ids []int32, sum float64, length int, ended bool) {
		finished = append(finished, Text{ids, sum / math.Pow(float64(length), s.LengthPenalty), ended})
		if len(finished) > s.Beams {
			worst := 0
			for k := range finished {
				if finished[k].Score < finished[worst].Score {
					worst = k
				}
			}
			finished = slices.Delete(finished, worst, worst+1)
		}
	}
	for length := 1; length <= s.Max; length++ {
		var all []prefix
		for _, p := range going {
			whole := slices.Concat(prompt, p.ids)
			for token, x := range penalised(s, softmax(r.of(whole)), whole) {
				if int32(token) != l.End || length > s.Min {
					all = append(all, prefix{append(slices.Clone(p.ids), int32(token)), p.sum + x})
				}
			}
		}
		sort.Slice(all, func(i, j int) bool { return all[i].sum > all[j].sum })
		all = all[:min(len(all), 2*s.Beams)]
		going = nil
		for rank, p := range all {
			if ends := p.ids[length-1] == l.End; ends && rank < s.Beams {
				finish(p.ids[:length-1], p.sum, length, true)
			} else if !ends && len(going) < s.Beams {
				going = append(going, p)
			}
		}
		if len(finished) == s.Beams {
			worst := math.Inf(1)
			for _, f := range finished {
				worst = math.Min(worst, f.Score)
			}
			if s.Early || worst >= all[0].sum/math.Pow(float64(length), s.LengthPenalty) {
				going = nil
				break
			}
		}
	}
	for _, p := range going {
		finish(p.ids, p.sum, len(p.ids), false)
	}
	best := finished[0]
	for _, f := range finished {
		if f.Score > best.Score {
			best = f
		}
	}
	return best
}

func TestBeamsAgainstSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, l, prompts := drawn(t, 7)
		s.Beams, s.Early = rapid.IntRange(2, 5).Draw(t, "beams"), rapid.Bool().Draw(t, "early")
		s.RepetitionPenalty = rapid.SampledFrom([]float64{0, 1.5}).Draw(t, "repetition penalty")
		r := newTree(t, l.Vocabulary)
		got, err := s.Run(context.Background(), l, prompts, r.next())
		if err != nil {
			t.Fatal(err)
		}
		for k, prompt := range prompts {
			equal(t, "best text", got[k], slowBeams(s, l, r, prompt))
		}
	})
}
