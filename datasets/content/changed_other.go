//go:build !linux

package content

import (
	"io/fs"
	"time"
)

// changed is when a file was modified last.
func changed(info fs.FileInfo) time.Time { return info.ModTime().UTC() }
