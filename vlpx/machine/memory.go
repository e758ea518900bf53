// Package machine tells what a computer has, as far as the system says so.
package machine

import (
	"os"
	"strconv"
	"strings"
)

// Memory is the memory that this process may have, and what a new program could take of it without swapping, in bytes; 0 where the system
// does not tell. It is the machine's, or less where a control group limits it, as a container's.
func Memory() (total, available uint64) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0
	}
	process, _ := os.ReadFile("/proc/self/cgroup") // without control groups the machine's memory is this process's
	return limited(groups, string(process), kilobytes(Field(string(text), "MemTotal")), kilobytes(Field(string(text), "MemAvailable")))
}

// Field returns the value of the first line "key : value" of a file in /proc, "" when there is none.
func Field(text, key string) string {
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
