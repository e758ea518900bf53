package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/disk"
)

const id = "0123456789abcdef"

// quick is a store whose processes are taken for lost after two seconds, which a machine at its limit does not keep one from its lock for.
func quick(t *testing.T) *Store {
	t.Helper()
	s := Open(t.TempDir())
	s.pace = pace{beat: 20 * time.Millisecond, lost: 2 * time.Second}
	return s
}

// The lock of a node that is gone, which its server still keeps, does not keep a run for ever.
func TestTakeFromALostNode(t *testing.T) {
	s := quick(t)
	must.Do(t, os.MkdirAll(s.Folder(id), 0o755))
	lost := disk.NewLock(filepath.Join(s.Folder(id), LockName)) // and nobody touches it
	if got, err := lost.TryLock(); !got || err != nil {
		t.Fatal(got, err)
	}
	defer lost.Close()
	told := 0
	begun := time.Now()
	_, unlock := must.Get2(s.Take(t.Context(), id, func() { told++ }))(t)
	if waited := time.Since(begun); waited < s.pace.lost || told != 1 {
		t.Errorf("took it after %v, telling %d times; want after %v and once", waited, told, s.pace.lost)
	}
	if inPlace(lost) || !s.Busy(id) {
		t.Error("the lock is still the lost node's, or nobody's")
	}
	unlock()
	left, err := filepath.Glob(filepath.Join(s.Folder(id), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}

// Who is alive keeps the folder, however long it takes; many who wait take a lost one's over one after another.
func TestTakeWaits(t *testing.T) {
	s := quick(t)
	held, unlock := must.Get2(s.Take(t.Context(), id, func() { t.Error("a free folder is waited for") }))(t)
	limited, cancel := context.WithTimeout(t.Context(), 3*s.pace.lost)
	defer cancel()
	if _, _, err := s.Take(limited, id, func() {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want to have waited", err)
	}
	if held.Err() != nil {
		t.Errorf("the holder was stopped: %v", context.Cause(held))
	}
	unlock()

	lost := disk.NewLock(filepath.Join(s.Folder(id), LockName))
	if got, err := lost.TryLock(); !got || err != nil {
		t.Fatal(got, err)
	}
	defer lost.Close()
	inside := make(chan bool, 1)
	ended := make(chan error)
	const waiting = 4
	for range waiting {
		go func() {
			held, unlock, err := s.Take(t.Context(), id, func() {})
			if err == nil {
				select {
				case inside <- true:
					time.Sleep(4 * s.pace.beat)
					err = context.Cause(held)
					<-inside
				default:
					err = errors.New("two are in the folder at once")
				}
				unlock()
			}
			ended <- err
		}()
	}
	for range waiting {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// However many take the same lock for lost at once, none puts aside the one that the quickest of them has taken.
func TestDisplaceTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), LockName)
	for round := range 300 {
		must.Do(t, os.WriteFile(path, nil, 0o644))
		at := time.Unix(int64(round), 0)
		must.Do(t, os.Chtimes(path, at, at))
		seen := must.Get(os.Stat(path))(t)
		created := make(chan int, 1)
		var waiting sync.WaitGroup
		for range 8 {
			waiting.Go(func() {
				if err := displace(path, seen); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
				if made, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err == nil {
					made.Close()
					select {
					case created <- round:
					default:
						t.Errorf("round %d: the lock that one took was put aside by another", round)
					}
				}
			})
		}
		waiting.Wait()
		if len(created) != 1 {
			t.Fatalf("round %d: the lost lock is still there", round)
		}
	}
}

// A holder that was taken for lost, and comes back, stops.
func TestTakenOver(t *testing.T) {
	s := quick(t)
	held, unlock := must.Get2(s.Take(t.Context(), id, func() {}))(t)
	defer unlock()
	path := filepath.Join(s.Folder(id), LockName)
	seen := must.Get(os.Stat(path))(t)
	must.Do(t, displace(path, seen))
	_, other := must.Get2(s.Take(t.Context(), id, func() { t.Error("the folder is not free") }))(t)
	defer other()
	select {
	case <-held.Done():
		if !errors.Is(context.Cause(held), ErrDisplaced) {
			t.Errorf("got %v", context.Cause(held))
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
	if err := displace(path, seen); err != nil || !s.Busy(id) {
		t.Errorf("a lock that came meanwhile was put aside, too (%v)", err)
	}
}

// What a process left that was killed while it displaced a lock is gone once the folder is taken.
func TestNothingIsLeftOfADisplacedLock(t *testing.T) {
	s := Open(t.TempDir())
	left := filepath.Join(s.Folder(id), lostPrefix+"1")
	if err := errors.Join(os.MkdirAll(s.Folder(id), 0o755), os.WriteFile(left, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	_, unlock, err := s.Take(t.Context(), id, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
}
