//go:build linux

// Lacking becomes the program that its arguments name, on file systems that lack what the first argument says. It is for tests.
//
//   - locks: flock(2) fails by ENOLCK, as on a network file system whose server has none.
//   - links: link(2) fails by EPERM, and a rename that replaces nothing by EINVAL, as on FAT.
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// failing are the system calls that fail, with their errors.
var failing = map[string]map[uint32]unix.Errno{
	"locks": {unix.SYS_FLOCK: unix.ENOLCK},
	"links": {unix.SYS_LINKAT: unix.EPERM, unix.SYS_RENAMEAT2: unix.EINVAL},
}

func main() {
	// The filter is this thread's, and the program's that it becomes.
	runtime.LockOSThread()
	// It begins with the number of the system call.
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}}
	for call, err := range failing[os.Args[1]] {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: call},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(err)})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	by := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&by)), 0, 0)
	}
	if err == nil {
		err = syscall.Exec(os.Args[2], os.Args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "lacking:", err)
	os.Exit(1)
}
