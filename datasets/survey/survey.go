// Package survey looks through a collection before anything is trained on it: what is there, what is broken, how long captions are, what is
// there twice, and which false negatives equal captions alone make.
package survey

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
)

// Split is what a split has.
type Split struct {
	Name       string
	Images     int
	Captions   int
	Silent     int    // images without a caption
	Words      Spread // of captions, as [text.Clean] counts them
	Long       int    // captions of more words than a model reads
	Equal      Equal
	Classes    int // that the collection knows; 0 where it knows none
	Questions  int
	Statements int
	Related    bool // whether more is known of images and captions than which belong together

	// Of pictures, where these are read.
	Unreadable []error
	Side       Spread // of the shorter side of images, in pixels
	Small      int    // images whose shorter side has fewer pixels than a model reads
	Twice      int    // images whose pixels are those of an earlier one of the collection
	Leaked     int    // of these, those whose first one is in another split
}

// Spread is the least of some numbers, their median and the largest; zero where there are none.
type Spread struct{ Least, Median, Most int }

// Equal is what equal captions of different images tell: each is true of all of these images, so that as a negative it is a false one.
type Equal struct {
	Texts    int     // that different images have
	Captions int     // of these texts
	Images   int     // that have one
	Share    float64 // of all negatives, a caption with an image other than its own: those that are false by an equal caption
}

// Limits are what a model reads.
type Limits struct {
	Words    int  // of a caption; 0 for any number
	Side     int  // pixels of an image; 0 for any number
	Pictures bool // whether pictures are opened, which takes time
}

// Of looks through all splits of a collection, in their order.
func Of(ctx context.Context, c datasets.Collection, l Limits) ([]Split, error) {
	var all []Split
	first := map[[sha256.Size]byte]string{} // the split of the first image with these pixels
	for _, name := range c.Splits() {
		set, err := c.Split(name)
		if err != nil {
			return nil, err
		}
		split := texts(set, l)
		split.Name = name
		if l.Pictures {
			if err := split.look(ctx, set, l, first); err != nil {
				return nil, err
			}
		}
		all = append(all, split)
	}
	return all, nil
}

// texts is what a set has but for its pictures.
func texts(set datasets.Set, l Limits) Split {
	s := Split{Images: set.Len()}
	images := map[string]map[int]int{} // captions of a text by image
	var words []int
	for i := range set.Len() {
		captions := set.Captions(i)
		if len(captions) == 0 {
			s.Silent++
		}
		for _, caption := range captions {
			clean := text.Clean(caption, 0)
			count := len(strings.Fields(clean))
			words = append(words, count)
			if l.Words > 0 && count > l.Words {
				s.Long++
			}
			if images[clean] == nil {
				images[clean] = map[int]int{}
			}
			images[clean][i]++
		}
	}
	s.Captions, s.Words, s.Equal = len(words), spread(words), equal(images, s.Images)
	_, s.Related = set.(datasets.Related)
	if labelled, ok := set.(datasets.Labelled); ok {
		s.Classes = len(labelled.Classes())
	}
	if questioned, ok := set.(datasets.Questioned); ok {
		s.Questions = len(questioned.Questions())
	}
	if stated, ok := set.(datasets.Stated); ok {
		s.Statements = len(stated.Statements())
	}
	return s
}

// equal counts texts that different images have. images has how many captions of a text each image has, of so many images in all.
func equal(images map[string]map[int]int, all int) Equal {
	e, captions, wrong := Equal{}, 0, 0
	sharing := map[int]bool{}
	for _, of := range images {
		count := 0
		for image, n := range of {
			count += n
			if len(of) > 1 {
				sharing[image] = true
			}
		}
		captions += count
		if len(of) > 1 {
			e.Texts++
			e.Captions += count
			wrong += count * (len(of) - 1)
		}
	}
	e.Images = len(sharing)
	if captions > 0 && all > 1 {
		e.Share = float64(wrong) / (float64(captions) * float64(all-1))
	}
	return e
}

// seen is what is found of an image.
type seen struct {
	side int
	sum  [sha256.Size]byte
	err  error
}

// look opens the pictures of a set.
func (s *Split) look(ctx context.Context, set datasets.Set, l Limits, first map[[sha256.Size]byte]string) error {
	found := make([]seen, set.Len())
	var work sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(found) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				picture, err := set.Image(ctx, i)
				if err != nil {
					found[i].err = err
					continue
				}
				found[i].side, found[i].sum = min(picture.Bounds().Dx(), picture.Bounds().Dy()), sum(picture)
			}
		})
	}
	work.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	var sides []int
	for _, of := range found {
		if of.err != nil {
			s.Unreadable = append(s.Unreadable, of.err)
			continue
		}
		sides = append(sides, of.side)
		if l.Side > 0 && of.side < l.Side {
			s.Small++
		}
		switch where, twice := first[of.sum]; {
		case !twice:
			first[of.sum] = s.Name
		case where != s.Name:
			s.Leaked++
			fallthrough
		default:
			s.Twice++
		}
	}
	s.Side = spread(sides)
	return nil
}

// sum is that of an image's pixels, whatever its file is like.
func sum(picture image.Image) [sha256.Size]byte {
	bounds := picture.Bounds()
	plain := image.NewNRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	draw.Draw(plain, plain.Bounds(), picture, bounds.Min, draw.Src)
	whole := sha256.New()
	fmt.Fprintln(whole, bounds.Size())
	whole.Write(plain.Pix)
	return [sha256.Size]byte(whole.Sum(nil))
}

// spread is that of numbers, which it sorts.
func spread(numbers []int) Spread {
	if len(numbers) == 0 {
		return Spread{}
	}
	slices.SortFunc(numbers, cmp.Compare[int])
	return Spread{numbers[0], numbers[len(numbers)/2], numbers[len(numbers)-1]}
}

// Errors lists what is wrong, a line each: what a collection has left out, and the first pictures of each split that cannot be read.
func Errors(c datasets.Collection, splits []Split) []error {
	var all []error
	if partial, ok := c.(interface{ Skipped() []error }); ok {
		all = append(all, partial.Skipped()...)
	}
	const named = 3
	for _, s := range splits {
		if n := len(s.Unreadable); n > 0 {
			shown := errors.Join(s.Unreadable[:min(n, named)]...)
			all = append(all, fmt.Errorf("%s: %d of %d images cannot be read: %s", s.Name, n, s.Images,
				strings.ReplaceAll(shown.Error(), "\n", "; ")))
		}
	}
	return all
}
