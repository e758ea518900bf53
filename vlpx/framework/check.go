package framework

import (
	"errors"
	"fmt"
	"slices"

	"vlpx.internal/vlpx/negative"
)

// Lacking is the error of a method that needs what a framework has not, as MAFA needs image-text matching and CLIP has none. Another method
// may suit the same framework.
type Lacking struct {
	Method, Framework string // names
	Needs             string // what it lacks, such as "image-text matching"
	Advice            string
}

// Error implements error.
func (l *Lacking) Error() string {
	return fmt.Sprintf("framework: %s needs %s, which %s has not; %s", l.Method, l.Needs, l.Framework, l.Advice)
}

// ErrUnknown is that of a run whose framework this program does not have, since another one defines it.
var ErrUnknown = errors.New("framework: the run's framework is none of this program's; ask the program that defines it")

// Check reports why a framework cannot be used so. Where it is that the method suits another framework the error is a [Lacking].
func Check(f Framework, u Use) error {
	if f == nil {
		return ErrUnknown
	}
	if err := f.Check(u); err != nil {
		return err
	}
	lacks := func(needs, advice string) error { return &Lacking{u.Method.Name, f.Name(), needs, advice} }
	missing := func(which negative.Objectives) (negative.Loss, bool) {
		for _, loss := range which.Losses() {
			if !slices.Contains(f.Losses(), loss) {
				return loss, true
			}
		}
		return "", false
	}
	has := fmt.Sprintf("it has %s", negative.Of(f.Losses()...))
	if loss, lacking := missing(u.Objectives); lacking {
		return lacks("the loss "+string(loss), has)
	}
	if rewarded, ok := u.Method.Batches.(negative.Rewarded); ok {
		if loss, lacking := missing(rewarded.Reward()); lacking {
			return lacks("the loss "+string(loss)+" for a reward", has+"; for FALCON set scheduler.objectives")
		}
	}
	if _, matches := f.(Matches); !matches && u.Method.Positives != nil {
		return lacks("image-text matching", "take a framework that has, or a method without Positives")
	}
	if loss, lacking := missing(negative.Of(negative.ITM, negative.MLM)); lacking && u.Method.Writes() {
		return lacks("the loss "+string(loss), "sentences are written by masked words and are negatives of image-text matching; take "+
			"a framework that has both")
	}
	if _, embeds := f.(Embeds); !embeds && u.Method.Embeds() {
		return lacks("embeddings of images and captions", "take a framework that makes them, or uniform mini-batches")
	}
	return nil
}
