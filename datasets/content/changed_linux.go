package content

import (
	"io/fs"
	"syscall"
	"time"
)

// changed is when a file's content or its record changed last. Unlike the time of modification nothing can set it back, as
// unpacking an archive again does.
func changed(info fs.FileInfo) time.Time {
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(system.Ctim.Sec), int64(system.Ctim.Nsec)).UTC()
	}
	return info.ModTime().UTC()
}
