//go:build !darwin

package engine

import (
	"os"

	"vlpx.internal/vlpx/machine"
)

// ask fills in what Linux tells of the processor and of memory; elsewhere there is no /proc.
func (m *Machine) ask() {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = machine.Field(string(text), "model name")
	}
	m.MemoryTotal, m.MemoryAvailable = machine.Memory()
}
