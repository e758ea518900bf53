package cifar

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// Collection is CIFAR-10 or CIFAR-100. It implements datasets.Collection; its splits are datasets.Labelled.
type Collection struct {
	format format
	hash   string
	splits []*Set
}

var _ datasets.Collection = (*Collection)(nil)

// heldOut is the part of the training records that is "val": one in so many, the last ones.
const heldOut = 10

// Files of training records and of test records: the first of these lists that has a file in the folder counts, and wholly.
var (
	trainFiles = [][]string{{"train.bin"}, {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
		"data_batch_5.bin"}}
	testFiles = [][]string{{"test.bin"}, {"test_batch.bin"}}
)

// Open reads the records of a folder. The test records may be missing: then there is no split "test".
func Open(dir string) (*Collection, error) {
	c, err := open(dir, variant(dir))
	if err != nil {
		return nil, fmt.Errorf("cifar: %s: %w", dir, err)
	}
	return c, nil
}

// OpenCoarse reads the records of a folder of CIFAR-100, of which the 20 coarse classes are the classes.
func OpenCoarse(dir string) (*Collection, error) {
	if f := variant(dir); f.name != cifar100.name {
		return nil, fmt.Errorf("cifar: %s: %s has no coarse classes; CIFAR-100 has", dir, f.name)
	}
	c, err := open(dir, cifar100c)
	if err != nil {
		return nil, fmt.Errorf("cifar: %s: %w", dir, err)
	}
	return c, nil
}

// variant is that of a folder's files.
func variant(dir string) format {
	for _, sign := range []string{namesOf10, trainFiles[1][0]} {
		if _, err := find(dir, sign); err == nil {
			return cifar10
		}
	}
	return cifar100
}

func open(dir string, f format) (*Collection, error) {
	c, digest := &Collection{format: f}, sha256.New()
	names, err := classNames(dir, c.format)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(digest, "%s %q\n", c.format.name, names)
	train, err := c.read(dir, trainFiles, digest)
	if err != nil {
		return nil, err
	}
	if train == nil {
		return nil, fmt.Errorf("neither %s nor %s, plain or .gz; put the training records there", trainFiles[0][0], trainFiles[1][0])
	}
	test, err := c.read(dir, testFiles, digest)
	if err != nil {
		return nil, err
	}
	records := len(train) / c.format.size()
	if records < heldOut {
		return nil, fmt.Errorf("%d training records; the last tenth of them is the split val, which takes %d at least", records, heldOut)
	}
	edge := (records - records/heldOut) * c.format.size()
	for _, split := range []struct {
		name string
		data []byte
	}{{"train", train[:edge]}, {"val", train[edge:]}, {"test", test}} {
		if split.data != nil {
			c.splits = append(c.splits, &Set{name: c.Name() + "/" + split.name, split: split.name, format: c.format, data: split.data,
				classes: names})
		}
	}
	c.hash = hex.EncodeToString(digest.Sum(nil)[:8])
	return c, nil
}

// read reads the files of the first list that has one in the folder; nil where none has.
func (c *Collection) read(dir string, lists [][]string, digest io.Writer) (all []byte, err error) {
	for _, list := range lists {
		for i, name := range list {
			file, err := find(dir, name)
			if errors.Is(err, os.ErrNotExist) && i == 0 {
				break
			}
			if err != nil {
				return nil, err
			}
			records, err := c.readFile(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
			fmt.Fprintf(digest, "%s %x\n", name, sha256.Sum256(records))
			all = append(all, records...)
		}
		if all != nil {
			return all, nil
		}
	}
	return nil, nil
}

func (c *Collection) readFile(file string) ([]byte, error) {
	r, err := content.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return c.format.parse(r)
}

// find is the path of a file, plain or, if it is not there, gzipped.
func find(dir, name string) (string, error) {
	plain := filepath.Join(dir, name)
	if _, err := os.Stat(plain); err == nil {
		return plain, nil
	}
	if _, err := os.Stat(plain + ".gz"); err != nil {
		return "", fmt.Errorf("%s: %w; put it there, plain or .gz", name, os.ErrNotExist)
	}
	return plain + ".gz", nil
}

// Name is "CIFAR-10", "CIFAR-100" or "CIFAR-100 coarse".
func (c *Collection) Name() string { return c.format.name }

// Hash is 16 hexadecimal digits of the SHA-256 of all records, unpacked, and of the names of the classes.
func (c *Collection) Hash() string { return c.hash }

// Splits lists "train", "val" and, if its records are there, "test".
func (c *Collection) Splits() []string {
	var names []string
	for _, s := range c.splits {
		names = append(names, s.split)
	}
	return names
}

// Split returns a split, a *Set.
func (c *Collection) Split(name string) (datasets.Set, error) {
	k := slices.IndexFunc(c.splits, func(s *Set) bool { return s.split == name })
	if k < 0 {
		return nil, datasets.UnknownSplit(c.Name(), name, c.Splits())
	}
	return c.splits[k], nil
}
