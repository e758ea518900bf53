package content

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/renameio/v2"
)

// known is what is remembered of a file: the SHA-256 of its content when it had this size and time of change.
type known struct {
	Size    int64
	Changed time.Time
	Digest  []byte
}

// memory tells the files of a folder by their content, as far as it can from what it remembers.
type memory struct {
	folder string
	place  string // the file that remembers
	known  map[string]known
	most   int64        // bytes of a file that is read; a longer one counts as one that cannot be read
	read   atomic.Int64 // bytes

	least   int64         // bytes read from which on remembering is worth a file
	settled time.Duration // since a file's change before it may be remembered
}

// WorthRemembering is how many bytes Digest reads before it remembers them: reading 16 MiB takes about a tenth of a second.
const WorthRemembering = 16 << 20

// settled is how long ago a file must have changed: file systems tell times in steps of up to two seconds, and a second change within
// one would stay unseen.
const settled = 2 * time.Second

// Digest writes the content of pictures, given slash-separated below a folder, into a collection's digest: a line a file. What was read is
// remembered (see the package); the error tells why it could not be, while the digest is right all the same.
func Digest(folder string, files []string, digest io.Writer) error {
	sums, err := sums(folder, files, longestPicture)
	for n, sum := range sums {
		WriteSum(digest, files[n], sum)
	}
	return err
}

// File is a file of a collection whose files lie in several folders.
type File struct {
	Name          string // slash-separated, as the collection has it, such as "train/00003.tar"
	Folder, Below string // where it lies: a folder, and its slash-separated path below that
}

// Path is where the file lies.
func (f File) Path() string { return filepath.Join(f.Folder, filepath.FromSlash(f.Below)) }

// Named are files by their paths, in splits: each is called by its split and its own name. Two of the same name are an error.
func Named(splits map[string][]string) (map[string][]File, error) {
	files, paths := map[string][]File{}, map[string]string{}
	for split, of := range splits {
		for _, file := range of {
			f := File{path.Join(split, filepath.Base(file)), filepath.Dir(file), filepath.Base(file)}
			if other, taken := paths[f.Name]; taken {
				return nil, fmt.Errorf("%s and %s are both called %s; give one of them another name", other, file, f.Name)
			}
			paths[f.Name] = file
			files[split] = append(files[split], f)
		}
		slices.SortFunc(files[split], func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	}
	return files, nil
}

// DigestFiles is Digest for files of any length, in several folders.
func DigestFiles(files []File, digest io.Writer) (unremembered []error) {
	in := map[string][]string{} // names by folders
	for _, f := range files {
		in[f.Folder] = append(in[f.Folder], f.Below)
	}
	sums := map[string][][]byte{}
	for _, folder := range slices.Sorted(maps.Keys(in)) {
		var err error
		if sums[folder], err = Sums(folder, in[folder]); err != nil {
			unremembered = append(unremembered, err)
		}
	}
	for _, f := range files {
		WriteSum(digest, f.Name, sums[f.Folder][0])
		sums[f.Folder] = sums[f.Folder][1:]
	}
	return unremembered
}

// WriteSum writes the line of a file into a collection's digest: its name and its SHA-256, nil where it cannot be read.
func WriteSum(digest io.Writer, name string, sum []byte) {
	if sum == nil {
		fmt.Fprintf(digest, "unreadable %s\n", name)
		return
	}
	fmt.Fprintf(digest, "image %s %x\n", name, sum)
}

// Sums returns the SHA-256 of files, given slash-separated below a folder; nil of one that cannot be read. What was read is remembered, as
// by Digest, and the error is that of remembering.
func Sums(folder string, files []string) ([][]byte, error) { return sums(folder, files, math.MaxInt64) }

// sums are Sums of files of so many bytes at most; nil of a longer one.
func sums(folder string, files []string, most int64) ([][]byte, error) {
	place, nowhere := memoryOf(folder)
	m := openMemory(folder, place)
	m.most = most
	sums, err := m.digests(files)
	if err := errors.Join(nowhere, err); err != nil {
		err = fmt.Errorf("%s: what is in the files cannot be remembered, so that they are all read each time: %w", folder, err)
		return sums, err
	}
	return sums, nil
}

// openMemory reads what is remembered of a folder; one that is damaged counts as none.
func openMemory(folder, place string) *memory {
	m := &memory{folder: folder, place: place, most: math.MaxInt64, least: WorthRemembering, settled: settled}
	text, err := os.ReadFile(place)
	if err != nil || json.Unmarshal(text, &m.known) != nil {
		m.known = nil
	}
	return m
}

// memoryOf is the file that remembers a folder, in the system's folder for temporary files where the user has no
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
func (m *memory) digests(files []string) ([][]byte, error) {
	now, all := time.Now(), make([]known, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(files); n = int(next.Add(1)) - 1 {
				all[n] = m.look(files[n])
			}
		})
	}
	workers.Wait()
	digests, remembered := make([][]byte, len(files)), maps.Clone(m.known) // of other files of the folder, too
	if remembered == nil {
		remembered = map[string]known{}
	}
	for n, one := range all {
		digests[n] = one.Digest
		delete(remembered, files[n])
		if one.Digest != nil && now.Sub(one.Changed) > m.settled {
			remembered[files[n]] = one
		}
	}
	if m.read.Load() < m.least {
		return digests, nil
	}
	text, err := json.Marshal(remembered)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(m.place), 0o755), renameio.WriteFile(m.place, text, 0o644))
	}
	return digests, err
}

// look reads a file unless it is remembered as it is now. The digest is nil where it cannot be read.
func (m *memory) look(file string) known {
	name := filepath.Join(m.folder, filepath.FromSlash(file))
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > m.most {
		return known{}
	}
	if was, ok := m.known[file]; ok && len(was.Digest) == sha256.Size && was.Size == info.Size() && was.Changed.Equal(changed(info)) {
		return was
	}
	content, err := os.Open(name)
	if err != nil {
		return known{}
	}
	defer content.Close()
	digest := sha256.New()
	read, err := io.Copy(digest, content)
	m.read.Add(read)
	if err != nil {
		return known{}
	}
	return known{info.Size(), changed(info), digest.Sum(nil)}
}
