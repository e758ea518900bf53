//go:build !unix

package sweep

import (
	"os"
	"syscall"
)

var stopping = []os.Signal{os.Interrupt, syscall.SIGTERM}

var soon os.Signal // there is no Slurm here

// A worker's end of its input asks it to stop, too, which is all that there is here.
func terminate(*os.Process) error { return nil }

var apart *syscall.SysProcAttr
