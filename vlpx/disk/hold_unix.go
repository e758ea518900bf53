//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// hold locks a file of this process's own, where the file system can. Whoever removes it has it for a moment only.
func hold(f *os.File) { unix.Flock(int(f.Fd()), unix.LOCK_EX) }

// tryHold locks a file and tells whether nobody has it.
func tryHold(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil }
