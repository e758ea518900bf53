package train

import (
	"strings"
	"testing"
	"time"

	"vlpx.internal/vlpx/negative"
)

// unfinished is a contrast of one's own that panics with something that is no error.
type unfinished struct{}

func (unfinished) ITC(negative.Features) negative.Contrasted { panic("not done") }

// A part that panics while the graph is built ends the run; it must not wait for the graph.
func TestPanicInAPart(t *testing.T) {
	told := make(chan any, 1)
	job := smallest(t, negative.Method{Name: "mine", Contrast: unfinished{}}.WithDefaults())
	go func() {
		defer func() {
			if p := recover(); p != nil {
				told <- p
			}
		}()
		_, _, err := Train(t.Context(), job)
		told <- err
	}()
	select {
	case got := <-told:
		if err, ok := got.(error); !ok || !strings.Contains(err.Error(), "not done") {
			t.Errorf("got %v, want an error that says what the part said", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for ever")
	}
}
