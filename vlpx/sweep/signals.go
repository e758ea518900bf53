package sweep

import (
	"os"
	"syscall"
)

// stopping are the signals that ask a worker to keep what it has and to end.
var stopping = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1}

// soon is the one of them by which Slurm says that a job's time is nearly up.
var soon os.Signal = syscall.SIGUSR1

// terminate asks a worker to stop.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// apart keeps a worker out of the terminal's group of processes, so that Ctrl-C reaches the program that started it alone, which tells its
// workers.
var apart = &syscall.SysProcAttr{Setpgid: true}
