package engine

import "golang.org/x/sys/unix"

// ask fills in what macOS tells of the processor and of memory, of which it does not say what is free. It was not run on a Mac.
func (m *Machine) ask() {
	m.CPU, _ = unix.Sysctl("machdep.cpu.brand_string")
	m.MemoryTotal, _ = unix.SysctlUint64("hw.memsize")
}
