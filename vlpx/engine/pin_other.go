//go:build !linux

package engine

import (
	"os/exec"
	"runtime"
)

// Processors are as many numbers as there are processors. Elsewhere than on Linux processes are not pinned: the system places them.
func Processors() []int { return make([]int, runtime.NumCPU()) }

// StartOn starts a program, on whatever processors.
func StartOn(c *exec.Cmd, _ []int) error { return c.Start() }
