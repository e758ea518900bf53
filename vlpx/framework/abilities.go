package framework

import (
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/weights"
)

// Initialising is a Framework whose variables have other first values than those of package encoder.
type Initialising interface {
	Framework
	// Initialise gives the variables below root their first values.
	Initialise(store *model.Store, root string, seed uint64) error
}

// Worded is a Framework with an embedding table of words.
type Worded interface {
	Framework
	// Words is the path of the table below the model's root, [vocabulary, width].
	Words() string
}

// Growing is a Framework whose vocabulary may have more words than that of the model that it starts from: its tables then begin with that
// one's.
type Growing interface {
	Framework
	// Vocabulary is the number of words that it has room for.
	Vocabulary() int
	// WithVocabulary is the framework with room for so many.
	WithVocabulary(size int) Framework
}

// InHalf is a Framework whose products may be in bfloat16, which not every engine has.
type InHalf interface {
	Framework
	InHalf() bool
}

// Part names a part of a framework that published weights are for.
type Part string

// Parts of frameworks.
const (
	Vision Part = "vision" // the image encoder
	Text   Part = "text"   // the text encoder, with its fusion layers where it has any
)

// Pretrained is a Framework whose parts can start from published weights.
type Pretrained interface {
	Framework
	// Adapt is the framework with the kind of layers that a published part has.
	Adapt(p Part, s weights.Source) (Framework, error)
	// First reads the first values of a part's variables, by their paths, and reports what became of the file.
	First(p Part, s weights.Source) (weights.Values, weights.Report, error)
}

// Lockable is a Framework that can read the tokens of a locked image encoder in the place of pixels.
type Lockable interface {
	Framework
	// Lock is the framework that reads tokens of a width.
	Lock(width int) Framework
}

// Regional is a Framework that reads regions of images in the place of pixels.
type Regional interface {
	Framework
	// WithRegions is the framework that reads images of so many regions at most, of so many features each: field.Image is [batch, count,
	// features+8]. Behind its features a row has the region's x1, y1, x2, y2, w and h as shares of the image's width and height, w*h, and
	// 1; a row to spare is 0.
	WithRegions(count, features int) Framework
}

// Exported is a Framework whose models other programs read.
type Exported interface {
	Framework
	Export() Export
}

// Export is what other programs need of a model besides its weights, and its model card besides what a run reports.
type Export struct {
	// Settings are the sizes by which the model is built, a struct whose JSON has the words of a published configuration.
	Settings any
	// Table gives the published names of the variables below [Model]; its Rest is Model, so that others have names of our own.
	Table weights.Table
	// Vocabulary is the number of tokens that the model knows.
	Vocabulary int
	// Architecture are lines of the card's table: what, and its sizes.
	Architecture [][2]string
	// Use reports how other programs build the model and read its weights, Markdown that ends in a paragraph.
	Use string
	// Torch is Python, a class Model of PyTorch with encode_image and encode_text, as package export's model.py reads it; empty where the
	// model embeds nothing, or is not what the published code builds.
	Torch string
}

// OnHub is an Exported whose architecture, or a part of it, transformers has.
type OnHub interface {
	Exported
	// Hub is the model as transformers builds it, by the ids before and behind a text and of padding. It reports why it cannot.
	Hub(begin, end, pad int32) (Hub, error)
}

// Hub is what transformers needs of a model besides its weights.
type Hub struct {
	Class, Pipeline string        // its class, such as CLIPModel, and what the hub calls the task
	Settings        any           // the class's config.json, a struct
	Table           weights.Table // its names of the variables below [Model]
	Use             string        // how its class is called, and how vlpx starts from it, Markdown
	// Part is what of the model it is, such as "text encoder", which reads no images; empty for all of it. Has tells its variables.
	Part string
	Has  func(variable string) bool
}

// Following is a Framework that is trained in stages whose models differ in their heads.
type Following interface {
	Framework
	// Before is the framework of the first stage, whose models are those that are published.
	Before() Framework
	// Follow makes first values for variables that the model of an earlier stage lacks of those that it has, by their paths; none where it
	// lacks none.
	Follow(earlier weights.Values) (weights.Values, error)
}

// Speaking is a Framework with a frozen language model, which a run of its own has trained.
type Speaking interface {
	Framework
	// Speaker is the framework of that run.
	Speaker() Framework
	// Speak are the values of its variables by their paths in this framework's model, of those in its own.
	Speak(learned weights.Values) (weights.Values, error)
}

// Published is a Framework whose published checkpoints tell its sizes, so that one can be used as it is.
type Published interface {
	Framework
	// Sized is the framework with the sizes of a checkpoint, and how it is used: the pixels of an image and the tokens of a text. The error
	// says why the checkpoint is none of its own.
	Sized(s weights.Source) (Framework, Use, error)
	// Vocabulary is the number of tokens that the model knows.
	Vocabulary() int
}
