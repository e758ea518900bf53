package explore

import (
	"strings"
	"testing"
	"time"

	"vlpx.internal/vlpx/negative"
)

// unfinished panics with something that is no error; lossless returns nothing of use.
type (
	unfinished struct{}
	lossless   struct{}
)

func (unfinished) ITC(negative.Features) negative.Contrasted { panic("not done") }

func (lossless) ITC(negative.Features) negative.Contrasted { return negative.Contrasted{} }

// A part of one's own that is wrong is an error that says what is, and nothing waits for its graph.
func TestPartsThatAreWrong(t *testing.T) {
	for says, contrast := range map[string]negative.Contrast{"not done": unfinished{}, "lossless.ITC returns is missing": lossless{}} {
		x, told := explorer(t, newAlbum(20, 2)), make(chan error, 1)
		go func() {
			_, err := x.Negatives(t.Context(), 0, OfImage, 3, []negative.Method{{Name: "mine", Contrast: contrast}})
			told <- err
		}()
		select {
		case err := <-told:
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("error %v, want one that says %q", err, says)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it waits for ever", says)
		}
	}
}
