package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/cifar"
	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/machine"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/source"
	"vlpx.internal/vlpx/train"
)

// format is the version of what a run computes. It changes whenever the same configuration gives other numbers, so that older
// results are not taken for today's.
const format = 2

// Run is one training run with its evaluation: all that its numbers depend on.
type Run struct {
	Data       Data
	Vocabulary Vocabulary
	Train      train.Config
	// that the model is measured by: in brief on the validation split after each epoch, wholly on the test split at the end
	Tasks eval.Tasks
	// Weights are the published models that this one starts from; none where all first values are drawn.
	Weights Weights `json:",omitzero"`
	// Locked is the image encoder without gradient in front of the model; nil where the model reads pixels.
	Locked *locked.Encoder `json:",omitempty"`
	// Regions are those that the model reads in the place of pixels; the zero value where it reads none.
	Regions regions.Source `json:",omitzero"`
	// Encoder is the run whose image encoder is locked, made first if it is missing; Locked.Run is its identity. nil for a published one.
	Encoder *Run `json:"-"`
	// Language is the run whose language model is frozen in this one's, made first if it is missing; Train.Language is its identity. nil
	// for none.
	Language *Run `json:"-"`
	// LockedBytes is what the tokens of all locked encoders may take in the store; 0 for ten gigabytes. It is no part of the identity.
	LockedBytes int64 `json:"-"`
	// Reference is the run whose model is the frozen reference, made first if it is missing; Train.Reference is its identity.
	Reference *Run `json:"-"`
	// Init is the run whose model this one starts from, made first if it is missing; Train.Init is its identity. nil for none.
	Init *Run `json:"-"`
	// Warm is a run that others only start from. It is no part of the identity.
	Warm bool `json:"-"`
	// Miner is the run whose model mines the pairs that Data.Added adds, made first if these are missing; Data.Added.By is its identity.
	Miner *Run `json:"-"`
}

// Needs are the runs that must be finished before this one.
func (r Run) Needs() []*Run {
	return slices.DeleteFunc([]*Run{r.Encoder, r.Reference, r.Language, r.Miner, r.Init}, func(x *Run) bool { return x == nil })
}

// Tokenizer is that of the run where the chain of Init begins, so that a model keeps its ids, whatever data it is fine-tuned on, with what
// a vocabulary that grows has behind them; nil where the framework reads no captions. The collection is this run's.
func (r Run) Tokenizer(c datasets.Collection) (*text.Tokenizer, error) {
	if !framework.Reads(r.Train.Framework.Framework, r.Train.Use()) {
		return nil, nil
	}
	return r.tokenizer(c)
}

func (r Run) tokenizer(c datasets.Collection) (k *text.Tokenizer, err error) {
	if r.Language != nil {
		before, err := r.Language.Data.Open()
		if err != nil {
			return nil, err
		}
		return r.Language.tokenizer(before)
	}
	if r.Init == nil {
		k, err = r.Vocabulary.Tokenizer(c)
	} else {
		var before datasets.Collection
		if r.Init.Init == nil && r.Init.Language == nil || r.Init.Vocabulary.Grows {
			if before, err = r.Init.Data.Open(); err != nil {
				return nil, err
			}
		}
		k, err = r.Init.tokenizer(before)
	}
	if err != nil || !r.Vocabulary.Grows {
		return k, err
	}
	set, err := r.Data.split(c, "train")
	if err != nil {
		return nil, err
	}
	return k.Grown(r.Data.Texts.words(set), r.Vocabulary.MinCount)
}

