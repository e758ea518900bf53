package proxy

import "syscall"

// endWithParent has the system kill a process whose parent was killed.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
