package karpathy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Collection is a folder in Karpathy's layout. It implements datasets.Collection. Its name is the "dataset" of the file, or what the file's
// name says; its splits are in the order of the file.
//
// The hash is that of the (unpacked) dataset file, the names of images that are missing, the (unpacked) judgements and answers of
// benchmarks, and the content of every image that is there. So an image that is damaged, or mended, makes another collection.
type Collection struct{ datasets.Folder[*Set] }

var _ datasets.Collection = (*Collection)(nil)

// Open reads the one dataset_*.json or dataset_*.json.gz of a folder, people's judgements and benchmarks if it has them, and the images'
// files; none is decoded. The files are read through the first time and whenever they changed, which takes as long as the disk needs
// (COCO: about a minute), and remembered in the user's cache folder.
//
// Images of the split "restval" join "train", as in the papers. An image that is not there, is listed twice, or has no file
// name, split or caption is left out, and so is an empty caption (see Skipped).
func Open(dir string) (*Collection, error) {
	name, err := find(dir)
	if err != nil {
		return nil, err
	}
	digest := sha256.New()
	f, err := read(filepath.Join(dir, name), digest)
	if err != nil {
		return nil, fmt.Errorf("karpathy: %s: %w", name, err)
	}
	listing, err := list(filepath.Join(dir, "images"), f.Images)
	if err != nil {
		return nil, fmt.Errorf("karpathy: %s: images: %w", name, err)
	}
	c := &Collection{datasets.NewFolder[*Set]("karpathy", f.Dataset)}
	if c.Called == "" {
		c.Called = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "dataset_"), ".gz"), ".json")
	}
	files := c.fill(dir, name, f.Images, listing, digest)
	if len(c.Sets) == 0 {
		return nil, errors.Join(append([]error{fmt.Errorf("karpathy: %s: none of its %d images can be used", name, len(f.Images))},
			c.Skipped()...)...)
	}
	if err := c.judge(dir, digest); err != nil {
		return nil, fmt.Errorf("karpathy: %s: %w", judgementFile, err)
	}
	if err := c.answer(dir, f.Images, digest); err != nil {
		return nil, fmt.Errorf("karpathy: %s: %w", answerFolder, err)
	}
	if err := content.Digest(filepath.Join(dir, "images"), files, digest); err != nil {
		c.Unread = append(c.Unread, fmt.Errorf("karpathy: %w", err))
	}
	c.Digest = hex.EncodeToString(digest.Sum(nil)[:8])
	return c, nil
}

// find returns the name of the one dataset file of a folder.
func find(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("karpathy: %w", err)
	}
	var names []string
	for _, e := range entries {
		plain := strings.TrimSuffix(e.Name(), ".gz")
		if strings.HasPrefix(plain, "dataset_") && strings.HasSuffix(plain, ".json") {
			names = append(names, e.Name())
		}
	}
	switch len(names) {
	case 0:
		return "", fmt.Errorf("karpathy: %s: no dataset_*.json or dataset_*.json.gz; put the collection's file there", dir)
	case 1:
		return names[0], nil
	}
	return "", fmt.Errorf("karpathy: %s: %d dataset files, %v; keep one", dir, len(names), names)
}

// read parses a dataset file and digests its (unpacked) content.
func read(name string, digest hash.Hash) (*file, error) {
	r, err := content.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return parse(io.TeeReader(r, digest))
}

// list returns the files in the folder of images and in its sub-folders that entries name, as slash-separated paths.
func list(images string, entries []entry) (map[string]bool, error) {
	folders := map[string]bool{".": true}
	for _, e := range entries {
		if filepath.IsLocal(e.Filepath) {
			folders[path.Clean(e.Filepath)] = true
		}
	}
	files := map[string]bool{}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		found, err := os.ReadDir(filepath.Join(images, filepath.FromSlash(folder)))
		if errors.Is(err, os.ErrNotExist) && folder != "." {
			continue // flat, as most copies are
		}
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if !f.IsDir() {
				files[path.Join(folder, f.Name())] = true
			}
		}
	}
	return files, nil
}

// fill sorts the usable entries into splits and returns their files in the order of entries. Missing images enter the digest,
// since without them it is another collection.
func (c *Collection) fill(dir, name string, entries []entry, listing map[string]bool, digest hash.Hash) (files []string) {
	seen := map[string]bool{}
	for i, e := range entries {
		what := fmt.Sprintf("image %d (%q)", i, e.Filename)
		skip := func(reason string) { c.Omitted.Add(name, reason, what) }
		file := path.Join(e.Filepath, e.Filename)
		if !listing[file] {
			file = e.Filename
		}
		split := e.Split
		if split == "restval" {
			split = "train"
		}
		switch {
		case e.Filename == "":
			skip("no file name; give the image one or drop the entry")
			continue
		case split == "":
			skip("no split; give the image one or drop the entry")
			continue
		case !listing[file]:
			skip("the file is not in images/; put it there or drop the entry")
			fmt.Fprintf(digest, "missing %s\n", file)
			continue
		case seen[file]:
			skip("the image is listed before; drop one of the entries")
			continue
		}
		var captions []string
		var positions []int
		for s, sentence := range e.Sentences {
			if strings.TrimSpace(sentence.Raw) == "" {
				c.Omitted.Add(name, "an empty caption; write it or drop it", fmt.Sprintf("%s sentence %d", what, s))
				continue
			}
			captions, positions = append(captions, sentence.Raw), append(positions, s)
		}
		if len(captions) == 0 {
			skip("no sentences; give the image one or drop the entry")
			continue
		}
		seen[file] = true
		set := c.Sets[split]
		if set == nil {
			set = &Set{name: c.Called + "/" + split, folder: filepath.Join(dir, "images")}
			c.Add(split, set)
		}
		set.add(photo{entry: i, file: file, captions: captions, positions: positions})
		files = append(files, file)
	}
	return files
}

// Split returns a split; it is a datasets.Related when people judged pairs of it, or a benchmark has its answers.
func (c *Collection) Split(name string) (datasets.Set, error) {
	set, err := c.Folder.Split(name)
	if err != nil {
		return nil, err
	}
	if own := c.Sets[name]; own.judged != nil || len(own.answers) > 0 {
		return judgedSet{own}, nil
	}
	return set, nil
}
