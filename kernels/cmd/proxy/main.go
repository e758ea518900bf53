// Command proxy is started by Jupyter in GoNB's place: proxy CONNECTION_FILE GONB ARGUMENT... starts GoNB behind package proxy.
package main

import (
	"fmt"
	"os"

	"vlpx.internal/kernels/proxy"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: proxy CONNECTION_FILE GONB ARGUMENT...")
		os.Exit(2)
	}
	status, err := proxy.Run(os.Args[1], os.Args[2], os.Args[3:]...)
	if err != nil {
		fmt.Fprintf(os.Stderr, "vlpx kernel: %v\n", err)
		os.Exit(1)
	}
	os.Exit(status)
}
