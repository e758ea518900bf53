package machine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// groups is where the system shows control groups, by which containers and batch systems limit memory.
const groups = "/sys/fs/cgroup"

// hierarchy is how a version of control groups shows memory: its folder below groups, and its files.
type hierarchy struct{ dir, limit, usage, cache string }

var (
	first  = hierarchy{"memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	second = hierarchy{"", "memory.max", "memory.current", "inactive_file"}
)

// limited are total and available within the limits of a process's control groups and of those around them. The process's are what
// /proc/self/cgroup says. A container may see no folder of its own group, only the one around it, which then has its limit.
func limited(root, process string, total, available uint64) (uint64, uint64) {
	for line := range strings.Lines(process) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		h := second
		if parts[1] == "memory" {
			h = first
		} else if parts[0] != "0" {
			continue
		}
		top := filepath.Join(root, h.dir)
		for group := filepath.Join("/", parts[2]); ; group = filepath.Dir(group) {
			dir := filepath.Join(top, group)
			if limit, ok := number(filepath.Join(dir, h.limit)); ok {
				used, _ := number(filepath.Join(dir, h.usage))
				used -= min(used, cached(filepath.Join(dir, "memory.stat"), h.cache))
				total, available = min(total, limit), min(available, limit-min(limit, used))
			}
			if group == "/" {
				break
			}
		}
	}
	return total, available
}

// number reads a file with a number; false for one that is missing, and for "max".
func number(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// cached are the bytes of files that a group keeps in memory and gives up when it needs room.
func cached(path, key string) uint64 {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == key {
			n, _ := strconv.ParseUint(value, 10, 64)
			return n
		}
	}
	return 0
}
