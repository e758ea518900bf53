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

// Collection is a folder of parquet files. It implements datasets.Collection; its splits are datasets.Sharded. Its name is that of the
// folder.
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
	c := &Collection{datasets.NewFolder[*Set]("hubparquet", filepath.Base(whole))}
	files, err := list(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, s := range splitNames {
		if len(files[s.split]) == 0 {
			continue
		}
		set := &Set{name: c.Called + "/" + s.split}
		for _, name := range files[s.split] {
			if err := set.add(dir, name); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := set.check(); err != nil {
			return nil, err
		}
		c.Add(s.split, set)
		all = append(all, files[s.split]...)
	}
	sums, err := content.Sums(dir, all)
	if err != nil {
		c.Unread = append(c.Unread, fmt.Errorf("hubparquet: %w", err))
	}
	digest := sha256.New()
	for k, sum := range sums {
		content.WriteSum(digest, all[k], sum)
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
