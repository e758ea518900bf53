package loader

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/datasets/transform"
)

// ahead is how many batches may be in work or wait to be fetched, beyond those that only their indices are kept of.
const ahead = 3

// Errors of Submit and Next.
var (
	ErrClosed   = errors.New("loader: closed; make a new one")
	ErrNoneLeft = errors.New("loader: no batch was submitted that is not fetched yet; call Submit first")
)

// Config says what a Loader reads and how.
type Config struct {
	Set        datasets.Set
	Pairs      []datasets.Pair // what requests index, usually datasets.Pairs(Set)
	Tokenizer  *text.Tokenizer // nil: batches have no ids
	Transform  transform.Pipeline
	Others     []int    // the second image of each pair, an index into the set, [Pairs]; nil: batches have none
	View       bool     // batches have a second view of each image
	Blind      bool     // batches have no pixels, and no image is opened
	Features   Features // of the images, in the place of their pixels; nil: pixels by Transform
	MaxLen     int      // ids a caption, at least 2
	Seed       uint64   // of the augmentation
	Workers    int      // goroutines; 0: one a processor
	CacheBytes int64    // decoded images to keep in memory; 0: none
}

// validate says what is wrong with the settings.
func (c Config) validate() error {
	switch {
	case c.Set == nil:
		return errors.New("loader: Config.Set is nil; give it a split of a collection")
	case c.Blind && (c.View || c.Features != nil):
		return errors.New("loader: views or features of images that are not opened; leave out Config.Blind, or these")
	case c.Blind && c.Others != nil:
		return errors.New("loader: second images of pairs whose images are not opened; leave out Config.Blind or Config.Others")
	case c.Others != nil && len(c.Others) != len(c.Pairs):
		return fmt.Errorf("loader: Config.Others has %d images for %d pairs; give each pair its second one", len(c.Others), len(c.Pairs))
	case c.View && c.Features != nil:
		return errors.New("loader: a second view of images whose features are fixed; leave out Config.View or Config.Features")
	case c.Tokenizer != nil && c.MaxLen < 2:
		return fmt.Errorf("loader: Config.MaxLen is %d; it must be at least 2, for [CLS] and [SEP]", c.MaxLen)
	}
	for i, p := range c.Pairs {
		if p.Image < 0 || p.Image >= c.Set.Len() || p.Caption < datasets.NoCaption || p.Caption >= len(c.Set.Captions(p.Image)) {
			return fmt.Errorf("loader: Config.Pairs[%d] is %+v, which %s does not have", i, p, c.Set.Name())
		}
	}
	for i, other := range c.Others {
		if other < 0 || other >= c.Set.Len() {
			return fmt.Errorf("loader: Config.Others[%d] is image %d, which %s does not have; there are %d", i, other, c.Set.Name(),
				c.Set.Len())
		}
	}
	return c.Transform.Validate()
}

// size is how many numbers the loader gives of an image.
func (c Config) size() int {
	if c.Blind {
		return 0
	}
	if c.Features != nil {
		return c.Features.Size()
	}
	return 3 * c.Transform.Size * c.Transform.Size
}

// Request asks for one batch.
type Request struct {
	Pairs       []int // indices into Config.Pairs, at least one
	Epoch, Step int   // with the seed they determine the augmentation
	// Pool is how many of the last pairs are no part of the mini-batch but a pool beside it, in which a pair may be any number of times.
	Pool int
}

// Batch is a finished batch of B pairs.
type Batch struct {
	Pairs   []int     // indices into Config.Pairs of what is here: the request's, but for replaced ones, [B]
	Pixels  []float32 // [B, Size, Size, 3], or the images' features, [B, Features.Size]; empty if Config.Blind
	Other   []float32 // as Pixels, of the pairs' second images; nil without Config.Others
	View    []float32 // as Pixels, by other draws of the transform; nil unless Config.View
	IDs     []int32   // [B, MaxLen]; nil without a tokenizer
	Skipped []Skip    // images that failed for the first time
}

// Skip is an image that could not be decoded.
type Skip struct {
	Image int // index into the set
	Key   string
	Err   error
}

