package sweep

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cores are the processors that this process may use.
func cores() []int {
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

// startOn starts a program that may use some processors only; any where there are none named. A process inherits the processors of the thread that
// starts it, so that Go in it counts these alone for GOMAXPROCS.
func startOn(c *exec.Cmd, cpus []int) error {
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

// Pin keeps all threads of this process on the processors that it was started with, until the context ends. ONNX Runtime has a thread for each
// processor of the machine and sets each one's place itself, whatever the process may use: with several workers beside each other all
// of them would compete for the same ones. It looks often at first, as engines start their threads with the first graph.
func Pin(ctx context.Context) {
	var own unix.CPUSet
	if unix.SchedGetaffinity(0, &own) != nil || own.Count() == len(online()) {
		return
	}
	go func() {
		const soonest, latest = 50 * time.Millisecond, 5 * time.Second
		for pause := soonest; ; pause = min(2*pause, latest) {
			if pin(own) { // engines start threads together: there may be more
				pause = soonest
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	}()
}

// pin puts every thread of this process in its place, and tells whether one was elsewhere.
func pin(own unix.CPUSet) (moved bool) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		var set unix.CPUSet
		if err != nil || unix.SchedGetaffinity(id, &set) != nil || set == own {
			continue
		}
		moved = unix.SchedSetaffinity(id, &own) == nil || moved
	}
	return moved
}

// online are the machine's processors, those that this process may not use included.
func online() []string {
	all, err := os.ReadDir("/sys/devices/system/cpu")
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range all {
		if n := len("cpu"); len(entry.Name()) > n && entry.Name()[:n] == "cpu" {
			if _, err := strconv.Atoi(entry.Name()[n:]); err == nil {
				names = append(names, entry.Name())
			}
		}
	}
	return names
}
