package generate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Search is how a text is searched for: beam search as Hugging Face's generate has it.
type Search struct {
	// Beams is the number of prefixes of a text that go on side by side; with 1 each token is the most probable one.
	Beams int
	// Max is the number of tokens that a text may have, its end among them; a longer one is cut.
	Max int
	// Min is the number of tokens that come before the end at least. Published settings count what stands before them, too: where a decoder
	// starts with one token a min_length of 1 is 0 here.
	Min int `json:",omitempty"`
	// LengthPenalty is the power of its length, the end included, by which a text's log-likelihood is divided: above 0 it favours long
	// ones.
	LengthPenalty float64
	// RepetitionPenalty is CTRL's (Keskar et al., 2019): scores of tokens that stand already are multiplied by it where they are below
	// zero, else divided. They are logits where Beams is 1, else log-probabilities. 0 is 1, no penalty.
	RepetitionPenalty float64 `json:",omitempty"`
	// Early ends a text's search once there are as many finished ones as beams. Otherwise it goes on until no prefix has a better score by
	// its present length than the worst of these.
	Early bool `json:",omitempty"`
}

// Captions is how BLIP-2's captions are searched for (LAVIS, Blip2OPT.generate).
func Captions() Search { return Search{Beams: 5, Max: 30, LengthPenalty: 1} }

// Answers is how BLIP-2's answers to questions are searched for (LAVIS, Blip2OPT.predict_answers).
func Answers() Search { return Search{Beams: 5, Max: 10, LengthPenalty: -1} }

// Check tells what is wrong with the settings.
func (s Search) Check() error {
	switch {
	case s.Beams < 1 || s.Max < 1 || s.Min < 0 || s.Min > s.Max:
		return fmt.Errorf("generate: %d beams, %d to %d tokens; take a beam and a token at least", s.Beams, s.Min, s.Max)
	case math.IsNaN(s.LengthPenalty) || math.IsInf(s.LengthPenalty, 0):
		return fmt.Errorf("generate: a length penalty of %g; take a number, such as 1", s.LengthPenalty)
	case !(s.RepetitionPenalty >= 0) || math.IsInf(s.RepetitionPenalty, 0):
		return fmt.Errorf("generate: a repetition penalty of %g; take a number above 0, 1 for none", s.RepetitionPenalty)
	}
	return nil
}

// Language is what a search needs to know of a model's tokens: how many there are, and the one that ends a text.
type Language struct {
	Vocabulary int
	End        int32
}

// Row is a prefix whose next token is asked for.
type Row struct {
	Text int     // the prompt that it continues
	From int     // the row of the call before that it continues by its last token; -1 in the first call
	IDs  []int32 // the prompt and the tokens behind it
}

// Next returns the logits of the token behind each row, [rows][vocabulary].
type Next func(ctx context.Context, rows []Row) ([][]float32, error)

// Text is one that was found.
type Text struct {
	IDs   []int32 // without prompt and end
	Score float64 // its log-likelihood over its length to the power of the length penalty, penalties for repetition included
	Ended bool    // by its end; otherwise it was cut
}

// Run finds the best text behind each prompt.
func (s Search) Run(ctx context.Context, l Language, prompts [][]int32, next Next) ([]Text, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if l.End < 0 || int(l.End) >= l.Vocabulary {
		return nil, fmt.Errorf("generate: the end has the id %d of %d tokens; is the tokenizer another model's?", l.End, l.Vocabulary)
	}
	all := make([]text, len(prompts))
	for k, prompt := range prompts {
		for at, id := range prompt {
			if id < 0 || int(id) >= l.Vocabulary {
				return nil, fmt.Errorf("generate: prompt %d, token %d: the id %d of %d tokens; is the tokenizer another model's?", k, at,
					id, l.Vocabulary)
			}
		}
		all[k] = text{Search: s, Language: l, prompt: len(prompt), beams: []beam{{ids: prompt, row: -1}}}
	}
	for step := 1; step <= s.Max; step++ {
		var rows []Row
		for k := range all {
			for b := range all[k].beams {
				of := &all[k].beams[b]
				rows = append(rows, Row{Text: k, From: of.row, IDs: of.ids})
				of.row = len(rows) - 1
			}
		}
		if len(rows) == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		logits, err := next(ctx, rows)
		if err != nil {
			return nil, err
		}
		if err := l.check(rows, logits); err != nil {
			return nil, err
		}
		for k := range all {
			if err := all[k].extend(step, logits); err != nil {
				return nil, fmt.Errorf("generate: text %d: %w", k, err)
			}
		}
	}
	texts := make([]Text, len(all))
	for k := range all {
		texts[k] = all[k].best()
	}
	return texts, nil
}

