//go:build !linux

package sweep

import (
	"os/exec"
	"runtime"
)

// Elsewhere than on Linux processes are not pinned: the system places them.

func cores() []int { return make([]int, runtime.NumCPU()) }

func startOn(c *exec.Cmd, _ []int) error { return c.Start() }
