package kernels

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Uninstall removes what Install wrote under prefix, and returns the paths of what it removed, which are none where no
// kernel is installed. Files that others put into the kernelspec's folder stay, and the folder with them.
func Uninstall(prefix string) (removed []string, err error) {
	data, err := dataDir(prefix)
	if err != nil {
		return nil, fmt.Errorf("kernels: uninstall: %w", err)
	}
	files, err := specFiles(installed{})
	if err != nil {
		return nil, fmt.Errorf("kernels: uninstall: %w", err)
	}
	names := []string{"kernel.json"} // first, so that Jupyter never starts a part
	for _, file := range files[:len(files)-1] {
		names = append(names, file.name)
	}
	for _, program := range programs {
		names = append(names, filepath.Join("bin", program.name))
	}
	for _, name := range append(names, "bin", ".") {
		path := filepath.Join(specDir(data), name)
		switch err := os.Remove(path); {
		case err == nil:
			removed = append(removed, path)
		case errors.Is(err, fs.ErrNotExist):
		case name == "bin" || name == ".": // not empty
		default:
			return removed, fmt.Errorf("kernels: uninstall: %w", err)
		}
	}
	return removed, nil
}
