package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// program is the command, which its first call builds: fuzz targets call none and start at once.
var program string

var built sync.Once

func TestMain(m *testing.M) {
	status := m.Run()
	if program != "" {
		os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(status)
}

// build builds the command.
func build() {
	dir, err := os.MkdirTemp("", "vlpx")
	if err == nil {
		program = filepath.Join(dir, "vlpx")
		var out []byte
		if out, err = exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s", "-o", program, "../vlpx").CombinedOutput(); err != nil {
			err = fmt.Errorf("go build: %w: %s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// prepared is the command with pure Go as its engine, in a folder of its own.
func prepared(dir string, args ...string) (c *exec.Cmd, out, errs *bytes.Buffer) {
	built.Do(build)
	c = exec.Command(program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOMLX_BACKEND=go:ops_sequential", "VLPX_HOME="+filepath.Join(dir, "home"), "VLPX_DATA=")
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	c.Stdout, c.Stderr = out, errs
	return c, out, errs
}

// executed runs the command in a folder and returns what it printed and its exit status, -1 for a signal.
func executed(t *testing.T, dir string, args ...string) (out, errs string, status int) {
	t.Helper()
	c, outBuffer, errBuffer := prepared(dir, args...)
	status = exit(t, c.Run())
	return outBuffer.String(), errBuffer.String(), status
}

func exit(t *testing.T, err error) int {
	t.Helper()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

// succeed runs the command and fails the test unless it succeeds.
func succeed(t *testing.T, dir string, args ...string) (out, errs string) {
	t.Helper()
	out, errs, status := executed(t, dir, args...)
	if status != 0 {
		t.Fatalf("vlpx %s: status %d: %s", strings.Join(args, " "), status, errs)
	}
	return out, errs
}

// shortest are the arguments of one small run of a command.
func shortest(command ...string) []string {
	return append(command, "-scale", "tiny", "-seeds", "1", "-set", "scenes.train=16", "-set", "scenes.test=4", "-set", "scenes.val=4",
		"-set", "rerank=2", "-set", "epochs=2")
}

// until starts the command and returns once it tells something on standard error, such as its first step.
func until(t *testing.T, told, dir string, args ...string) (c *exec.Cmd, errs func() string) {
	t.Helper()
	c, _, _ = prepared(dir, args...)
	file := must.Get(os.CreateTemp(t.TempDir(), "stderr"))(t)
	t.Cleanup(func() { file.Close() })
	c.Stderr = file
	errs = func() string {
		text := must.Get(os.ReadFile(file.Name()))(t)
		return string(text)
	}
	must.Do(t, c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	for deadline := time.Now().Add(time.Minute); !strings.Contains(errs(), told); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("vlpx %s has not told %q: %s", strings.Join(args, " "), told, errs())
		}
	}
	return c, errs
}
