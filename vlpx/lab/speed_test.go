package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// Each method of each framework at each scale is measured with each batch, one's own among them, and a notebook gets the table that the
// command prints.
func TestMeasureSpeed(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go:ops_sequential")
	own := negative.Plain()
	own.Name = "Mine"
	of := Speed{Methods: []string{"GRIT-VLP", "Mine"}, Frameworks: []string{"ALBEF", "clip"}, Batches: []int{4, 8},
		Scales: []string{"tiny"},
		What:   []string{"sampler"}, Rounds: 1}
	var said []string
	result := must.Get(MeasureSpeed(t.Context(), of, Options{Home: t.TempDir(), Own: []negative.Method{own}},
		nil, func(line string) { said = append(said, line) }))(t)
	var got, want []string
	for _, framework := range []string{"ALBEF", "CLIP"} {
		for _, method := range of.Methods {
			for _, batch := range of.Batches {
				want = append(want, fmt.Sprintf("%s, %s, batch %d", framework, method, batch))
			}
		}
	}
	for _, l := range result.Lines {
		got = append(got, fmt.Sprintf("%s, %s, batch %d", l.Framework, l.Method, l.Batch))
	}
	if !slices.Equal(got, want) || len(said) != 2*len(want) {
		t.Errorf("got %q and said %q, want %q", got, said, want)
	}
	if text := texts(t, result.Table()); !strings.Contains(text, "CLIP, Mine, batch 8: sampler, a mini-batch") ||
		!strings.Contains(text, "go:ops_sequential") {
		t.Errorf("got the table\n%s", text)
	}
}
