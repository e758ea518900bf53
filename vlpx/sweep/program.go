package sweep

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// copyProgram copies a program, unless the copy is there: a file of the same size, that is no older.
func copyProgram(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(to); err == nil && there.Size() == info.Size() && !there.ModTime().Before(info.ModTime()) {
		return nil
	}
	file, err := renameio.NewPendingFile(to, renameio.WithTempDir(filepath.Dir(to)), renameio.WithPermissions(0o755))
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if _, err := io.Copy(file, source); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
}

// Tidy takes the copy of the program away, once no task is left for it.
func (s *Sweep) Tidy() error {
	if err := os.Remove(s.Program()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sweep: %w", err)
	}
	return nil
}
