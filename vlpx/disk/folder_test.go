package disk

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"vlpx.internal/internal/test/must"
)

// without fails operations of a kind.
type without struct {
	kind Kind
	err  error
}

func (w without) Before(op Op) (int, error) {
	if op.Kind == w.kind {
		return 0, w.err
	}
	return 0, nil
}
func (without) After(Op) {}

// What a process left that was killed is removed, and what another one writes is not. Without locks neither can be told: both stay, and a
// folder can be written all the same.
func TestPendingDir(t *testing.T) {
	dir := t.TempDir()
	left, other := filepath.Join(dir, ".x-1"), must.Get(NewPendingDir(dir, ".x-"))(t)
	defer other.Discard()
	must.Do(t, os.Mkdir(left, 0o755))
	for _, err := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS} {
		release := Watch(without{Locks, err})
		one, failed := NewPendingDir(dir, ".x-")
		release()
		must.Do(t, failed)
		if _, err := os.Stat(left); err != nil {
			t.Error(err)
		}
		one.Discard()
		if _, err := os.Stat(one.Path); err == nil {
			t.Errorf("%s is still there", one.Path)
		}
	}
	release := Watch(without{Locks, syscall.EIO})
	_, err := NewPendingDir(dir, ".x-")
	release()
	must.Fail(t, err, syscall.EIO.Error(), "a disk that fails")
	must.Get(NewPendingDir(dir, ".x-"))(t).Discard()
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is still there", left)
	}
	if _, err := os.Stat(other.Path); err != nil {
		t.Error(err)
	}
}