// Data names a collection of images with captions.
type Data struct {
	Name string // "scenes", or what the folder says or is called
	Hash string // of its content
	// Scenes is the generator's configuration where the data is generated, else nil.
	Scenes *scenes.Config `json:",omitempty"`
	// Images of each split and Captions of each training image that are used, the first ones; 0 for all.
	Images, Captions int `json:",omitempty"`
	// Portion is the share of the training images of a folder, as far as Images leaves them, that is used, the first ones; 0 for
	// all. Generated scenes are made in the number asked for.
	Portion float64 `json:",omitempty"`
	// CaptionNoise is the share of the training captions of a folder that are replaced by another image's (see
	// datasets.Noisy). Generated scenes have their own, in Scenes.
	CaptionNoise float64 `json:",omitempty"`
	// Labels are the classes of a folder's images, as eval.Target has them; empty for its own.
	Labels string `json:",omitempty"`
	// Dir is where the data lies otherwise. It is no part of a run's identity: the hash is.
	Dir string `json:"-"`
	// Graphs is the hash of a file of scene graphs of captions, which lies at GraphsFile; empty where captions are parsed.
	Graphs     string `json:",omitempty"`
	GraphsFile string `json:"-"`
	// Texts are what is shown in the place of captions, in all splits; empty for the captions.
	Texts Texts `json:",omitempty"`
	// Added are further pairs of the training split, behind its own, after CaptionNoise; nil for none.
	Added *Added `json:",omitempty"`
}

// Texts are a kind of texts about images, other than captions.
type Texts string

// What is shown in the place of captions.
const (
	Questions  Texts = "questions"  // see datasets.OfQuestions
	Statements Texts = "statements" // see datasets.OfStatements
	Talk       Texts = "talk"       // see datasets.OfTalk
)

// show shows the texts in the place of a set's captions.
func (t Texts) show(set datasets.Set) (datasets.Set, error) {
	switch t {
	case Questions:
		return datasets.OfQuestions(set)
	case Statements:
		return datasets.OfStatements(set)
	case Talk:
		return datasets.OfTalk(set), nil
	}
	return nil, fmt.Errorf("run: Data.Texts is %q; use %q, %q, %q, or nothing for captions", t, Questions, Statements, Talk)
}

