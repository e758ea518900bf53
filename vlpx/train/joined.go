package train

import (
	"slices"

	"vlpx.internal/vlpx/negative"
)

// roomHistory is the number of steps whose new positives report how much room the next one gets.
const roomHistory = 16

// room is the number of MLM's rows for new positives in the next step: as many as the last steps would have needed at most. Rows
// to spare cost as much as others, and a step that lacks some is made again.
func (t *trainer) room() int {
	c := t.job.Config
	if c.Method.Positives == nil {
		return 0
	}
	// a step cannot be made again: it has moved the queue
	if _, distils := c.Method.Contrast.(negative.Distiller); distils || c.Method.Keeps() {
		return 2 * c.BatchSize
	}
	if len(t.Joined) == 0 {
		return c.BatchSize
	}
	return t.fitting(slices.Max(t.Joined))
}

// fitting is the room for so many new positives, in quarters of a batch, so that few graphs are compiled.
func (t *trainer) fitting(joined int) int {
	b := t.job.Config.BatchSize
	quarter := max(b/4, 1)
	return min((max(joined, 1)+quarter-1)/quarter*quarter, 2*b)
}