// Loader prepares batches ahead of training. Submit and Close may be called from any goroutine; Next from one.
type Loader struct {
	config   Config
	invalid  error
	captions []atomic.Pointer[[]int32] // ids of each pair once encoded
	images   *cache
	ctx      context.Context
	cancel   context.CancelFunc
	workers  sync.WaitGroup

	mu       sync.Mutex
	change   *sync.Cond // of queue or closed
	queue    []*work    // submitted and not fetched, in order
	closed   bool
	reported map[int]bool // images whose failure Next has told

}

// New starts the workers; Close stops them. A mistake in the configuration is told by Submit.
func New(config Config) *Loader {
	if config.Workers < 1 {
		config.Workers = runtime.GOMAXPROCS(0)
	}
	l := &Loader{config: config, invalid: config.validate(), reported: map[int]bool{}}
	l.captions = make([]atomic.Pointer[[]int32], len(config.Pairs))
	l.images = newCache(config.Set, config.CacheBytes)
	l.change = sync.NewCond(&l.mu)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	for range config.Workers {
		l.workers.Go(l.work)
	}
	return l
}

// Submit queues a batch and returns at once: of batches far ahead only the indices are kept.
func (l *Loader) Submit(r Request) error {
	if l.invalid != nil {
		return l.invalid
	}
	if r.Pool < 0 || len(r.Pairs) <= r.Pool {
		return fmt.Errorf("loader: epoch %d, step %d: the request has no pairs", r.Epoch, r.Step)
	}
	for position, p := range r.Pairs {
		if p < 0 || p >= len(l.config.Pairs) {
			return fmt.Errorf("loader: epoch %d, step %d: position %d asks for pair %d of %d", r.Epoch, r.Step, position, p,
				len(l.config.Pairs))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.queue = append(l.queue, newWork(r))
	l.change.Broadcast()
	return nil
}

// Next returns the batch that was submitted first of those not yet returned, as soon as it is ready. A pair whose image, or second
// image, cannot be decoded is replaced by the next one of Config.Pairs whose images can and, but for a pool's, that is not in the
// mini-batch. Where there is none left, no image of the whole batch can be decoded, or one has changed (datasets.ErrChanged), that is an
// error and the batch is gone. When ctx ends first nothing is lost: the next call returns the same batch.
func (l *Loader) Next(ctx context.Context) (Batch, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return Batch{}, ErrClosed
	}
	if len(l.queue) == 0 {
		l.mu.Unlock()
		return Batch{}, ErrNoneLeft
	}
	first := l.queue[0]
	l.mu.Unlock()
	select {
	case <-first.done:
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	case <-l.ctx.Done():
		return Batch{}, ErrClosed
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return Batch{}, ErrClosed
	}
	l.queue[0] = nil // let the pixels go with the batch
	l.queue = l.queue[1:]
	l.change.Broadcast()
	return l.deliver(first)
}

// deliver turns finished work into a batch and reports each broken image once; l.mu is held.
func (l *Loader) deliver(w *work) (Batch, error) {
	batch := Batch{Pairs: w.pairs, Pixels: w.pixels, Other: w.other, View: w.view, IDs: w.ids}
	for _, skip := range w.skips {
		if skip == nil {
			continue
		}
		if !l.reported[skip.Image] {
			l.reported[skip.Image] = true
			batch.Skipped = append(batch.Skipped, *skip)
		}
	}
	if w.failed != nil && errors.Is(w.failed.Err, datasets.ErrChanged) {
		return Batch{}, fmt.Errorf("loader: epoch %d, step %d: %w", w.request.Epoch, w.request.Step, w.failed.Err)
	}
	if w.failed != nil {
		return Batch{}, fmt.Errorf("loader: epoch %d, step %d: too few images can be decoded to fill the mini-batch of %d pairs; one "+
			"says: %w; "+
			"mend the images, or take a smaller batch size", w.request.Epoch, w.request.Step, len(w.skips), w.failed.Err)
	}
	return batch, nil
}

// Close stops the workers, waits for them and drops what is queued. Closing again does nothing.
func (l *Loader) Close() {
	l.mu.Lock()
	l.closed, l.queue = true, nil
	l.change.Broadcast()
	l.mu.Unlock()
	l.cancel()
	l.workers.Wait()
}
