package hubparquet

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// splitNames are the splits, with what files and folders of them are called.
var splitNames = []struct {
	split string
	names []string
}{{"train", []string{"train"}}, {"val", []string{"validation", "val", "valid", "dev"}}, {"test", []string{"test"}}}

// Collection is a folder of parquet files, or some files by their names. It implements datasets.Collection; its splits are
// datasets.Sharded. Its name is that of the folder.
//
// The hash is that of the files' names and content.
type Collection struct{ datasets.Folder[*Set] }

var _ datasets.Collection = (*Collection)(nil)

// Open reads the captions of the files of a folder; no image is decoded. All bytes are read the first time and whenever they changed, for
// the hash. Where images of a split have captions those without one are an error.
func Open(dir string) (*Collection, error) {
	c, err := open(dir)
	if err != nil {
		return nil, fmt.Errorf("hubparquet: %s: %w", dir, err)
	}
	return c, nil
}

func open(dir string) (*Collection, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	below, err := list(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]content.File{}
	for split, names := range below {
		for _, name := range names {
			files[split] = append(files[split], content.File{Name: name, Folder: dir, Below: name})
		}
	}
	return read(filepath.Base(whole), files)
}

// OpenFiles is Open for files by their paths, wherever they lie, in splits. The collection is called name. It has the hash of a folder
// into whose train, val and test the files are put.
func OpenFiles(name string, splits map[string][]string) (*Collection, error) {
	files, err := content.Named(splits)
	if err != nil {
		return nil, fmt.Errorf("hubparquet: %w", err)
	}
	c, err := read(name, files)
	if err != nil {
		return nil, fmt.Errorf("hubparquet: %s: %w", name, err)
	}
	return c, nil
}

// read makes a collection of files by their splits.
func read(name string, files map[string][]content.File) (*Collection, error) {
	c := &Collection{datasets.NewFolder[*Set]("hubparquet", name)}
	var all []content.File
	for _, s := range splitNames {
		if len(files[s.split]) == 0 {
			continue
		}
		set := &Set{name: c.Called + "/" + s.split}
		for _, f := range files[s.split] {
			if err := set.add(f); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
		if err := set.check(); err != nil {
			return nil, err
		}
		c.Add(s.split, set)
		all = append(all, files[s.split]...)
	}
	digest := sha256.New()
	for _, err := range content.DigestFiles(all, digest) {
		c.Unread = append(c.Unread, fmt.Errorf("hubparquet: %w", err))
	}
	c.Digest = hex.EncodeToString(digest.Sum(nil)[:8])
	return c, nil
}

// list returns the files of each split, in the order of their names, slash-separated below the folder.
func list(dir string) (map[string][]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]string{}
	for _, e := range entries {
		switch split := splitOf(e.Name()); {
		case e.IsDir() && split != "":
			inside, err := os.ReadDir(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			for _, file := range inside {
				if strings.HasSuffix(file.Name(), ending) {
					files[split] = append(files[split], path.Join(e.Name(), file.Name()))
				}
			}
		case e.IsDir() || !strings.HasSuffix(e.Name(), ending):
		case split == "":
			return nil, fmt.Errorf("%s: its name says of no split; let it begin with train-, validation- or test-", e.Name())
		default:
			files[split] = append(files[split], e.Name())
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no *.parquet, here or in train, validation or test; put some there")
	}
	return files, nil
}

const ending = ".parquet"

// splitOf is the split of a file or folder by its name; "" for none.
func splitOf(name string) string {
	word := name
	if k := strings.IndexAny(name, "-._"); k >= 0 {
		word = name[:k]
	}
	for _, s := range splitNames {
		for _, called := range s.names {
			if word == called {
				return s.split
			}
		}
	}
	return ""
}
