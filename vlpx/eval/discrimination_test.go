package eval_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/eval"
)

// waved is a bench by waves with sentences of some of its captions: of others' captions, as written ones, and of their own, as edited ones.
func waved(t *testing.T, frequency float64) (on eval.Subject, scores eval.Scores, sentences []eval.Sentence) {
	t.Helper()
	b := newBench(t)
	on, scores = newWaves(t, b, frequency)
	pairs := datasets.Pairs(b.Set)
	for k := range pairs {
		x := eval.Sentence{Pair: k, Caption: pairs[k].Text(b.Set), Edited: pairs[k].Text(b.Set)}
		if k%3 > 0 {
			x.Written = pairs[(7*k+1)%len(pairs)].Text(b.Set)
		}
		sentences = append(sentences, x)
	}
	on.Examples = func(run string) (eval.Examples, error) {
		if run != "0123" {
			return nil, errors.New("no such run")
		}
		return eval.Sentences.Examples(sentences), nil
	}
	return on, scores, sentences
}

// The accuracy is that of the scores pair by pair, over the captions that have a written sentence, whatever their number and order; a
// sentence that ties is not told apart.
func TestDiscriminationAgainstLoop(t *testing.T) {
	on, scores, all := waved(t, 0.05)
	pairs := datasets.Pairs(on.Set)
	rapid.Check(t, func(r *rapid.T) {
		some := rapid.Permutation(all).Draw(r, "order")[:rapid.IntRange(3, len(all)).Draw(r, "sentences")]
		on.Examples = func(string) (eval.Examples, error) { return eval.Sentences.Examples(some), nil }
		won, of := 0., 0.
		for _, x := range some {
			if x.Written == "" {
				continue
			}
			of++
			image, other := pairs[x.Pair].Image, (7*x.Pair+1)%len(pairs)
			if scores.Row(image)[x.Pair] > scores.Row(image)[other]+1e-6 { // captions of the same tokens tie
				won++
			}
		}
		got, err := eval.Discrimination{Of: "0123", Against: eval.Written}.Measure(r.Context(), on)
		if of == 0 {
			if err != nil || got.Metrics == nil || len(got.Metrics) > 0 {
				r.Fatalf("nothing written: got %v (%v), want no metric", got.Metrics, err)
			}
			return
		}
		if err != nil || len(got.Metrics) != 1 || math.Abs(got.Metrics[eval.DiscriminationAccuracy]-100*won/of) > 1e-9 {
			r.Fatalf("got %v (%v), want %g of %g", got.Metrics, err, won, of)
		}
		if got, err := (eval.Discrimination{Of: "0123", Against: eval.Edited}).Measure(r.Context(), on); err != nil ||
			got.Metrics[eval.DiscriminationAccuracy] != 0 {
			r.Fatalf("captions against themselves: got %v (%v), want no one right", got.Metrics, err)
		}
	})
}

// What cannot be asked is told, with what to do.
func TestDiscriminationRefuses(t *testing.T) {
	on, _, sentences := waved(t, 0.05)
	written := eval.Discrimination{Of: "0123", Against: eval.Written}
	diverged, _, _ := waved(t, math.NaN())
	alone, embedding, other, missing := on, newBench(t).Subject, on, on
	alone.Examples, other.Set = nil, datasets.First(on.Set, 2, 0)
	missing.Examples = func(string) (eval.Examples, error) {
		return eval.Sentences.Examples([]eval.Sentence{{Pair: -1, Written: "a"}}), nil
	}
	moved := on
	moved.Examples = func(string) (eval.Examples, error) {
		return eval.Sentences.Examples([]eval.Sentence{{Pair: 1, Caption: sentences[0].Caption, Written: "a"}}), nil
	}
	for name, c := range map[string]struct {
		task eval.Discrimination
		on   eval.Subject
		want string
	}{
		"embeddings":     {written, embedding, "ALBEF does not make"},
		"no run":         {eval.Discrimination{Against: eval.Written}, on, "of no run"},
		"another run":    {eval.Discrimination{Of: "4567", Against: eval.Written}, on, "no such run"},
		"no version":     {eval.Discrimination{Of: "0123"}, on, `no "" sentences`},
		"itself":         {eval.Discrimination{Of: "0123", Against: eval.Original}, on, "against themselves"},
		"no store":       {written, alone, "Subject.Examples"},
		"fewer captions": {written, other, "on the same data"},
		"no such pair":   {written, missing, "on the same data"},
		"another pair":   {written, moved, "on the same data"},
		"no captions":    {written, eval.Subject{Model: on.Model, Set: datasets.Uncaptioned(on.Set)}, "needs a caption of each image"},
		"NaN":            {written, diverged, "diverged"},
	} {
		if got, err := c.task.Measure(t.Context(), c.on); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v (%v), want an error with %q", name, got.Metrics, err, c.want)
		}
	}
}
