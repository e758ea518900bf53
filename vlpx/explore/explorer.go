package explore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// DefaultPairs is how many pairs of a split are explored unless the caller says otherwise.
const DefaultPairs = 5000

// Explorer answers what the methods would do with an anchor's negatives, by one model that embeds images and captions, and what sentences
// it writes, if it fills in masked words. Not for concurrent use.
//
// The methods are asked as if the momentum encoders and the frozen reference model were this model, too, and Con-D its head of
// image-text matching.
type Explorer struct {
	// Progress is the point of training that the methods are asked at, in epochs done; Open sets it to the run's end. SRCL's and
	// MAFA's targets depend on it.
	Progress float64
	// Epochs is how many epochs are played to report which pairs share a mini-batch; see Treatment.Meet.
	Epochs int

	name        string // of the run
	set         datasets.Set
	relation    datasets.Relation // nil where nothing is known
	pairs       []datasets.Pair
	first       []int // pair of each image
	whole       int   // pairs of the split, explored or not
	start       negative.Start
	temperature float64
	image, text []float32 // normalised embeddings, [images, dim] and [pairs, dim]
	batch       int       // pairs of the mini-batch that the methods are asked about
	unreadable  []string  // keys of images that cannot be decoded

	// locked are the features of the images of the set, by a locked encoder; nil where the model reads pixels.
	locked      loader.Features
	closeLocked func()

	backend   compute.Backend
	model     *train.Model // nil in tests of what needs none
	inference *framework.Inference
	config    train.Config
	compiled  map[compiledKey]*compiledMethod
	meetings  map[string][][]int32 // what play gave, by the identity of Batches
}

// Open takes the first pairs, at most as many as asked for and whole images only, of a split of a finished run's data, and encodes them
// with the run's model where it embeds: "train", where negatives are, "val" or "test"; people judged Flickr8k's test images only. 0 pairs
// stands for DefaultPairs. Of the executor it uses the store and the backend, which must outlive the explorer.
func Open(ctx context.Context, e *run.Executor, r run.Run, split string, pairs int) (*Explorer, error) {
	if f := r.Train.Framework; !framework.Reads(f.Framework, r.Train.Use()) {
		return nil, fmt.Errorf("explore: %s reads no captions, so that its negatives are no pairs", f.Name())
	} else if !embeds(r.Train) && !writes(r.Train) {
		return nil, fmt.Errorf("explore: %s makes no embeddings of images and captions, by which negatives are near, and writes none; "+
			"explore a framework that does",
			f.Name())
	}
	if f := r.Train.Framework; framework.Vectors(f.Framework) > 1 {
		return nil, fmt.Errorf("explore: images have several vectors in %s, of which the nearest to a caption counts; explore a "+
			"framework with one an image",
			f.Name())
	}
	r = e.Store.Placed(r)
	result, done, err := e.Store.Find(r)
	if err != nil {
		return nil, err
	}
	if !done {
		return nil, fmt.Errorf("explore: %s, seed %d, is not trained yet; train it first", r.Train.Method.Name, r.Train.Seed)
	}
	collection, err := r.Data.Open()
	if err != nil {
		return nil, err
	}
	whole, err := part(r.Data, collection, split)
	if err != nil {
		return nil, err
	}
	x := newExplorer(e.Backend, whole, pairs, r.Train)
	x.name = fmt.Sprintf("%s, seed %d", r.Train.Method.Name, r.Train.Seed)
	if x.temperature, err = temperature(result); err != nil {
		return nil, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return nil, err
	}
	if x.model, err = train.LoadTrained(e.Backend, r.Train, tokenizer, e.Store.Dir(r)); err != nil {
		return nil, err
	}
	features, closeFeatures, err := e.Features(ctx, r, collection, split)
	if err != nil {
		x.Close()
		return nil, err
	}
	x.locked, x.closeLocked = features, closeFeatures
	x.inference, err = x.model.Inference()
	if err == nil && x.Embeds() {
		err = x.encode(ctx)
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// newExplorer is one of the first pairs of a set, without embeddings.
func newExplorer(backend compute.Backend, whole datasets.Set, pairs int, c train.Config) *Explorer {
	if pairs == 0 {
		pairs = DefaultPairs
	}
	x := &Explorer{
		Progress: float64(c.Epochs), Epochs: 12, whole: len(datasets.Pairs(whole)), backend: backend, config: c,
		compiled: map[compiledKey]*compiledMethod{}, meetings: map[string][][]int32{},
	}
	images, count := 0, 0
	for images < whole.Len() && count+datasets.PairsOf(whole, images) <= pairs {
		count += datasets.PairsOf(whole, images)
		images++
	}
	x.set = datasets.First(whole, max(1, images), 0)
	x.pairs = datasets.Pairs(x.set)
	for p, pair := range x.pairs {
		if pair.Image == len(x.first) {
			x.first = append(x.first, p)
		}
	}
	if related, ok := x.set.(datasets.Related); ok {
		x.relation = related.Relation()
	}
	x.batch = min(c.BatchSize, x.set.Len())
	x.start = negative.Start{
		Pairs: len(x.pairs), BatchSize: x.batch, Dim: framework.Dim(c.Framework.Framework), Epochs: max(2, c.Epochs), Seed: c.Seed,
		Shards:  datasets.ShardPairs(x.set),
		Anchors: framework.Anchors(c.Framework.Framework),
	}
	return x
}

// part is what the run used of a split.
func part(d run.Data, c datasets.Collection, split string) (datasets.Set, error) {
	if split == "train" {
		return d.TrainingSet()
	}
	set, err := c.Split(split)
	if err != nil {
		return nil, fmt.Errorf("explore: %w", err)
	}
	return datasets.First(set, d.Images, 0), nil
}

// temperature is that of the epoch whose weights the model has.
func temperature(r run.Result) (float64, error) {
	if len(r.Epochs) == 0 {
		return 0, fmt.Errorf("explore: the result of run %s tells of no epochs; delete its folder to run it again", r.ID)
	}
	of := len(r.Epochs)
	if r.BestEpoch > 0 {
		of = r.BestEpoch
	}
	return r.Epochs[of-1].Temperature, nil
}

// Embeds reports whether the explored model embeds images and captions, so that negatives are near.
func (x *Explorer) Embeds() bool { return embeds(x.config) }

func embeds(c train.Config) bool {
	_, embeds := c.Framework.Framework.(framework.Embeds)
	return embeds
}

// Pairs is the number of pairs explored: anchors are 0 to Pairs()-1, as [datasets.Pairs] counts them.
func (x *Explorer) Pairs() int { return len(x.pairs) }

// Close frees the model and the compiled graphs.
func (x *Explorer) Close() {
	for _, l := range x.compiled {
		l.exec.Finalize()
		l.store.Finalize()
	}
	if x.model != nil {
		x.model.Close()
	}
	if x.closeLocked != nil {
		x.closeLocked()
	}
}

// identity tells methods and their parts apart.
func identity(part any) (string, error) {
	text, err := json.Marshal(part)
	return fmt.Sprintf("%T%s", part, text), err
}
