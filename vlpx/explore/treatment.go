package explore

import (
	"context"
	"fmt"
	"math"

	"vlpx.internal/vlpx/negative"
)

// Treatment is what a method would do with a candidate.
type Treatment struct {
	// Meet is the chance that the negative shares a mini-batch with the anchor in an epoch; NaN where the method learns that from
	// rewards. The other fields report what happens once it does.
	Meet float64
	// Push is the candidate's share of ITC's push on the anchor: the derivative of the loss by their cosine, over the sum of such
	// derivatives of the mini-batch's negatives that are pushed away. Negative where the candidate is pulled. Being a share, it does
	// not depend on the loss's scale, which is a sum of directions for some methods and a mean for others. NaN where ITC pushes
	// no negative.
	Push float64
	// Picked is the chance that ITM takes the negative for the anchor. Of a matching that does not tell whose pick a pair is, it is
	// the chance that ITM sees the two as not matching.
	Picked float64
	// Score is the judge's probability that the two match, and Decision what the method's Positives make of the negative if it is picked.
	// NaN and Unjudged without Positives.
	Score    float64
	Decision Decision
}

// ask asks a method about a mini-batch, whose pair 0 is the anchor's. Meet is left to the caller.
func (x *Explorer) ask(ctx context.Context, m negative.Method, batch []int, side Side) ([]Treatment, error) {
	l, err := x.compiledMethod(m, side)
	if err != nil {
		return nil, fmt.Errorf("explore: %s: %w", m.Name, err)
	}
	sc := scene{temperature: x.temperature, progress: x.Progress, seed: x.start.Seed}
	sc.image, sc.text = x.features(batch)
	for _, p := range batch {
		sc.items, sc.index = append(sc.items, int32(x.pairs[p].Image)), append(sc.index, int32(p))
	}
	if sc.truth, err = x.truth(m, batch); err != nil {
		return nil, err
	}
	if sc.scores, err = x.scores(ctx, m, batch, side, sc.truth); err != nil {
		return nil, err
	}
	seen, err := l.look(sc)
	if err != nil {
		return nil, err
	}
	pushed := 0.0
	for _, g := range seen.push[1:] {
		pushed += max(g, 0)
	}
	treatments := make([]Treatment, len(batch))
	for i := range treatments {
		t := Treatment{Meet: math.NaN(), Push: math.NaN(), Picked: seen.picked[i], Score: math.NaN()}
		if pushed > 0 {
			t.Push = seen.push[i] / pushed
		}
		if m.Positives != nil {
			t.Score, t.Decision = float64(sc.scores[l.at(i)]), seen.decision[i]
		}
		treatments[i] = t
	}
	return treatments, nil
}

// compiledMethod is the compiled form of a method.
func (x *Explorer) compiledMethod(m negative.Method, side Side) (*compiledMethod, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	of, err := identity(m)
	if err != nil {
		return nil, err
	}
	key := compiledKey{of, side}
	if x.compiled[key] == nil {
		l, err := x.compile(m, side)
		if err != nil {
			return nil, err
		}
		x.compiled[key] = l
	}
	return x.compiled[key], nil
}

// at is where the scores [batch, batch] have the anchor with a pair.
func (l *compiledMethod) at(pair int) int {
	if l.side == OfText {
		return pair * l.batch
	}
	return pair
}
