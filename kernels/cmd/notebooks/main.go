// Command notebooks writes the project's notebooks into the working directory; go generate ./notebooks calls it.
package main

import (
	"fmt"
	"os"

	"vlpx.internal/notebooks"
	"vlpx.internal/vlpx/disk"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	files, err := notebooks.Files()
	if err != nil {
		return err
	}
	for name, notebook := range files {
		encoded, err := notebook.Encode()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := disk.WriteFile(name, encoded, 0o644); err != nil {
			return err
		}
	}
	return nil
}
