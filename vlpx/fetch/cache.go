package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"vlpx.internal/datasets/place"
	"vlpx.internal/vlpx/disk"
)

// Cache keeps the shards of addresses below a folder, a folder each, in so many bytes at most. The address that was not used for longest
// makes room, unless a process uses it: one that has asked for it keeps it to its end.
type Cache struct {
	Dir  string
	Most uint64                           // bytes
	Say  func(format string, args ...any) // hears of what is fetched, and what for room is removed
}

// Files in the folder of a cache, and in that of an address.
const (
	fetchingName = "fetching.lock" // held while shards come, by one process at a time
	usedName     = "used.lock"     // shared by those that use the address; its time is that of the last use
)

// held are the locks of addresses that this process uses.
var held = struct {
	sync.Mutex
	locks map[string]*flock.Flock
}{locks: map[string]*flock.Flock{}}

// Local are the places with folders of the cache for addresses, once all their shards are there. Shards that are there need no server.
// Where a place names a file of checksums all shards are held against it, and one that has come is removed if it has another.
func (c Cache) Local(ctx context.Context, places []place.Place) ([]place.Place, error) {
	sums, places, err := checksums(places)
	if err != nil {
		return nil, err
	}
	var files []File
	came := make([]bool, len(places))
	for k, p := range places {
		if came[k] = p.Remote(); !came[k] {
			continue
		}
		if strings.ContainsAny(c.Dir, ",{}") {
			return nil, fmt.Errorf("%s: shards cannot be kept in a folder with a comma or a brace in its path; choose another store", c.Dir)
		}
		if places[k].Dir, err = c.use(p); err != nil {
			return nil, err
		}
		places[k].Query = ""
		some, err := shardsOf(p, places[k].Dir, sums)
		if err != nil {
			return nil, err
		}
		files = append(files, some...)
	}
	if err := c.complete(ctx, files); err != nil {
		return nil, err
	}
	for k, p := range places {
		if err := verify(p, sums, came[k]); err != nil {
			return nil, err
		}
	}
	return places, nil
}

// use keeps the folder of an address from being removed while this process lives.
func (c Cache) use(p place.Place) (dir string, err error) {
	key := sha256.Sum256([]byte(p.Dir + p.Query))
	of := filepath.Join(c.Dir, hex.EncodeToString(key[:8]))
	dir = filepath.Join(of, p.Called())
	if err := disk.MkdirAll(dir); err != nil {
		return "", fmt.Errorf("%w; choose another place with VLPX_HOME or -home", err)
	}
	used := filepath.Join(of, usedName)
	held.Lock()
	defer held.Unlock()
	if held.locks[used] == nil {
		lock := flock.New(used)
		if err := lock.RLock(); err != nil { // which waits for one that removes its shards
			return "", err
		}
		held.locks[used] = lock
	}
	return dir, errors.Join(disk.MkdirAll(dir), disk.Touch(used))
}

// missing are the files that are not there.
func missing(files []File) []File {
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		_, err := disk.Stat(f.To)
		return err == nil
	})
}

// complete gets files that are missing.
func (c Cache) complete(ctx context.Context, files []File) error {
	if len(missing(files)) == 0 {
		return nil
	}
	lock := flock.New(filepath.Join(c.Dir, fetchingName))
	got, err := lock.TryLock()
	if err == nil && !got {
		c.Say("another process fetches shards into %s; waiting for it", c.Dir)
		_, err = lock.TryLockContext(ctx, time.Second)
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	lacking := missing(files) // since the first look another process may have got them
	if len(lacking) == 0 {
		return nil
	}
	size, err := lacking[0].Size(ctx)
	if errors.Is(err, ErrUnreachable) {
		return fmt.Errorf("%s: %w; %d of %d shards are not in %s yet", lacking[0].From, err, len(lacking), len(files), c.Dir)
	}
	need, about := uint64(0), "the server does not tell their size"
	if err == nil && size >= 0 {
		need = uint64(size) * uint64(len(lacking))
		about = fmt.Sprintf("if all are as large as the first, %.1f MB", float64(need)/1e6)
	}
	room, err := c.room(lacking, need)
	if err != nil {
		return err
	}
	full := fmt.Errorf("%d shards of %s do not fit (%s): %.1f MB are left of the %.1f MB that %s may take; $VLPX_CACHE_GB raises that, and "+
		"vlpx data fetch puts them into a folder", len(lacking), filepath.Dir(lacking[0].From), about, float64(room)/1e6,
		float64(c.Most)/1e6, c.Dir)
	if need > room {
		return full
	}
	c.Say("%d of %d shards are fetched into %s: %s", len(lacking), len(files), c.Dir, about)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var saying sync.Mutex
	said := time.Now()
	return All(ctx, lacking, func(done int, bytes int64) {
		saying.Lock()
		defer saying.Unlock()
		if uint64(bytes) > room {
			cancel(full)
		}
		if time.Since(said) > 10*time.Second {
			said = time.Now()
			c.Say("%d of %d shards, %.1f MB", done, len(lacking), float64(bytes)/1e6)
		}
	})
}

// room is how many bytes the files may have, their parts that are there included, after as much was removed as they need.
func (c Cache) room(files []File, need uint64) (room uint64, err error) {
	parts := map[string]bool{}
	for _, f := range files {
		parts[f.To+".part"] = true
	}
	addresses, err := filepath.Glob(filepath.Join(c.Dir, "*", usedName))
	if err != nil {
		return 0, err
	}
	age, size := map[string]time.Time{}, map[string]uint64{}
	used, own := uint64(0), uint64(0)
	for _, address := range addresses {
		if info, err := os.Stat(address); err == nil {
			age[address] = info.ModTime()
		}
		filepath.WalkDir(filepath.Dir(address), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil
			}
			if info, err := entry.Info(); err == nil && parts[path] {
				own += uint64(info.Size())
			} else if err == nil {
				size[address] += uint64(info.Size())
			}
			return nil
		})
		used += size[address]
	}
	slices.SortFunc(addresses, func(a, b string) int { return age[a].Compare(age[b]) })
	left := func() uint64 {
		room := c.Most - min(c.Most, used)
		if free := disk.Free(c.Dir); free > 0 {
			room = min(room, free+own)
		}
		return room
	}
	for _, address := range addresses {
		if need <= left() {
			break
		}
		gone, err := remove(address)
		if err != nil {
			return 0, err
		}
		if gone {
			used -= size[address]
			c.Say("%s makes room: %.1f MB that were last used on %s are removed", filepath.Dir(address), float64(size[address])/1e6,
				age[address].Format(time.DateOnly))
		}
	}
	return left(), nil
}

// remove removes the shards of an address that no process uses; its lock stays, by which another process may wait.
func remove(used string) (gone bool, err error) {
	lock := flock.New(used)
	if got, err := lock.TryLock(); err != nil || !got {
		return false, err
	}
	defer lock.Unlock()
	entries, err := disk.ReadDir(filepath.Dir(used))
	for _, entry := range entries {
		if entry.IsDir() {
			err = errors.Join(err, disk.RemoveAll(filepath.Join(filepath.Dir(used), entry.Name())))
		}
	}
	return err == nil, err
}
