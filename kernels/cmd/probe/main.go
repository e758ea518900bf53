// Command probe is what a cell is to the linker: a program with package vlpx in it. It opens the engine that a cell would
// use, which loads a shared library, and ends. Package kernels builds it with flags that not every system can take.
package main

import (
	"fmt"
	"os"

	_ "vlpx.internal/vlpx" // all that a cell links
	"vlpx.internal/vlpx/engine"
)

func main() {
	choice, _ := engine.Choose(engine.Cache())
	backend, err := engine.Open(choice)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	backend.Finalize()
}
