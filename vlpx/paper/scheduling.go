package paper

import (
	"fmt"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// shownEpochs is how many epochs a figure about the scheduler shows at most, evenly spread.
const shownEpochs = 5

// ScheduledEpochs are the epochs whose mini-batches the scheduler built: all but the first.
func ScheduledEpochs(epochs []train.Record) []train.Record {
	var scheduled []train.Record
	for _, record := range epochs {
		if record.Observed.Scheduling() != nil && record.Observed.Scheduling().Reward.N > 0 {
			scheduled = append(scheduled, record)
		}
	}
	return scheduled
}

// SomeEpochs takes at most five epochs, evenly, the first and the last among them.
func SomeEpochs(epochs []train.Record) []train.Record {
	if len(epochs) <= shownEpochs {
		return epochs
	}
	var some []train.Record
	for k := range shownEpochs {
		some = append(some, epochs[k*(len(epochs)-1)/(shownEpochs-1)])
	}
	return some
}

// Pooled adds up what the schedulers of several seeds did, epoch by epoch, but for the anchors that were followed.
func Pooled(results []run.Result) []train.Record {
	var epochs []train.Record
	for _, result := range results {
		for e, record := range result.Epochs {
			if e == len(epochs) {
				epochs = append(epochs, train.Record{Epoch: record.Epoch,
					Observed: negative.Observations{"scheduling": &negative.Scheduling{}}})
			}
			if record.Observed.Scheduling() != nil {
				pool(epochs[e].Observed.Scheduling(), *record.Observed.Scheduling())
			}
		}
	}
	return epochs
}

func pool(sum *negative.Scheduling, s negative.Scheduling) {
	sum.Reward.Merge(s.Reward)
	sum.Classes = atLeast(sum.Classes, len(s.Classes))
	for k, class := range s.Classes {
		of := &sum.Classes[k]
		of.Words = class.Words
		of.Quantile.Merge(class.Quantile)
		of.A.Merge(class.A)
		of.B.Merge(class.B)
		of.Negative += class.Negative
		of.True += class.True
	}
	for _, counts := range []struct {
		sum *[]int
		of  []int
	}{{&sum.Quantiles, s.Quantiles}, {&sum.I2T, s.I2T}, {&sum.T2I, s.T2I}} {
		*counts.sum = atLeast(*counts.sum, len(counts.of))
		for bin, n := range counts.of {
			(*counts.sum)[bin] += n
		}
	}
}

// atLeast is a slice of at least n, with zeros behind what it had.
func atLeast[T any](s []T, n int) []T { return append(s, make([]T, max(0, n-len(s)))...) }

// EpochNumber counts epochs from 1, as the curves do.
func EpochNumber(record train.Record) string { return fmt.Sprint(record.Epoch + 1) }

// SpreadOf are moments as a table shows them.
func SpreadOf(m negative.Moments) tables.Value {
	return tables.Value{Mean: m.Mean, Std: m.Std(), N: m.N}
}
