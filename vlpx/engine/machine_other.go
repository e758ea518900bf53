//go:build !darwin

package engine

import (
	"os"
	"strconv"
	"strings"
)

// ask fills in what Linux tells of the processor and of memory; elsewhere there is no /proc.
func (m *Machine) ask() {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = field(string(text), "model name")
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		m.MemoryTotal = kilobytes(field(string(text), "MemTotal"))
		m.MemoryAvailable = kilobytes(field(string(text), "MemAvailable"))
	}
}

// field returns the value of the first line "key : value" of a file in /proc, "" when there is none.
func field(text, key string) string {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// kilobytes returns the bytes that "16384 kB" stands for.
func kilobytes(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
