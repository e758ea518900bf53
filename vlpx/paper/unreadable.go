package paper

import (
	"fmt"

	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Unreadable are images that the runs of a report could not read.
type Unreadable struct {
	// Training tells those of the training split, for which others stood in the mini-batches.
	Training []string `json:"training,omitempty"`
	// Evaluation names those of the splits "val" and "test", which take part as the mean colour.
	Evaluation map[string][]string `json:"evaluation,omitempty"`
}

// add takes a run's in, each once.
func (u *Unreadable) add(r run.Result) {
	u.Training = plan.Joined(u.Training, r.Skipped)
	for split, keys := range r.Unreadable {
		if u.Evaluation == nil {
			u.Evaluation = map[string][]string{}
		}
		u.Evaluation[split] = plan.Joined(u.Evaluation[split], keys)
	}
}

// UnreadableNote tells how many images runs could not read, as a sentence to go behind others; empty for none.
func UnreadableNote(results ...run.Result) string {
	var u Unreadable
	for _, result := range results {
		u.add(result)
	}
	return u.note()
}

// count is how many images there are, of all splits.
func (u Unreadable) count() int {
	n := len(u.Training)
	for _, keys := range u.Evaluation {
		n += len(keys)
	}
	return n
}

// note tells how many there are and which; empty for none.
func (u Unreadable) note() string {
	note := ""
	for _, of := range []struct{ split, title string }{{"test", "test"}, {"val", "validation"}} {
		if keys := u.Evaluation[of.split]; len(keys) > 0 {
			note += fmt.Sprintf(" Images of the %s split that could not be read and count as the mean colour: %d (%s).", of.title,
				len(keys), run.Some(keys))
		}
	}
	if n := len(u.Training); n > 0 {
		note += fmt.Sprintf(" Training images that could not be read, for which others stood in the mini-batches: %d; one: %s.", n,
			u.Training[0])
	}
	return note
}
