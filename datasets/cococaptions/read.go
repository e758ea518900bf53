package cococaptions

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets/content"
)

// Image is an image and its captions.
type Image struct {
	ID       int64
	File     string   // its name, such as COCO_val2014_000000391895.jpg
	Domain   Domain   // "" but in NoCaps
	Captions []string // in the order of the file; none in a list of test images
}

// Domain is how far an image of NoCaps is from COCO: what it shows is among COCO's classes, partly, or not at all (Agrawal et al., 2019).
type Domain string

// The domains as the file names them.
const (
	InDomain    Domain = "in-domain"
	NearDomain  Domain = "near-domain"
	OutOfDomain Domain = "out-domain"
)

// Read reads a file of captions, gzipped if its name ends in .gz. Images are in the order of the file.
func Read(name string) ([]Image, error) {
	f, err := content.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cococaptions: %w", err)
	}
	defer f.Close()
	images, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("cococaptions: %s: %w", filepath.Base(name), err)
	}
	return images, nil
}

// image and annotation are the entries; a pointer tells a missing number from 0.
type image struct {
	ID       *int64 `json:"id"`
	FileName string `json:"file_name"`
	Domain   Domain `json:"domain"`
}

type annotation struct {
	ID      *int64 `json:"id"`
	ImageID *int64 `json:"image_id"`
	Caption string `json:"caption"`
}

func parse(r io.Reader) ([]Image, error) {
	var images []Image
	var annotations []annotation
	at := map[int64]int{} // where an image is, by its id
	object := content.Object{
		Layout: "a file of captions in COCO's format",
		Fields: map[string]func(*content.Object) error{
			"images": content.Each("images", "image", func(i int, entry image) error {
				if err := entry.check(); err != nil {
					return err
				}
				if first, twice := at[*entry.ID]; twice {
					return fmt.Errorf("id %d is that of image %d, too; drop one", *entry.ID, first)
				}
				at[*entry.ID] = i
				images = append(images, Image{ID: *entry.ID, File: entry.FileName, Domain: entry.Domain})
				return nil
			}),
			"annotations": content.Each("annotations", "annotation", func(_ int, entry annotation) error {
				annotations = append(annotations, entry)
				return entry.check()
			}),
		},
		Needs: []string{"images"},
	}
	if err := object.Read(r); err != nil {
		return nil, err
	}
	seen := map[int64]int{}
	for i, a := range annotations {
		image, known := at[*a.ImageID]
		if !known {
			return nil, fmt.Errorf("annotation %d: no image has the id %d; add it to \"images\" or drop the annotation", i, *a.ImageID)
		}
		if a.ID != nil {
			if first, twice := seen[*a.ID]; twice {
				return nil, fmt.Errorf("annotation %d: id %d is that of annotation %d, too; drop one", i, *a.ID, first)
			}
			seen[*a.ID] = i
		}
		images[image].Captions = append(images[image].Captions, a.Caption)
	}
	return images, nil
}

func (i image) check() error {
	switch {
	case i.ID == nil:
		return fmt.Errorf("%q: no id; give it the one that annotations name", i.FileName)
	case !filepath.IsLocal(i.FileName):
		return fmt.Errorf("id %d: the file name %q; give that of a file in the folder of images", *i.ID, i.FileName)
	}
	switch i.Domain {
	case "", InDomain, NearDomain, OutOfDomain:
		return nil
	}
	return fmt.Errorf("%q: the domain %q; want %s, %s or %s", i.FileName, i.Domain, InDomain, NearDomain, OutOfDomain)
}

func (a annotation) check() error {
	switch {
	case a.ImageID == nil:
		return errors.New("no image_id; say which image the caption is of")
	case strings.TrimSpace(a.Caption) == "":
		return fmt.Errorf("image %d: an empty caption; write it or drop the annotation", *a.ImageID)
	}
	return nil
}
