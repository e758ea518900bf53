package bench

import (
	"context"
	"time"
)

// contender is something that is measured in turn with others.
type contender interface {
	// turn does it a few times and returns what each took, in seconds.
	turn(ctx context.Context) (Times, error)
}

// settle is the rest between turns: threads of the one that was at work spin for a while before they sleep. It is our choice. OpenMP's spin
// longest: the second thread of a PyTorch held a core for 100 ms after its step.
const settle = 200 * time.Millisecond

// inTurns lets each contender have a turn a round, who is first by turns, too, so that what else the machine does meets all of them. A
// round before the first is to warm up and does not count.
func inTurns(ctx context.Context, rounds int, all []contender) ([]Times, error) {
	const warm = 1
	times := make([]Times, len(all))
	for round := range warm + rounds {
		for k := range all {
			k = (k + round) % len(all)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			time.Sleep(settle)
			took, err := all[k].turn(ctx)
			if err != nil {
				return nil, err
			}
			if round >= warm {
				times[k] = append(times[k], took...)
			}
		}
	}
	return times, nil
}

// burst is how many steps a turn has. The first one does not count: it finds the caches full of another's numbers.
const burst = 5

// bursts does something burst times and returns what all but the first took.
func bursts(ctx context.Context, do func() (time.Duration, error)) (Times, error) {
	var times Times
	for k := range burst {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		took, err := do()
		if err != nil {
			return nil, err
		}
		if k > 0 {
			times = append(times, took.Seconds())
		}
	}
	return times, nil
}
