package regions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Files are precomputed regions in a folder, an npz file a picture as UNITER's detector left them (docs/REGIONS.md). Of a picture's regions
// those count that are surer than 0.2, but at least 10 and at most Source.Count of them, the surest ones (UNITER, data/data.py,
// compute_num_bb).
type Files struct {
	Hash string // of the content of all files
	// Dir is where they lie. It is no part of a run's identity: the hash is.
	Dir string `json:"-"`
}

// UNITER's rule for how many regions count.
const (
	sure   = 0.2
	fewest = 10
)

// ending is that of a file of regions.
const ending = ".npz"

// Folder describes a folder of files; it reads them all the first time and whenever they changed.
func Folder(dir string) (Files, error) {
	names, err := files(dir)
	if err != nil {
		return Files{}, err
	}
	digest := sha256.New()
	_ = content.Digest(dir, names, digest) // that it will read them again is no fault of the regions
	return Files{Hash: hex.EncodeToString(digest.Sum(nil)[:8]), Dir: dir}, nil
}

// files lists those of a folder and of the folders in it, slash-separated and sorted.
func files(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ending {
			return err
		}
		below, err := filepath.Rel(dir, name)
		names = append(names, filepath.ToSlash(below))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("regions: %w; give a folder of files of regions, one a picture", err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("regions: %s: no %s files; give a folder that has one for each picture, as docs/REGIONS.md says",
			dir, ending)
	}
	slices.Sort(names)
	return names, nil
}

// filed are the regions of a set by its files.
type filed struct {
	Source
	set   datasets.Set
	names []string // of each image's file, slash-separated below the folder; "" where there is none
}

func openFiles(s Source, set datasets.Set) (*filed, error) {
	now, err := Folder(s.Files.Dir)
	if err != nil {
		return nil, err
	}
	if now.Hash != s.Files.Hash {
		return nil, fmt.Errorf("regions: the files in %s have changed since they were described; ask again", s.Files.Dir)
	}
	names, err := files(s.Files.Dir)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
	}
	f := &filed{s, set, make([]string, set.Len())}
	owner := map[string]int{}
	for i := range f.names {
		for _, name := range namesOf(set.Key(i)) {
			if !there[name] {
				continue
			}
			if other, taken := owner[name]; taken {
				return nil, fmt.Errorf("regions: %s: %s is the file of two pictures of %s, %s and %s; name it by the whole of its "+
					"picture's name",
					s.Files.Dir, name, set.Name(), set.Key(other), set.Key(i))
			}
			f.names[i], owner[name] = name, i
			break
		}
	}
	if len(owner) == 0 && set.Len() > 0 {
		return nil, fmt.Errorf("regions: %s: no file for any picture of %s; that of %s is called %s", s.Files.Dir, set.Name(), set.Key(0),
			strings.Join(namesOf(set.Key(0)), " or "))
	}
	return f, nil
}

// namesOf are the names that the file of a picture may have, by the picture's: its own, that without its folders, and as UNITER names
// COCO's and Flickr30k's.
func namesOf(key string) []string {
	stem := strings.TrimSuffix(key, path.Ext(key))
	base := path.Base(stem)
	names := []string{stem, base, strings.ToLower(base)}
	if digits(base) == base {
		names = append(names, "flickr30k_"+strings.Repeat("0", max(0, numbered-len(base)))+base)
	}
	for k := range names {
		names[k] += ending
	}
	return slices.Compact(names)
}

// numbered is how many digits a picture's number has in COCO's names and in UNITER's.
const numbered = 12

// numberOf is a picture's number by its name, as COCO and Flickr30k name pictures; "" where the name has none.
func numberOf(key string) string {
	base := path.Base(strings.TrimSuffix(key, path.Ext(key)))
	number := digits(base)
	if number == "" || number != base && len(number) != numbered {
		return ""
	}
	return cmp.Or(strings.TrimLeft(number, "0"), "0")
}

// digits are those at the end of a name.
func digits(name string) string { return name[len(strings.TrimRight(name, "0123456789")):] }

// Size is how many numbers an image has.
func (f *filed) Size() int { return f.size() }

// Features reads the regions of image i; see loader.Features. Where that fails there are none.
func (f *filed) Features(ctx context.Context, i int, out []float32) error {
	clear(out[:f.size()])
	if err := ctx.Err(); err != nil {
		return err
	}
	key := f.set.Key(i)
	if f.names[i] == "" {
		return fmt.Errorf("regions: %s: no file for %s; it is called %s", f.Files.Dir, key, strings.Join(namesOf(key), " or "))
	}
	name := filepath.Join(f.Files.Dir, filepath.FromSlash(f.names[i]))
	found, err := readNPZ(name)
	if err == nil {
		err = f.fits(found, numberOf(key))
	}
	if err != nil {
		return fmt.Errorf("regions: %s: %w", name, err)
	}
	for k, of := range found.surest(f.Count) {
		row := f.row(out, k)
		for n, x := range found.features[of*found.width : (of+1)*found.width] {
			row[n] = float32(x)
		}
		locate(row[f.Width:], found.boxes[of*sides:(of+1)*sides])
	}
	return nil
}

// fits tells why regions are none of a picture of a number, which may have none.
func (f *filed) fits(d detected, number string) error {
	switch {
	case d.width != f.Width:
		return fmt.Errorf("its regions have %d features, not %d; set regions.width=%d where all files have as many", d.width,
			f.Width, d.width)
	case d.regions() == 0:
		return errors.New("it has no regions; let the detector keep at least the whole picture")
	case d.image != "" && number != "" && d.image != number:
		return fmt.Errorf("it says that it is of image %s; give that of this picture", d.image)
	}
	return nil
}
