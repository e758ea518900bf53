package kernels

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	sources "vlpx.internal"
)

// dataDir returns Jupyter's data folder under prefix, an absolute path, or the user's own for the prefix "".
func dataDir(prefix string) (string, error) {
	if prefix != "" {
		prefix, err := filepath.Abs(prefix)
		return filepath.Join(prefix, "share", "jupyter"), err
	}
	return userData(runtime.GOOS, os.Getenv, os.UserHomeDir)
}

// userData is where Jupyter looks for what the user has installed (docs.jupyter.org, "Data files").
func userData(system string, getenv func(string) string, userHome func() (string, error)) (string, error) {
	if dir := getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	home, err := userHome()
	if err != nil {
		return "", fmt.Errorf("no place for the kernel: %w; name a folder with a prefix", err)
	}
	if system == "darwin" {
		return filepath.Join(home, "Library", "Jupyter"), nil
	}
	if dir := getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Abs(filepath.Join(dir, "jupyter"))
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// specDir returns the folder of the kernelspec in a data folder of Jupyter's.
func specDir(data string) string { return filepath.Join(data, "kernels", Name) }

// environment is that of a Jupyter which this process starts: a data folder comes first among those where it looks for kernels,
// and a notebook outside of any checkout imports vlpx from the one at or above the working directory, if there is one.
func environment(data string) []string {
	if old := os.Getenv("JUPYTER_PATH"); old != "" {
		data += string(filepath.ListSeparator) + old
	}
	env := append(os.Environ(), "JUPYTER_PATH="+data)
	if here, err := checkout(""); err == nil {
		env = append(env, "VLPX_CHECKOUT="+here)
	}
	return env
}

// Imports returns the checkout that the cells of a notebook, or of those in a folder, import vlpx from where Execute or Serve open
// it, and the one that installed the kernel under prefix.
func Imports(prefix, notebook string) (from, installed string, err error) {
	data, err := dataDir(prefix)
	if err != nil {
		return "", "", fmt.Errorf("kernels: %w", err)
	}
	kernel, err := readSpec(specDir(data))
	if err != nil {
		return "", "", fmt.Errorf("kernels: %w", err)
	}
	path, err := filepath.Abs(notebook)
	if err != nil {
		return "", "", fmt.Errorf("kernels: %w", err)
	}
	if above, err := checkoutAbove(path); err != nil || above != "" {
		return above, kernel.Checkout, err
	}
	from, err = checkout(kernel.Checkout)
	return from, kernel.Checkout, err
}

// checkout returns the folder of vlpx's go.mod, at or above the working directory, else the folder installed, where an
// earlier installation was from ("" for none).
func checkout(installed string) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if above, err := checkoutAbove(start); err != nil || above != "" {
		return above, err
	}
	if installed != "" {
		if there, err := isCheckout(installed); there || err != nil {
			return installed, err
		}
	}
	return "", fmt.Errorf("no go.mod of %s at or above %s; call it inside a checkout of vlpx", sources.Module, start)
}

// checkoutAbove returns the checkout that a path, which may be that of a file, lies in, "" for none.
func checkoutAbove(path string) (string, error) {
	for dir := path; ; dir = filepath.Dir(dir) {
		here, err := isCheckout(dir)
		switch {
		case err != nil:
			return "", err
		case here && strings.Contains(dir, ","):
			return "", fmt.Errorf("the checkout %s has a comma in its path, which GoNB takes for the end of it; move it", dir)
		case here:
			return dir, nil
		case dir == filepath.Dir(dir):
			return "", nil
		}
	}
}

// isCheckout reports whether dir holds vlpx's go.mod.
func isCheckout(dir string) (bool, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return false, nil
	}
	return slices.Contains(strings.Split(string(text), "\n"), "module "+sources.Module), err
}
