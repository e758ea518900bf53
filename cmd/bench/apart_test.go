package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// chunked are CLIP's steps of a mini-batch as a whole and in chunks.
func chunked(t *testing.T, chunks ...string) (cases []Case) {
	for _, chunk := range chunks {
		cases = append(cases, tiny(t, "InfoNCE", "framework=clip", "batchsize=4", "chunk="+chunk))
	}
	return cases
}

// Each case is measured in a process of its own; one whose process ends is left out, and the others are measured nevertheless.
func TestApart(t *testing.T) {
	answer := `while read part; do echo '{"seconds": %s, "losses": {}}' >&` + fmt.Sprint(answersFile) + "; done"
	paths := []string{program(t, fmt.Sprintf(answer, "2")), program(t, "read part; kill -9 $$"), program(t, fmt.Sprintf(answer, "2.5"))}
	s := Settings{Rounds: 1, Apart: true, Again: func(ctx context.Context, index int) *exec.Cmd {
		return exec.CommandContext(ctx, paths[index])
	}}
	var said []string
	result := must.Get(Measure(t.Context(), executor(t), chunked(t, "0", "2", "1"), s, func(line string) { said = append(said, line) }))(t)
	if len(said) != 3 || said[1] != "CLIP, InfoNCE, batch 4 at tiny in chunks of 2" {
		t.Errorf("said %q", said)
	}
	if want := []string{said[1] + ": a process of this program ended: signal: killed"}; !slices.Equal(result.Left, want) {
		t.Errorf("left out %q, want %q", result.Left, want)
	}
	if len(result.Lines) != 2 || result.Lines[0].Undivided != 0 || result.Lines[1].Chunk != 1 || result.Lines[1].Undivided != 1.25 {
		t.Errorf("got %+v", result.Lines)
	}
	var text strings.Builder
	must.Do(t, result.Table().Markdown(&text))
	for _, want := range []string{"| CLIP, InfoNCE, batch 4 at tiny in chunks of 1 | float32 | 2500 | 2 |", "| 1.25 |", "Left out: " + said[1]} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("got\n%s\nwant %q", text.String(), want)
		}
	}
}

// A cancelled context ends the measurement, and is no reason to leave a case out.
func TestApartStops(t *testing.T) {
	asleep := program(t, "exec sleep 1000")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("enough"))
	defer cancel()
	s := Settings{Apart: true, Again: func(ctx context.Context, _ int) *exec.Cmd { return exec.CommandContext(ctx, asleep) }}
	must.Fail(t, must.Err(Measure(ctx, executor(t), chunked(t, "2"), s, nil)), "enough")
}