// check tells what is wrong with logits.
func (l Language) check(rows []Row, logits [][]float32) error {
	if len(logits) != len(rows) {
		return fmt.Errorf("generate: got logits of %d rows, want %d", len(logits), len(rows))
	}
	for r, of := range logits {
		if len(of) != l.Vocabulary {
			return fmt.Errorf("generate: row %d: got %d logits, want one for each of %d tokens", r, len(of), l.Vocabulary)
		}
		if id := slices.IndexFunc(of, func(x float32) bool { return x != x || x > math.MaxFloat32 }); id >= 0 {
			return fmt.Errorf("generate: row %d (text %d): the logit of token %d is %g; did training diverge?", r, rows[r].Text, id, of[id])
		}
	}
	return nil
}

// text is one while it is searched for.
type text struct {
	Search
	Language
	prompt int    // its tokens
	beams  []beam // that go on, the best first; none once the search has ended
	found  []Text // at most Beams, the best first
}

// beam is a prefix.
type beam struct {
	ids   []int32
	score float64 // its log-likelihood, with penalties
	row   int     // of the last call
}

// candidate is a beam with one more token.
type candidate struct {
	of    *beam
	token int32
	score float64
}

// extend takes a step by the logits of all rows, the step-th from 1.
func (t *text) extend(step int, logits [][]float32) error {
	if len(t.beams) == 0 {
		return nil
	}
	best := make([]candidate, 0, 2*t.Beams+1) // as many without ends among them as there are beams
	for b := range t.beams {
		of := &t.beams[b]
		for token, x := range t.scores(of, step, logits[of.row]) {
			c := candidate{of, int32(token), of.score + x}
			if math.IsInf(x, -1) || len(best) == 2*t.Beams && c.score <= best[len(best)-1].score {
				continue
			}
			at, _ := slices.BinarySearchFunc(best, c, func(a, b candidate) int {
				if a.score >= b.score { // of equal ones the first stays first
					return -1
				}
				return 1
			})
			best = slices.Insert(best, at, c)
			best = best[:min(len(best), 2*t.Beams)]
		}
	}
	var on []beam
	for rank, c := range best {
		switch {
		case c.token == t.End && rank < t.Beams:
			t.add(Text{IDs: c.of.ids[t.prompt:], Score: t.normal(c.score, step), Ended: true})
		case c.token != t.End && len(on) < t.Beams:
			on = append(on, beam{append(slices.Clip(c.of.ids), c.token), c.score, c.of.row})
		}
	}
	switch {
	case len(best) == 0 && len(t.found) == 0:
		return fmt.Errorf("no token can follow: all have the probability 0, or the end alone has another and %d tokens are asked for",
			t.Min)
	case len(best) == 0, len(t.found) == t.Beams && (t.Early || t.found[t.Beams-1].Score >= t.normal(best[0].score, step)):
		on = nil
	case step == t.Max:
		for _, b := range on {
			t.add(Text{IDs: b.ids[t.prompt:], Score: t.normal(b.score, step)})
		}
	}
	t.beams = on
	return nil
}

// scores are the log-probabilities of the tokens behind a beam, with penalties; minus infinity for one that must not follow.
func (t *text) scores(of *beam, step int, logits []float32) []float64 {
	scores := make([]float64, len(logits))
	for token, x := range logits {
		scores[token] = float64(x)
	}
	if t.Beams > 1 {
		logSoftmax(scores)
	}
	if p := t.RepetitionPenalty; p != 0 && p != 1 {
		met := map[int32]bool{}
		for _, id := range of.ids {
			switch x := scores[id]; {
			case met[id]:
			case x < 0:
				scores[id] = x * p
			default:
				scores[id] = x / p
			}
			met[id] = true
		}
	}
	if step <= t.Min {
		scores[t.End] = math.Inf(-1)
	}
	if t.Beams == 1 {
		logSoftmax(scores)
	}
	return scores
}

// logSoftmax turns logits into log-probabilities.
func logSoftmax(x []float64) {
	most, sum := slices.Max(x), 0.0
	if math.IsInf(most, -1) {
		return
	}
	for _, v := range x {
		sum += math.Exp(v - most)
	}
	for k := range x {
		x[k] -= most + math.Log(sum)
	}
}

// normal is the score of a text of so many tokens by its log-likelihood.
func (t *text) normal(likelihood float64, tokens int) float64 {
	return likelihood / math.Pow(float64(tokens), t.LengthPenalty)
}

// add keeps a text if it is among the best that are kept.
func (t *text) add(found Text) {
	t.found = append(t.found, found)
	slices.SortStableFunc(t.found, func(a, b Text) int { return cmp.Compare(b.Score, a.Score) })
	t.found = t.found[:min(len(t.found), t.Beams)]
}

// best is what the search has found.
func (t *text) best() Text { return t.found[0] }
