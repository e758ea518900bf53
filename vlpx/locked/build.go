package locked

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes/float16"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/disk"
)

// Store keeps caches in a folder, those of an encoder on some data in a folder of their own.
type Store struct {
	Dir     string // the store's place
	Backend compute.Backend
	Bytes   int64 // that all caches may take; the ones that were not used for longest go first
	// Say hears of what takes time: how many images of how many are done. It may be nil.
	Say func(string)
}

// format is the version of what a cache holds. It changes whenever the same encoder gives other numbers.
const format = 1

// batch is how many images are encoded in one call, and written at once.
const batch = 32

// Open returns what an encoder makes of a set's images, from the store if it is there. Else it is made, from where an earlier try was
// stopped; a second process waits for the first. The caller closes it.
//
//   - data: the hash of the collection, its images included.
//   - split: the set's name in the collection. Sets of different lengths are the same images as far as they go.
func (s Store) Open(ctx context.Context, e Encoder, set datasets.Set, data, split string) (*Cache, error) {
	dir := filepath.Join(s.Dir, e.key(data))
	if err := disk.MkdirAll(dir); err != nil {
		return nil, fmt.Errorf("locked: %w; choose another place with VLPX_HOME, -home or Options.Home", err)
	}
	width, err := e.Width()
	if err != nil {
		return nil, err
	}
	size := e.Tokens() * width
	if path := longEnough(dir, split, set.Len()); path != "" {
		return openCache(path, set, size)
	}
	lock := disk.NewLock(filepath.Join(dir, split+".lock"))
	got, err := lock.TryLock()
	if err == nil && !got {
		s.say("another process encodes the images of %s; waiting for it", set.Name())
		got, err = lock.TryLockContext(ctx, 200*time.Millisecond)
	}
	if err != nil || !got {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	defer lock.Unlock()
	if path := longEnough(dir, split, set.Len()); path != "" { // made by the other process
		return openCache(path, set, size)
	}
	if err := s.makeRoom(int64(set.Len()*rowBytes(size)), dir); err != nil {
		return nil, err
	}
	about, err := json.MarshalIndent(struct {
		Format int
		Encoder
		Data string
	}{format, e, data}, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := disk.WriteFile(filepath.Join(dir, "encoder.json"), append(about, '\n'), 0o644); err != nil {
		return nil, fmt.Errorf("locked: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%d%s", split, set.Len(), suffix))
	if err := s.build(ctx, e, set, path, size); err != nil {
		return nil, err
	}
	return openCache(path, set, size)
}

// suffix ends the name of a whole cache; until then it ends in unfinished, too.
const suffix, unfinished = ".float16", ".part"

// key is the name of the folder of an encoder's caches on some data.
func (e Encoder) key(data string) string {
	text, err := json.Marshal(e)
	if err != nil {
		panic(fmt.Sprintf("locked: an encoder does not marshal: %v", err))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", format, data, text))
	return hex.EncodeToString(sum[:8])
}

// longEnough finds a cache of a split with at least so many images; "" where there is none.
func longEnough(dir, split string, images int) string {
	files, _ := disk.ReadDir(dir)
	for _, file := range files {
		number, of := strings.CutPrefix(file.Name(), split+"-")
		number, whole := strings.CutSuffix(number, suffix)
		if n, err := strconv.Atoi(number); of && whole && err == nil && n >= images {
			return filepath.Join(dir, file.Name())
		}
	}
	return ""
}

// build encodes the images that an unfinished file lacks and makes it whole.
func (s Store) build(ctx context.Context, e Encoder, set datasets.Set, path string, size int) error {
	file, err := disk.OpenFile(path+unfinished, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("locked: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("locked: %w", err)
	}
	// The last batch may have been written and not be there after a loss of power: it is made again.
	done := min(max(0, int(info.Size()/int64(batch*rowBytes(size)))-1)*batch, set.Len())
	if _, err := file.Seek(int64(done*rowBytes(size)), 0); err != nil {
		return fmt.Errorf("locked: %w", err)
	}
	n, err := e.open(s.Backend)
	if err != nil {
		return err
	}
	defer n.close()
	begun, first, said := time.Now(), done, time.Now()
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	ahead := read(reading, e, set, done)
	for ; done < set.Len(); done += batch {
		var next pixels
		select {
		case next = <-ahead:
		case <-ctx.Done():
			next.err = context.Cause(ctx)
		}
		if next.err != nil {
			return fmt.Errorf("locked: %s: %w", set.Name(), next.err)
		}
		tokens, err := n.encode(next.values)
		if err != nil {
			return err
		}
		if _, err := file.Write(rows(tokens, next.failed, size, min(batch, set.Len()-done))); err != nil {
			return fmt.Errorf("locked: %w; make room, or choose another place with VLPX_HOME, -home or Options.Home", err)
		}
		if err := file.Sync(); err != nil {
			return fmt.Errorf("locked: %w", err)
		}
		if time.Since(said) > 5*time.Second {
			said = time.Now()
			each := time.Since(begun) / time.Duration(done+batch-first)
			s.say("%s sees the images of %s, once for all runs: %d of %d, %s left", e.Name(), set.Name(), done+batch, set.Len(),
				(each * time.Duration(max(0, set.Len()-done-batch))).Round(time.Second))
		}
	}
	if err := disk.Rename(path+unfinished, path); err != nil {
		return fmt.Errorf("locked: %w", err)
	}
	return disk.SyncDir(filepath.Dir(path))
}

// pixels are those of a batch; failed tells which images could not be decoded and are the mean colour.
type pixels struct {
	values []float32
	failed []bool
	err    error
}

// read decodes the images of a set from one on, a batch ahead of the one that is encoded. The last batch repeats its last image: one
// compiled shape serves all.
func read(ctx context.Context, e Encoder, set datasets.Set, from int) <-chan pixels {
	out := make(chan pixels, 1)
	go func() {
		for ; from < set.Len(); from += batch {
			select {
			case out <- decode(ctx, e, set, from):
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func decode(ctx context.Context, e Encoder, set datasets.Set, from int) pixels {
	images := make([]int, batch)
	for k := range images {
		images[k] = min(from+k, set.Len()-1)
	}
	stride := 3 * e.Image * e.Image
	p := pixels{values: make([]float32, batch*stride), failed: make([]bool, batch)}
	for k := range p.failed {
		p.failed[k] = true
	}
	_, p.err = loader.Decode(ctx, set, images, func(k int, img image.Image) {
		e.Pixels.Normalise(transform.Resize(img, img.Bounds(), e.Image), p.values[k*stride:(k+1)*stride])
		p.failed[k] = false
	})
	return p
}

// rows are the first count images of a batch as a cache has them.
func rows(tokens []float32, failed []bool, size, count int) []byte {
	out := make([]byte, 0, count*rowBytes(size))
	for k := range count {
		for _, x := range tokens[k*size : (k+1)*size] {
			out = binary.LittleEndian.AppendUint16(out, uint16(float16.FromFloat32(x)))
		}
		mark := uint16(seen)
		if failed[k] {
			mark = unreadable
		}
		out = binary.LittleEndian.AppendUint16(out, mark)
	}
	return out
}

// makeRoom removes whole caches, the ones not used for longest first, until so many further bytes fit; not those of the folder that
// asks.
func (s Store) makeRoom(bytes int64, asking string) error {
	if bytes > s.Bytes {
		return fmt.Errorf("locked: the tokens take %.1f GB and all caches may take %.1f; allow more with -set locked.gigabytes=%d, or "+
			"keep fewer tokens "+
			"with locked.side", float64(bytes)/1e9, float64(s.Bytes)/1e9, bytes/1e9+1)
	}
	type cache struct {
		path  string
		bytes int64
		used  time.Time
	}
	var caches []cache
	taken := bytes
	err := filepath.WalkDir(s.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		taken += info.Size()
		if strings.HasSuffix(path, suffix) && filepath.Dir(path) != asking {
			caches = append(caches, cache{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("locked: %w", err)
	}
	for taken > s.Bytes && len(caches) > 0 {
		oldest := 0
		for k, c := range caches {
			if c.used.Before(caches[oldest].used) {
				oldest = k
			}
		}
		c := caches[oldest]
		if err := disk.Remove(c.path); err != nil {
			return fmt.Errorf("locked: %w", err)
		}
		s.say("removed %s, which was not used for longest, to make room", c.path)
		taken -= c.bytes
		caches = append(caches[:oldest], caches[oldest+1:]...)
	}
	return nil
}

func (s Store) say(format string, args ...any) {
	if s.Say != nil {
		s.Say(fmt.Sprintf(format, args...))
	}
}