// WithGraphs is the data with the scene graphs of a file in the place of parsed ones (see [datasets.WithGraphs]).
func (d Data) WithGraphs(file string) (Data, error) {
	f, err := content.AtMost(file, content.LongestFile)
	if err != nil {
		return d, fmt.Errorf("run: scene graphs: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return d, fmt.Errorf("run: scene graphs: %w", err)
	}
	d.Graphs, d.GraphsFile = hex.EncodeToString(sum.Sum(nil)[:8]), file
	return d, nil
}

// captionNoiseSeed is the seed of the captions that CaptionNoise replaces: the same ones in all runs on the same data, whatever
// their method and seed.
const captionNoiseSeed = 1

// Vocabulary says where the tokenizer comes from.
type Vocabulary struct {
	// MinCount and MaxSize build it from the training captions: words seen at least MinCount times, MaxSize ids at most.
	MinCount, MaxSize int
	// File is a BERT vocab.txt, a tokenizer.json, CLIP's list of merges or GPT-2's merges.txt, beside which vocab.json lies, to be used
	// instead; Hash identifies it.
	File string `json:"-"`
	Hash string `json:",omitempty"`
	// Grows adds the words of the run's own training texts, and of the answers where these are questions, behind those of the run where the
	// chain of Init begins: words seen at least MinCount times, however many ids there are.
	Grows bool `json:",omitempty"`
}

// Tokenizer reads or builds the tokenizer; the captions are those of the whole training split. A file must be what Hash says, if that
// says anything.
func (v Vocabulary) Tokenizer(c datasets.Collection) (*text.Tokenizer, error) {
	if v.File != "" {
		t, err := v.read()
		if err == nil && v.Hash != "" && v.Hash != t.Hash() {
			return nil, fmt.Errorf("run: the vocabulary %s has changed since it was described; ask again", v.File)
		}
		return t, err
	}
	set, err := c.Split("train")
	if err != nil {
		return nil, err
	}
	return text.FromCorpus(cleaned(set), v.MinCount, v.MaxSize)
}

// read reads the file.
func (v Vocabulary) read() (*text.Tokenizer, error) {
	switch ending := filepath.Ext(v.File); {
	case text.IsMerges(v.File):
		return text.FromMerges(v.File)
	case filepath.Base(v.File) == "merges.txt":
		return text.FromVocabAndMerges(filepath.Join(filepath.Dir(v.File), "vocab.json"), v.File)
	case ending == ".json":
		return text.FromTokenizerJSON(v.File)
	case ending == "" || ending == ".gz":
		return nil, fmt.Errorf("run: vocabulary %s: neither a vocab.txt nor a tokenizer.json nor CLIP's bpe_simple_vocab_16e6.txt.gz nor "+
			"GPT-2's merges.txt", v.File)
	}
	return text.FromVocab(v.File)
}

// cleaned are the captions that a vocabulary is made from; of an image that has none, the name of its class.
func cleaned(set datasets.Set) iter.Seq[string] {
	labelled, hasClasses := set.(datasets.Labelled)
	return func(yield func(string) bool) {
		for i := range set.Len() {
			captions := set.Captions(i)
			if len(captions) == 0 && hasClasses {
				captions = []string{labelled.Classes()[labelled.Class(i)]}
			}
			for _, caption := range captions {
				if !yield(text.Clean(caption, text.MaxWords)) {
					return
				}
			}
		}
	}
}

// words are the texts that a set shows, prepared as they are encoded, with the answers where they are questions.
func (t Texts) words(set datasets.Set) iter.Seq[string] {
	return func(yield func(string) bool) {
		for caption := range cleaned(set) {
			if !yield(caption) {
				return
			}
		}
		if t != Questions {
			return
		}
		for _, q := range set.(datasets.Questioned).Questions() {
			for _, answer := range q.Answers {
				if !yield(answer) {
					return
				}
			}
		}
	}
}

// ScenesData describes generated scenes.
func ScenesData(c scenes.Config) (Data, error) {
	c = c.WithDefaults()
	collection, err := scenes.New(c)
	if err == nil {
		total, _ := machine.Memory()
		err = drawable(c, total)
	}
	if err != nil {
		return Data{}, err
	}
	return Data{Name: collection.Name(), Hash: collection.Hash(), Scenes: &c}, nil
}

// drawable reports scenes of which a split takes more than a machine's memory, in bytes; 0 where that is unknown.
func drawable(c scenes.Config, memory uint64) error {
	const gib = 1 << 30
	if bytes, _ := c.Drawing(); memory > 0 && bytes > float64(memory) {
		return fmt.Errorf("scenes: the largest of the splits of %d, %d and %d images takes about %.3g GiB with its captions, and this machine "+
			"has %.3g GiB: use fewer (settings scenes.train, scenes.val, scenes.test, scenes.captions)",
			c.Train, c.Val, c.Test, bytes/gib, float64(memory)/gib)
	}
	return nil
}

// FolderData describes a folder, in any layout that package layout knows.
func FolderData(dir string) (Data, error) {
	collection, err := layout.Open(dir)
	if err != nil {
		return Data{}, err
	}
	return Data{Name: collection.Name(), Hash: collection.Hash(), Dir: dir}, nil
}

// Labelled describes a folder's data by other classes of its images.
func (d Data) Labelled(labels string) (Data, error) {
	d.Labels = labels
	collection, err := d.folder()
	if err != nil {
		return Data{}, err
	}
	d.Name, d.Hash = collection.Name(), collection.Hash()
	return d, nil
}

// folder opens a folder by the classes of its images.
func (d Data) folder() (datasets.Collection, error) {
	switch d.Labels {
	case "":
		return layout.Open(d.Dir)
	case eval.CoarseLabels:
		return cifar.OpenCoarse(d.Dir)
	}
	return nil, fmt.Errorf("run: Data.Labels is %q; use %q of CIFAR-100, or nothing for a folder's own classes", d.Labels, eval.CoarseLabels)
}

// Open opens the collection, with all its images and clean captions.
func (d Data) Open() (datasets.Collection, error) {
	if !(d.CaptionNoise >= 0 && d.CaptionNoise <= 1) {
		return nil, fmt.Errorf("run: Data.CaptionNoise is %v; use a share from 0 to 1", d.CaptionNoise)
	}
	if !(d.Portion >= 0 && d.Portion <= 1) {
		return nil, fmt.Errorf("run: Data.Portion is %v; use a share from 0 to 1", d.Portion)
	}
	if d.Scenes != nil {
		return scenes.New(*d.Scenes)
	}
	collection, err := d.folder()
	if err != nil {
		return nil, err
	}
	if collection.Hash() != d.Hash {
		return nil, fmt.Errorf("run: the data in %s has changed since it was described; ask again", d.Dir)
	}
	return collection, nil
}

// TrainingSet opens the part of the training split that runs use, with its caption noise and the pairs that are added.
func (d Data) TrainingSet() (datasets.Set, error) {
	collection, err := d.Open()
	if err != nil {
		return nil, err
	}
	return d.split(collection, "train")
}

// TestSet opens the part of the test split that runs use.
func (d Data) TestSet() (datasets.Set, error) {
	collection, err := d.Open()
	if err != nil {
		return nil, err
	}
	return d.split(collection, "test")
}

// Part is the part of a split of the opened data that runs use.
func (d Data) Part(c datasets.Collection, split string) (datasets.Set, error) {
	return d.split(c, split)
}

// split returns the part of a split that is used; that of "train" has the caption noise and the pairs that are added.
func (d Data) split(c datasets.Collection, name string) (datasets.Set, error) {
	set, err := c.Split(name)
	if err != nil {
		return nil, err
	}
	if name == "train" {
		if d.GraphsFile != "" {
			if set, err = datasets.WithGraphs(set, d.GraphsFile); err != nil {
				return nil, err
			}
		}
		set = datasets.First(set, d.Images, d.Captions)
		set = datasets.First(set, int(math.Ceil(d.Portion*float64(set.Len()))), 0)
		if set, err = d.texts(set); err != nil {
			return nil, err
		}
		if d.Texts != "" && d.CaptionNoise > 0 {
			return nil, fmt.Errorf("run: Data.CaptionNoise is %v, and %s are no captions; leave it out", d.CaptionNoise, d.Texts)
		}
		if d.Texts != "" && d.Added != nil {
			return nil, fmt.Errorf("run: Data.Added with %s, which are no captions; leave it out", d.Texts)
		}
		if set, err = datasets.Noisy(set, d.CaptionNoise, captionNoiseSeed); err != nil || d.Added == nil {
			return set, err
		}
		return d.Added.show(set)
	}
	return d.texts(datasets.First(set, d.Images, 0))
}

// texts shows the data's texts of a set. Of captions, equal ones tell the relation where nothing better does.
func (d Data) texts(set datasets.Set) (datasets.Set, error) {
	if d.Texts != "" {
		return d.Texts.show(set)
	}
	return datasets.WithEqualCaptions(set), nil
}

// byEqualCaptions are those of splits in which equal captions are all that tells the relation.
func (d Data) byEqualCaptions(c datasets.Collection, splits ...string) (by []string, err error) {
	for _, name := range splits {
		set, err := d.split(c, name)
		if err != nil {
			return nil, err
		}
		if related, ok := set.(datasets.Related); ok && datasets.ByEqualCaptions(related.Relation()) {
			by = append(by, name)
		}
	}
	return by, nil
}

// JSON is the run's canonical form.
func (r Run) JSON() []byte {
	text, err := json.MarshalIndent(struct {
		Format int
		Run
	}{format, r}, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("run: a part of %s does not marshal: %v", r.Train.Method.Name, err))
	}
	return text
}

// ID is the run's identity: 16 hexadecimal digits of the SHA-256 of its canonical JSON.
func (r Run) ID() string {
	sum := sha256.Sum256(r.JSON())
	return hex.EncodeToString(sum[:8])
}

// Vague tells of what the run is identified by the whole program for, as its code cannot be told apart (see [source.Vague]).
func (r Run) Vague() []string {
	why := append(r.Train.Method.Vague(), source.Vague(r.Train.Framework.Framework))
	for _, task := range r.Tasks {
		why = append(why, source.Vague(task))
	}
	return slices.DeleteFunc(why, func(told string) bool { return told == "" })
}

// Home is the store's place: dir if given, else $VLPX_HOME, else vlpx in the user's cache folder.
func Home(dir string) (string, error) {
	if dir == "" {
		dir = os.Getenv("VLPX_HOME")
	}
	if dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("run: no place for results: %w; set VLPX_HOME or use -home", err)
	}
	return filepath.Join(cache, "vlpx"), nil
}
