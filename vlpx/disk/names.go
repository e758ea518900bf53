package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Rename is os.Rename. It is there after a loss of power only once the folder is synced; see [SyncDir].
func Rename(from, to string) error {
	return do(Op{Kind: Renames, Path: from, To: to}, func() error { return os.Rename(from, to) })
}

// Link is os.Link.
func Link(from, to string) error {
	return do(Op{Kind: Links, Path: from, To: to}, func() error { return os.Link(from, to) })
}

// Remove is os.Remove.
func Remove(path string) error {
	return do(Op{Kind: Removes, Path: path}, func() error { return os.Remove(path) })
}

// RemoveAll is os.RemoveAll.
func RemoveAll(path string) error {
	return do(Op{Kind: Removes, Path: path}, func() error { return os.RemoveAll(path) })
}

// Mkdir is os.Mkdir.
func Mkdir(path string) error {
	return do(Op{Kind: Makes, Path: path}, func() error { return os.Mkdir(path, 0o755) })
}

// MkdirAll makes a folder with those above it, as far as they are missing, so that it is there after a loss of power.
func MkdirAll(path string) error {
	if info, err := Stat(path); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(path)
	if above != path {
		if err := MkdirAll(above); err != nil {
			return err
		}
	}
	if err := Mkdir(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := Stat(path); err != nil || !info.IsDir() {
		return errors.Join(err, &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR})
	}
	return SyncDir(above)
}

// SyncDir waits until the names of a folder's files are there after a loss of power, on file systems that can.
func SyncDir(path string) error {
	return do(Op{Kind: Sync, Path: path}, func() error {
		dir, err := os.Open(path)
		if err != nil {
			return err
		}
		defer dir.Close()
		err = dir.Sync()
		if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	})
}
