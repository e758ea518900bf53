package cell

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv("CELL_TEST") == "child":
		child()
	case os.Getenv("CELL_TEST") == "parent":
		parent()
	default:
		os.Exit(m.Run())
	}
}

// child writes why its context ends.
func child() {
	ctx, stop := Context()
	defer stop()
	os.WriteFile(os.Getenv("CELL_FILE"), []byte("ready\n"), 0o644)
	<-ctx.Done()
	os.WriteFile(os.Getenv("CELL_FILE"), []byte(context.Cause(ctx).Error()+"\n"), 0o644)
}

// parent starts a child and waits to be killed.
func parent() {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "CELL_TEST=child")
	if err := command.Run(); err != nil {
		os.Exit(1)
	}
}

// TestContext ends a program by an interrupt, by a request to terminate, and by the death of the process that started it.
func TestContext(t *testing.T) {
	for _, test := range []struct {
		name, as, says string
		signal         os.Signal
	}{
		{"interrupt", "child", "interrupt", os.Interrupt},
		{"terminate", "child", "terminated", syscall.SIGTERM},
		{"orphan", "parent", ErrOrphaned.Error(), os.Kill},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "said")
			said := func(want string) {
				t.Helper()
				text := ""
				for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
					read, _ := os.ReadFile(file)
					if text = string(read); strings.Contains(text, want) {
						return
					}
				}
				t.Fatalf("it says %q, want %q", text, want)
			}
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), "CELL_TEST="+test.as, "CELL_FILE="+file)
			must.Do(t, command.Start())
			defer command.Wait()
			said("ready")
			must.Do(t, command.Process.Signal(test.signal))
			said(test.says)
		})
	}
}
