package karpathy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/renameio/v2"
)

// picture is what is remembered of an image's file: the SHA-256 of its content when it had this size and time of change.
type picture struct {
	Size    int64
	Changed time.Time
	Digest  []byte
}

// pictures tell images by their content. Reading COCO's 20 GB takes a minute or more, so what was read is remembered in a file
// of the user's cache folder, one a folder of images: the next Open asks the system for sizes and times alone, which takes
// less than a second.
type pictures struct {
	folder string
	memory string // the file that remembers
	known  map[string]picture
	read   atomic.Int64 // bytes

	least   int64         // bytes read from which on remembering is worth a file
	settled time.Duration // since a file's change before it may be remembered
}

// Reading 16 MiB takes about a tenth of a second. File systems tell times in steps of up to two seconds, and a second change within
// one would stay unseen.
const (
	worthRemembering = 16 << 20
	settled          = 2 * time.Second
)

// openPictures reads what is remembered of a folder of images; a memory that is damaged counts as none.
func openPictures(folder, memory string) *pictures {
	p := &pictures{folder: folder, memory: memory, least: worthRemembering, settled: settled}
	text, err := os.ReadFile(memory)
	if err != nil || json.Unmarshal(text, &p.known) != nil {
		p.known = nil
	}
	return p
}

// memoryOf is the file that remembers a folder's images, in the system's folder for temporary files where the user has no
// cache folder.
func memoryOf(folder string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(cache, "vlpx", "pictures", hex.EncodeToString(sum[:8])+".json"), nil
}

// digests returns the SHA-256 of each file, given slash-separated below the folder; nil of one that cannot be read. The error
// tells why they could not be remembered; the digests are right all the same.
func (p *pictures) digests(files []string) ([][]byte, error) {
	now, all := time.Now(), make([]picture, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(files); n = int(next.Add(1)) - 1 {
				all[n] = p.look(files[n])
			}
		})
	}
	workers.Wait()
	digests, remembered := make([][]byte, len(files)), make(map[string]picture, len(files))
	for n, one := range all {
		digests[n] = one.Digest
		if one.Digest != nil && now.Sub(one.Changed) > p.settled {
			remembered[files[n]] = one
		}
	}
	if p.read.Load() < p.least {
		return digests, nil
	}
	text, err := json.Marshal(remembered)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(p.memory), 0o755), renameio.WriteFile(p.memory, text, 0o644))
	}
	return digests, err
}

// look reads a file unless it is remembered as it is now. The digest is nil where it cannot be read.
func (p *pictures) look(file string) picture {
	name := filepath.Join(p.folder, filepath.FromSlash(file))
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return picture{}
	}
	if was, ok := p.known[file]; ok && len(was.Digest) == sha256.Size && was.Size == info.Size() && was.Changed.Equal(changed(info)) {
		return was
	}
	content, err := os.Open(name)
	if err != nil {
		return picture{}
	}
	defer content.Close()
	digest := sha256.New()
	read, err := io.Copy(digest, content)
	p.read.Add(read)
	if err != nil {
		return picture{}
	}
	return picture{info.Size(), changed(info), digest.Sum(nil)}
}

// digestImages enters the content of images, given by their files below a folder, into the collection's digest.
func (c *Collection) digestImages(folder string, files []string, digest io.Writer) {
	memory, err := memoryOf(folder)
	var digests [][]byte
	if err == nil {
		digests, err = openPictures(folder, memory).digests(files)
	}
	if err != nil {
		c.forgetful = fmt.Errorf("karpathy: %s: what is in the images cannot be remembered, so that they are all read each time: %w", folder, err)
	}
	for n, sum := range digests {
		if sum == nil {
			fmt.Fprintf(digest, "unreadable %s\n", files[n])
		} else {
			fmt.Fprintf(digest, "image %s %x\n", files[n], sum)
		}
	}
}
