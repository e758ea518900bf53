package webdataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// splitNames are the folders that are splits.
var splitNames = []string{"train", "val", "test"}

// namesFile has the names of the classes, one a line, as CLIP_benchmark's data have.
const namesFile = "classnames.txt"

// Collection is a folder of shards, or some shards by their names. It implements datasets.Collection; its splits are datasets.Sharded. Its
// name is that of the folder.
//
// The hash is that of the shards' names and content and of the names of the classes.
type Collection struct {
	datasets.Folder[*Set]
	classes []string // names; nil where not every sample has a class
}

var _ datasets.Collection = (*Collection)(nil)

// Open indexes the shards of a folder; no image is decoded. All bytes of the shards are read the first time and whenever they changed,
// for the hash.
//
// Left out (see Skipped) are samples without a picture, samples without a caption where others of the split have one, and what comes after
// the place where a shard is cut off or damaged. A gzipped shard is an error, and so is an entry whose path leads out of its folder.
func Open(dir string) (*Collection, error) {
	c, err := open(dir)
	if err != nil {
		return nil, fmt.Errorf("webdataset: %s: %w", dir, err)
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
	shards := map[string][]tarFile{}
	for split, names := range below {
		for _, name := range names {
			shards[split] = append(shards[split], tarFile{File: content.File{Name: name, Folder: dir, Below: name}})
		}
	}
	return read(filepath.Base(whole), dir, shards)
}

// OpenShards is Open for shards by their paths, wherever they lie, in splits. The collection is called name, and the names of the classes
// lie in dir. It has the hash of a folder into whose train, val and test the shards are put.
func OpenShards(name, dir string, splits map[string][]string) (*Collection, error) {
	files, err := content.Named(splits)
	if err != nil {
		return nil, fmt.Errorf("webdataset: %w", err)
	}
	shards := map[string][]tarFile{}
	for split, of := range files {
		for _, f := range of {
			shards[split] = append(shards[split], tarFile{File: f})
		}
	}
	c, err := read(name, dir, shards)
	if err != nil {
		return nil, fmt.Errorf("webdataset: %s: %w", name, err)
	}
	return c, nil
}

// read makes a collection of shards by their splits; the names of the classes lie in dir.
func read(name, dir string, shards map[string][]tarFile) (*Collection, error) {
	c := &Collection{Folder: datasets.NewFolder[*Set]("webdataset", name)}
	var all []tarFile
	for _, split := range splitNames {
		if len(shards[split]) == 0 {
			continue
		}
		set, err := c.load(split, shards[split])
		if err != nil {
			return nil, err
		}
		c.Add(split, set)
		all = append(all, shards[split]...)
	}
	if err := c.label(dir); err != nil {
		return nil, err
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q\n", c.classes)
	files := make([]content.File, len(all))
	for n, s := range all {
		files[n] = s.File
	}
	for _, err := range content.DigestFiles(files, digest) {
		c.Unread = append(c.Unread, fmt.Errorf("webdataset: %w", err))
	}
	c.Digest = hex.EncodeToString(digest.Sum(nil)[:8])
	return c, nil
}

// list returns the shards of each split, in the order of their names, slash-separated below the folder.
func list(dir string) (map[string][]string, error) {
	shards := map[string][]string{}
	for _, folder := range append([]string{"."}, splitNames...) {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if errors.Is(err, os.ErrNotExist) && folder != "." {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			switch {
			case e.IsDir():
			case strings.HasSuffix(name, ".tar"):
				shards[folder] = append(shards[folder], name)
			case strings.HasSuffix(name, ".tgz"), strings.Contains(e.Name(), ".tar."):
				return nil, fmt.Errorf("%s: the shard is compressed, and images cannot be read where they lie in it; unpack it into a "+
					"plain .tar", name)
			}
		}
	}
	loose := shards["."]
	delete(shards, ".")
	switch {
	case len(loose) > 0 && len(shards) > 0:
		return nil, fmt.Errorf("shards both here, such as %s, and in folders of splits; put all into train, val and test", loose[0])
	case len(loose) > 0:
		shards["train"] = loose
	case len(shards) == 0:
		return nil, errors.New("no shards *.tar, here or in train, val or test; put some there")
	}
	return shards, nil
}

// load indexes the shards of a split, several at once.
func (c *Collection) load(split string, shards []tarFile) (*Set, error) {
	found, failed := make([]indexed, len(shards)), make([]error, len(shards))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(shards)) {
		workers.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(shards); n = int(next.Add(1)) - 1 {
				found[n], failed[n] = shards[n].index()
			}
		})
	}
	workers.Wait()
	captioned := false
	for n, err := range failed {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shards[n].Name, err)
		}
		captioned = captioned || slices.ContainsFunc(found[n].samples, func(s sample) bool { return s.caption() != "" })
	}
	set := &Set{name: c.Called + "/" + split}
	for n, shard := range shards {
		for _, o := range found[n].skipped {
			c.Omitted.Add(split, o.reason, path.Join(shard.Name, o.what))
		}
		if found[n].cut != nil {
			c.Unread = append(c.Unread, fmt.Errorf("webdataset: %s: %w; the samples before that are used, get the shard again for the rest",
				shard.Name, found[n].cut))
		}
		samples := slices.DeleteFunc(found[n].samples, func(s sample) bool {
			mute := captioned && s.caption() == ""
			if mute {
				c.Omitted.Add(split, "no caption, where others have one; write it into a .txt beside it", path.Join(shard.Name, s.key))
			}
			return mute
		})
		set.add(shard, samples)
	}
	if set.Len() == 0 {
		return nil, errors.Join(append([]error{fmt.Errorf("%s: none of the %d shards has a sample that can be used", split, len(shards))},
			c.Skipped()...)...)
	}
	return set, nil
}

// label finds the names of the classes, where every sample has one.
func (c *Collection) label(dir string) error {
	highest := noClass
	for _, set := range c.Sets {
		for _, s := range set.samples {
			if s.class == noClass {
				return nil
			}
			highest = max(highest, s.class)
		}
	}
	text, err := content.ReadFile(filepath.Join(dir, namesFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil {
		c.classes = strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
		if highest >= len(c.classes) {
			return fmt.Errorf("%s: %d names, and there is an image of class %d; name each class from 0 on, one a line", namesFile,
				len(c.classes), highest)
		}
		return nil
	}
	for class := range highest + 1 {
		c.classes = append(c.classes, fmt.Sprintf("class %d", class))
	}
	return nil
}

// Split returns a split; it is a datasets.Sharded, and a datasets.Labelled when every sample of the collection has a class.
func (c *Collection) Split(name string) (datasets.Set, error) {
	set, err := c.Folder.Split(name)
	if err == nil && c.classes != nil {
		return labelledSet{c.Sets[name], c.classes}, nil
	}
	return set, err
}
