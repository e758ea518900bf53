//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Free is how many bytes a user may still write at a path, which need not exist yet; 0 where the system does not tell.
func Free(path string) uint64 {
	var s unix.Statfs_t
	for {
		err := unix.Statfs(path, &s)
		if err == nil {
			return uint64(s.Bavail) * uint64(s.Bsize)
		}
		if up := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && up != path {
			path = up
			continue
		}
		return 0
	}
}
