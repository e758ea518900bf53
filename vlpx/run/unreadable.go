package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
)

// data is a collection with what is known of its images. Evaluation leaves no image out, since a smaller split is an easier one:
// an image that cannot be read takes part as the mean colour, or without regions, is told before training, and stands in the result. The
// bytes of images are in the collection's hash, so that such a result is never that of the data with the image mended.
type data struct {
	datasets.Collection
	unreadable map[string][]string // keys of images by split; none where all can be read
}

// look reads the images of splits, as far as they are used, and tells which cannot be. Generated ones always can.
func (e *Executor) look(ctx context.Context, r Run, c datasets.Collection, splits ...string) (data, error) {
	looked, as := data{Collection: c}, "as the mean colour"
	if r.Regions.Files != nil {
		as = "as images without regions"
	} else if r.Data.Scenes != nil {
		return looked, nil
	}
	for _, split := range splits {
		set, err := r.Data.split(c, split)
		if err != nil {
			return data{}, err
		}
		skipped, err := e.unseen(ctx, r.Regions, set)
		switch {
		case err != nil:
			return data{}, err
		case len(skipped) == 0:
			continue
		case len(skipped) == set.Len():
			return data{}, fmt.Errorf("run: none of the %d images of %s can be read; one says: %w", set.Len(), set.Name(), skipped[0].Err)
		}
		if looked.unreadable == nil {
			looked.unreadable = map[string][]string{}
		}
		for _, s := range skipped {
			looked.unreadable[split] = append(looked.unreadable[split], s.Key)
		}
		e.say("%d of the %d images of %s cannot be read and count %s: %s; one says: %v", len(skipped), set.Len(), set.Name(), as,
			Some(looked.unreadable[split]), skipped[0].Err)
	}
	return looked, nil
}

// accept takes the images that were known to be unreadable before the run, and no others.
func (d data) accept(split string) func(loader.Skip) error {
	return func(s loader.Skip) error {
		if slices.Contains(d.unreadable[split], s.Key) {
			return nil
		}
		return fmt.Errorf("run: an image could be read when the run began and cannot be now: %w; then start the run again, which "+
			"goes on from "+
			"its checkpoint", s.Err)
	}
}

// named is how many names a line has room for.
const named = 10

// Some lists the first names, and how many more there are.
func Some(names []string) string {
	if len(names) <= named {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:named], ", "), len(names)-named)
}
