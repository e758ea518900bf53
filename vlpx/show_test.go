package vlpx

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestStatusLineKeepsAReadersPace(t *testing.T) {
	var got []string
	line := statusLine{each: time.Second, write: func(text string) { got = append(got, text) }}
	line.erase()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		after time.Duration
		text  string
	}{{0, "step 1"}, {999 * time.Millisecond, "step 2"}, {time.Second, "step 3"}, {1999 * time.Millisecond, "step 4"}, {5 * time.Second, "step 5"}} {
		line.show(start.Add(step.after), step.text)
	}
	line.erase()
	if want := []string{"step 1", "step 3", "step 5", ""}; !slices.Equal(got, want) {
		t.Errorf("written %q, want %q: nothing before the first text, then one a second, at last the empty one", got, want)
	}
}

// TestShowEndsTheProgram runs Show in a process of its own, as a cell does.
func TestShowEndsTheProgram(t *testing.T) {
	const key = "VLPX_TEST_SHOW"
	if id := os.Getenv(key); id != "" {
		Show(id, Options{Scale: "tiny"})
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestShowEndsTheProgram$")
	command.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GONB_") }),
		key+"=falcon/tabel1", "VLPX_HOME="+t.TempDir())
	var complaint strings.Builder
	command.Stderr = &complaint
	err := command.Run()
	if got := command.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit status %d (%v), want 1", got, err)
	}
	if got := complaint.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"falcon/table1"`) {
		t.Errorf("standard error %q, want one line that suggests falcon/table1", got)
	}
}
