package machine

import (
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Memory is what the control groups around a process leave of the machine's, in both versions of them.
func TestLimited(t *testing.T) {
	const machine, free = 64 << 30, 32 << 30
	for name, c := range map[string]struct {
		process          string
		files            map[string]string
		total, available uint64
	}{
		"none":      {"", nil, machine, free},
		"unlimited": {"0::/a\n", map[string]string{"a/memory.max": "max\n", "a/memory.current": "77\n"}, machine, free},
		"version 2": {"0::/a/b\n", map[string]string{"a/b/memory.max": "1000\n", "a/b/memory.current": "600\n",
			"a/b/memory.stat": "anon 100\ninactive_file 500\n", "a/memory.max": "2000\n", "a/memory.current": "1950\n"}, 1000, 50},
		"a container of version 2": {"0::/\n", map[string]string{"memory.max": "1000\n"}, 1000, 1000},
		"version 1": {"5:devices:/\n4:memory:/job\n0::/\n", map[string]string{"memory/job/memory.limit_in_bytes": "1000\n",
			"memory/job/memory.usage_in_bytes": "1400\n", "memory/memory.limit_in_bytes": "9223372036854771712\n"}, 1000, 0},
		"a container of version 1": {"4:memory:/docker/1f\n", map[string]string{"memory/memory.limit_in_bytes": "1000\n",
			"memory/memory.usage_in_bytes": "300\n", "memory/memory.stat": "cache 9\ntotal_inactive_file 100\n"}, 1000, 800},
		"damaged": {"4:memory\nx\n0::/../..\n", map[string]string{"memory.max": "-5\n"}, machine, free},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(root, file)
			must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		}
		if total, available := limited(root, c.process, machine, free); total != c.total || available != c.available {
			t.Errorf("%s: got %d and %d, want %d and %d", name, total, available, c.total, c.available)
		}
	}
}
