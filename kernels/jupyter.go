package kernels

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// debian is the folder of the system's programs. Its Jupyter is whole where it is there; that of a Python installed beside
// it may lack modules.
const debian = "/usr/bin"

// Nbconvert returns the path of jupyter-nbconvert, Jupyter's program that executes and renders notebooks: the system's, else
// the first on the path. Where there is none, the error says how to get it.
func Nbconvert() (string, error) {
	for _, name := range []string{filepath.Join(debian, "jupyter-nbconvert"), "jupyter-nbconvert"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", missing("jupyter-nbconvert", "jupyter-nbconvert", "nbconvert")
}

// startLimit is what a server may take to tell its version from a cold disk.
const startLimit = time.Minute

// starts reports whether a program tells its version in time.
func starts(ctx context.Context, path string, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return exec.CommandContext(ctx, path, "--version").Run() == nil
}

// JupyterServer returns the path of a Jupyter server that starts: the user's JupyterLab, else the system's notebook, else
// the user's. Where there is none, the error says how to get one.
func JupyterServer(ctx context.Context) (string, error) {
	for _, name := range []string{"jupyter-lab", filepath.Join(debian, "jupyter-notebook"), "jupyter-notebook"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		// A name on the path may stand for a program of another environment, and then only tell so.
		if filepath.Dir(path) == debian || starts(ctx, path, startLimit) {
			return path, nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	return "", missing("Jupyter", "jupyter-notebook jupyter-nbconvert", "jupyterlab")
}

// missing says with which one command a program of Jupyter's is installed here, from Debian's packages or Python's.
func missing(program, packages, python string) error {
	get := "python3 -m pip install " + python
	if _, err := exec.LookPath("apt-get"); err == nil && runtime.GOOS == "linux" {
		get = "sudo apt-get install --no-install-recommends " + packages
	}
	return fmt.Errorf("%s is not installed; get it with: %s", program, get)
}

// isLab reports whether a server is JupyterLab, which has addresses of its own.
func isLab(program string) bool { return strings.HasPrefix(filepath.Base(program), "jupyter-lab") }
