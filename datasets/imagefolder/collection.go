package imagefolder

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// splitNames are the folders that are splits.
var splitNames = []string{"train", "val", "test"}

// Collection is a folder of splits of classes of images. It implements datasets.Collection; its splits are datasets.Labelled. Its name is
// that of the folder.
//
// The hash is that of the names of all images, in which the splits and the classes are, and of their content.
type Collection struct{ datasets.Folder[*Set] }

var _ datasets.Collection = (*Collection)(nil)

// Open lists the images of a folder, and reads all files the first time and whenever they changed, for the hash; none is decoded. All
// splits must have the same classes, each with an image. What is no image by the ending of its name is left out (see Skipped).
func Open(dir string) (*Collection, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("imagefolder: %w", err)
	}
	c := &Collection{datasets.NewFolder[*Set]("imagefolder", filepath.Base(whole))}
	var folders []string // of the classes, the first split's
	var classes []string // their names
	var files []string   // of all splits
	for _, split := range splitNames {
		if info, err := os.Stat(filepath.Join(dir, split)); err != nil || !info.IsDir() {
			continue
		}
		own, images, err := c.list(dir, split)
		if err != nil {
			return nil, fmt.Errorf("imagefolder: %s: %w", dir, err)
		}
		if c.Ordered == nil {
			folders = own
			if classes, err = named(own); err != nil {
				return nil, fmt.Errorf("imagefolder: %s: %s: %w", dir, split, err)
			}
		} else if err := sameClasses(c.Ordered[0], folders, split, own); err != nil {
			return nil, fmt.Errorf("imagefolder: %s: %w", dir, err)
		}
		set := newSet(c.Called+"/"+split, dir, classes, images)
		c.Add(split, set)
		files = append(files, set.files...)
	}
	if c.Ordered == nil {
		return nil, fmt.Errorf("imagefolder: %s: no folder train, val or test; put the folders of classes into these", dir)
	}
	digest := sha256.New()
	if err := content.Digest(dir, files, digest); err != nil {
		c.Unread = append(c.Unread, fmt.Errorf("imagefolder: %w", err))
	}
	c.Digest = hex.EncodeToString(digest.Sum(nil)[:8])
	return c, nil
}

// list returns the folders of the classes of a split, in order, and the images of each, slash-separated below the collection's folder.
func (c *Collection) list(dir, split string) (classes []string, images [][]string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, split))
	if err != nil {
		return nil, nil, err
	}
	for _, class := range entries {
		folder := filepath.Join(dir, split, class.Name())
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			c.Omitted.Add(split, "no folder of a class; put images into one, and drop the rest", class.Name())
			continue
		}
		found, err := os.ReadDir(folder)
		if err != nil {
			return nil, nil, err
		}
		var own []string
		for _, f := range found {
			name := path.Join(split, class.Name(), f.Name())
			if f.IsDir() || !content.IsPicture(f.Name()) {
				c.Omitted.Add(split, "no image by the ending of its name, .jpg, .jpeg, .png or .webp", name)
				continue
			}
			own = append(own, name)
		}
		if len(own) == 0 {
			return nil, nil, fmt.Errorf("%s/%s: the folder of a class has no images; put some in or drop it", split, class.Name())
		}
		classes, images = append(classes, class.Name()), append(images, own)
	}
	if len(classes) == 0 {
		return nil, nil, fmt.Errorf("%s: no folders of classes; give each class one", split)
	}
	return classes, images, nil
}

// named are the names of the classes of folders, in their order.
func named(folders []string) ([]string, error) {
	var names []string
	for i, folder := range folders {
		name := strings.Join(strings.Fields(strings.ReplaceAll(folder, "_", " ")), " ")
		if name == "" {
			return nil, fmt.Errorf("the folder %q names no class; give it a name", folder)
		}
		if other := slices.Index(names, name); other >= 0 {
			return nil, fmt.Errorf("the folders %q and %q both name the class %q; rename or join them", folders[other], folders[i], name)
		}
		names = append(names, name)
	}
	return names, nil
}

// sameClasses names a class that one of two splits lacks.
func sameClasses(split string, classes []string, other string, others []string) error {
	lacking := func(has string, all []string, lacks string, few []string) error {
		for _, class := range all {
			if !slices.Contains(few, class) {
				return fmt.Errorf("class %q is in %s and not in %s; all splits have the same classes", class, has, lacks)
			}
		}
		return nil
	}
	if err := lacking(split, classes, other, others); err != nil {
		return err
	}
	return lacking(other, others, split, classes)
}
