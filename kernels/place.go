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
)

// modulePath is the module that cells import from.
const modulePath = "vlpx.internal"

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

// withData is this process's environment with a data folder put first among those where Jupyter looks for kernels.
func withData(data string) []string {
	if old := os.Getenv("JUPYTER_PATH"); old != "" {
		data += string(filepath.ListSeparator) + old
	}
	return append(os.Environ(), "JUPYTER_PATH="+data)
}

// checkout returns the folder of vlpx's go.mod, at or above the working directory, else the folder installed, where an
// earlier installation was from ("" for none).
func checkout(installed string) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		here, err := isCheckout(dir)
		if err != nil {
			return "", err
		}
		if here && strings.Contains(dir, ",") {
			return "", fmt.Errorf("the checkout %s has a comma in its path, which GoNB takes for the end of it; move it", dir)
		}
		if here {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if installed != "" {
		if there, err := isCheckout(installed); there || err != nil {
			return installed, err
		}
	}
	return "", fmt.Errorf("no go.mod of %s at or above %s; call it inside a checkout of vlpx", modulePath, start)
}

// isCheckout reports whether dir holds vlpx's go.mod.
func isCheckout(dir string) (bool, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return slices.Contains(strings.Split(string(text), "\n"), "module "+modulePath), err
}
