package command

import (
	"strings"
	"testing"
)

// The shell completes artifacts, methods, the settings behind them, runs and settings.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	trained, _ := succeed(t, dir, shortest("train", "InfoNCE")...)
	id := strings.Fields(trained[strings.Index(trained, "\nrun "):])[1][:8]
	for _, call := range []struct {
		args []string
		want string
	}{
		{[]string{"reproduce", "falcon/table1"}, "falcon/table1\n"},
		{[]string{"compare", "InfoNCE", "grit"}, "GRIT-VLP\n"},
		{[]string{"train", "GRIT-VLP, temp"}, "GRIT-VLP, temperature=\n"},
		{[]string{"train", "GRIT-VLP, con"}, "GRIT-VLP, contrast=\n"},
		{[]string{"train", "GRIT-VLP", "-set", "epo"}, "epochs=\n"},
		{[]string{"train", "GRIT-VLP", "-scale", "ti"}, "tiny\n"},
		{[]string{"train", "GRIT-VLP", "-framework", "cl"}, "CLIP\n"},
		{[]string{"runs", "show", id[:4]}, id + "\tInfoNCE\n"},
		{[]string{"rm", ""}, id},
	} {
		if out, _ := succeed(t, dir, append([]string{"__complete"}, call.args...)...); !strings.Contains(out, call.want) {
			t.Errorf("%q completes to %q, want %q", call.args, out, call.want)
		}
	}
}
