// Command kernel installs the Jupyter kernel "Go (vlpx)" from this checkout:
//
//	go run ./kernels/cmd/kernel [-prefix ~/.local]
//
// Under the default prefix Jupyter finds the kernel by itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"vlpx.internal/kernels"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := install(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func install(ctx context.Context) error {
	prefix := flag.String("prefix", "", "the folder to install into (default ~/.local)")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("kernel: %q: no arguments are expected, only -prefix DIR", flag.Args())
	}
	if *prefix == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return fmt.Errorf("kernel: %w; name a folder with -prefix", err)
		}
		*prefix = filepath.Join(home, ".local")
	}
	return kernels.Install(ctx, *prefix, os.Stderr)
}
