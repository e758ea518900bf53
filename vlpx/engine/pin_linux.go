package engine

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// Processors are those that this process may use, by their numbers; none where the system does not tell.
func Processors() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var all []int
	for cpu := range 64 * len(set) {
		if set.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	return all
}

// StartOn starts a program that may use some processors only, or any where none are named. A process inherits the processors of the thread
// that starts it, so that Go in it counts these alone for GOMAXPROCS, by which ONNX Runtime gets its threads.
func StartOn(c *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return c.Start()
	}
	runtime.LockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return c.Start()
	}
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if unix.SchedSetaffinity(0, &set) == nil {
		defer func() {
			if unix.SchedSetaffinity(0, &before) == nil {
				runtime.UnlockOSThread() // else the thread ends with its goroutine
			}
		}()
	} else {
		defer runtime.UnlockOSThread()
	}
	return c.Start()
}
