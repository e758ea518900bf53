package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vlpx.internal/vlpx/disk"
)

// A run's folder is held by an exclusive flock on its file lock. The system frees it when the process ends, however it ends. Where the
// folder is on a network file system the server frees it, which knows of a lost node late or never; so the holder also touches the file
// every few seconds, and who waits takes the folder over once it has seen no touch for a while by its own clock. A holder that comes back
// finds another file in the place of its own and stops.

// LockName is the file of a run's folder by which it is taken.
const LockName = "lock"

// pace is how often a holder touches its lock, and how long one is untouched that is taken for lost.
type pace struct{ beat, lost time.Duration }

// usualPace leaves room for a network file system that shows another node's touch a minute late.
var usualPace = pace{beat: 15 * time.Second, lost: 3 * time.Minute}

// ErrDisplaced is the cause of a context whose run another process has taken over.
var ErrDisplaced = errors.New("run: another process took the run's folder over, as this one had not been heard of for minutes; " +
	"what is there is kept, and the same call goes on from it")

// lostPrefix begins the second name of a lock that is taken for lost.
const lostPrefix = ".lost-"

// Take makes the run's folder and takes it for this process. It waits while another process has it, telling waiting once. The context that
// it returns ends, too, once the folder is taken over.
func (s *Store) Take(ctx context.Context, id string, waiting func()) (held context.Context, unlock func(), err error) {
	dir := s.Folder(id)
	path := filepath.Join(dir, LockName)
	for told := false; ; {
		if err := disk.MkdirAll(dir); err != nil {
			return nil, nil, fmt.Errorf("run: making the run's folder: %w; choose another place with VLPX_HOME, -home or Options.Home", err)
		}
		lock := disk.NewLock(path)
		got, err := lock.TryLock()
		if err == nil && !got {
			if !told {
				waiting()
				told = true
			}
			got, err = s.await(ctx, lock)
		}
		if ctx.Err() != nil {
			lock.Close()
			return nil, nil, context.Cause(ctx)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return nil, nil, fmt.Errorf("run: taking the run's folder %s: %w; choose another place with VLPX_HOME, -home or Options.Home",
				dir, err)
		}
		if got && inPlace(lock) {
			held, unlock = s.keep(ctx, lock)
			if err := removeLeft(dir); err != nil {
				unlock()
				return nil, nil, fmt.Errorf("run: taking the run's folder %s: %w", dir, err)
			}
			return held, unlock, nil
		}
		lock.Close() // of a folder that was removed, or taken over, while this waited for it
	}
}

// removeLeft removes what processes left in a run's folder that were killed while they wrote a file or displaced a lock. Who still
// displaces one sees that this one was touched.
func removeLeft(dir string) error {
	lost, _ := filepath.Glob(filepath.Join(dir, lostPrefix+"*"))
	for _, path := range lost {
		disk.Remove(path)
	}
	return disk.RemoveLeft(dir, func(string) bool { return true })
}

// await waits for a lock that another process has. It returns without the lock where that is taken for lost and its file is out of the way.
func (s *Store) await(ctx context.Context, lock *disk.Lock) (got bool, err error) {
	const often = 200 * time.Millisecond
	var seen os.FileInfo
	var since time.Time
	for {
		got, err = lock.TryLock()
		if err != nil || got {
			return got, err
		}
		info, err := disk.Stat(lock.Path())
		if err != nil {
			return false, err
		}
		if seen == nil || !untouched(seen, info) {
			seen, since = info, time.Now()
		}
		if time.Since(since) > s.pace.lost {
			return false, displace(lock.Path(), seen)
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-time.After(min(often, s.pace.lost/4)):
		}
	}
}

// displace removes a lock's file, unless another one than was seen lies there by now. Of those who wait only one may: who gives the file a
// second name. Without that, one that comes late would move the file away which the quickest has taken meanwhile.
func displace(path string, seen os.FileInfo) error {
	aside := filepath.Join(filepath.Dir(path), fmt.Sprintf(lostPrefix+"%d", seen.ModTime().UnixNano()))
	if err := disk.Link(path, aside); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer disk.Remove(aside)
	if info, err := disk.Stat(aside); err != nil || !untouched(seen, info) {
		return err
	}
	return disk.Remove(path)
}

// untouched tells whether a file is the one that was seen, as it was then. The number of a file that was removed may be a new one's.
func untouched(seen, info os.FileInfo) bool {
	return os.SameFile(seen, info) && seen.ModTime().Equal(info.ModTime())
}

// keep touches a lock that was taken until it is unlocked.
func (s *Store) keep(ctx context.Context, lock *disk.Lock) (held context.Context, unlock func()) {
	held, cancel := context.WithCancelCause(ctx)
	touch(lock)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(s.pace.beat)
		defer ticks.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticks.C:
				if !inPlace(lock) {
					cancel(ErrDisplaced)
					return
				}
				touch(lock)
			}
		}
	}()
	return held, func() {
		close(end)
		<-ended
		cancel(nil)
		lock.Close()
	}
}

// touch tells others that the holder is alive. It is not told where that fails: the lock itself holds, and whoever waits longer than it
// should finds the run done.
func touch(lock *disk.Lock) {
	disk.Touch(lock.Path())
}

// inPlace tells whether a lock that was taken is that of the file which lies at its path now.
func inPlace(lock *disk.Lock) bool {
	taken, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := disk.Stat(lock.Path())
	return err == nil && os.SameFile(taken, there)
}
