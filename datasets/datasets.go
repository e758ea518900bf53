// Package datasets holds collections of images and what is known of them: captions, the relation of semantic compatibility between images
// and captions, classes. Its sub-packages have the transforms that turn an image into pixels and a caption into token ids, and the
// loader that does so in parallel ahead of training.
//
// It knows nothing of models or training. Sources live in packages of their own: scenes (generated, exact relation), karpathy (COCO and
// Flickr JSON files with a folder of images), annotated (VQA v2, NLVR2 and NoCaps), imagefolder (a folder a class), cifar (CIFAR's binary
// records), webdataset (tar shards) and hubparquet (parquet files of the Hugging Face hub).
// The package layout tells which of them a folder is for.
package datasets

import (
	"context"
	"errors"
	"fmt"
	"image"
)

// Set is one split of a collection: images, each with any number of captions. What else is known of them further interfaces tell, which
// a set implements where it knows: [Related], [Labelled], [Boxed], [Sharded], [Spoken], [Questioned], [Stated], [Domained]. Its methods may
// be called concurrently.
type Set interface {
	// Name tells the collection and the split, such as "scenes/train".
	Name() string
	// Len is the number of images.
	Len() int
	// Image decodes image i. An error names the file and says what is wrong with it.
	Image(ctx context.Context, i int) (image.Image, error)
	// Captions lists the captions of image i; none where nobody wrote one. The caller must not change it.
	Captions(i int) []string
	// Key identifies image i to a person: a file name, or a scene's number.
	Key(i int) string
}

// Collection is a named set of splits.
type Collection interface {
	// Name is the collection's name, such as "scenes" or "flickr8k".
	Name() string
	// Hash identifies the content: it changes when the captions, the splits or the generator do.
	Hash() string
	// Split returns a split by name; the error lists the names there are.
	Split(name string) (Set, error)
	// Splits lists the names of the splits.
	Splits() []string
}

// Relation is the relation R of semantic compatibility between images and captions of one set (FALCON, Proposition 1).
// A pair outside the annotated ones for which R holds is a false negative when it is treated as a negative.
type Relation interface {
	// Holds reports whether the caption of pair p (an index into Pairs of the same set) is true of image i, and whether
	// that is known at all.
	Holds(i, p int) (holds, known bool)
}

// Related is a Set whose relation is known, wholly (scenes) or for judged pairs (Flickr8k's human judgements).
type Related interface {
	Set
	Relation() Relation
}

// Labelled is a Set whose images are of one class each.
type Labelled interface {
	Set
	// Class is that of image i, an index into Classes.
	Class(i int) int
	// Classes lists the names of the classes as a prompt says them: "aquarium fish", not "aquarium_fish". All splits of a collection
	// have the same. The caller must not change it.
	Classes() []string
}

// Box is a rectangle in an image. Its sides are fractions of the image's width and height, from 0 at the left and at the top.
type Box struct{ Left, Top, Right, Bottom float64 }

// Boxed is a Set that knows where the objects of its images are.
type Boxed interface {
	Set
	// Boxes are those of the objects of image i, in no particular order. The caller must not change them.
	Boxes(i int) []Box
}

// Sharded is a Set that lies in shards, each of which is best read from its beginning to its end.
type Sharded interface {
	Set
	// Shards lists the first image of each shard, in ascending order from 0; nil where all are in one. The caller must not change it.
	Shards() []int
}

// ErrChanged is in the error of an image whose file is another than when the data were opened. It is no broken image, which others may
// stand in for: what the set said of its images is no longer so.
var ErrChanged = errors.New("has changed since it was opened")

// UnknownSplit is the error for a split that a collection does not have.
func UnknownSplit(collection, split string, have []string) error {
	return fmt.Errorf("%s: no split %q; there are %v", collection, split, have)
}
