package kernels_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/kerneltest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
)

// TestKernel executes notebooks with the kernel; those of the project are package notebooks' to test.
func TestKernel(t *testing.T) {
	if _, err := kernels.Nbconvert(); err != nil {
		kerneltest.Skip(t, "notebook", err.Error())
	}
	prefix := kerneltest.Prefix(t)
	t.Run("cells keep what others declare, and those that fail are named with their message", func(t *testing.T) {
		cells, err := kerneltest.Execute(t, prefix,
			kernels.Markdown("# Square"),
			kernels.Go("import \"vlpx.internal/vlpx/random\"\n\nconst side = 7"),
			kernels.Go("%%\nfmt.Fprintln(os.Stderr, \"no such artifact\")\nos.Exit(3)"),
			kernels.Go("%%\nfmt.Println(undeclared)"),
			kernels.Go("%%\nfmt.Println(side*side, random.Stream(1).IntN(1))"))
		if err == nil {
			t.Fatal("no error")
		}
		for _, want := range []string{"In [2]: exit status 3: no such artifact", "In [3]: In [3], line 2: undefined: undeclared"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q, want it to contain %q", err, want)
			}
		}
		if got, want := cells[4].Text(), "49 0\n"; got != want {
			t.Errorf("output of the last cell %q, want %q", got, want)
		}
	})
	t.Run("a part of one's own keeps its runs", func(t *testing.T) { ownPart(t, prefix) })
	t.Run("the tests for kernels of Jupyter's", func(t *testing.T) { peerSuite(t, prefix) })
}

// peerSuite has Jupyter's own tests for kernels talk to the kernel (testdata/suite.py).
func peerSuite(t *testing.T, prefix string) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import jupyter_kernel_test").Run(); err != nil {
		kerneltest.Skip(t, "notebook", "there is no python3-jupyter-kernel-test; get it with: sudo apt-get install --no-install-recommends "+
			"python3-jupyter-kernel-test")
	}
	script := must.Get(filepath.Abs(filepath.Join("testdata", "suite.py")))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // it waits for some answers without end
	defer cancel()
	suite := exec.CommandContext(ctx, python, script)
	suite.Dir = t.TempDir()
	// The kernel takes this for the go command. It keeps what it is called with.
	programs := t.TempDir()
	calls := filepath.Join(programs, "calls")
	recorder := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nexec '%s' \"$@\"\n", calls, must.Get(exec.LookPath("go"))(t))
	must.Do(t, os.WriteFile(filepath.Join(programs, "go"), []byte(recorder), 0o755))
	suite.Env = append(os.Environ(), "JUPYTER_PATH="+filepath.Join(prefix, "share", "jupyter"), "GO_CALLS="+calls,
		"PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	suite.WaitDelay = 10 * time.Second
	if told, err := suite.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, told)
	}
}
