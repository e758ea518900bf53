package command

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// program is the command, built once.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.fuzzworker").Value.String() == "true" { // one of many processes, none of which calls the command
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "vlpx")
	if err == nil {
		program = filepath.Join(dir, "vlpx")
		var output []byte
		if output, err = exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s", "-o", program, "../vlpx").CombinedOutput(); err != nil {
			err = fmt.Errorf("go build: %w: %s", err, output)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// prepared is the command with pure Go as its engine, in a folder of its own.
func prepared(dir string, args ...string) (c *exec.Cmd, out, errs *bytes.Buffer) {
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
