package loader

import (
	"errors"
	"math/rand/v2"
	"slices"

	"vlpx.internal/datasets"
)

// work is a batch on its way. Its counters are guarded by the loader's mutex; each position of its slices belongs to the
// worker that took it, and all of them to the last worker once the others are done.
type work struct {
	request    Request
	pairs      []int
	pixels     []float32
	other      []float32
	view       []float32
	ids        []int32
	skips      []*Skip // the image of a position's own pair that failed
	failed     *Skip   // one that another pair cannot, or must not, stand in for
	next, left int     // position to take next, positions not finished
	done       chan struct{}
}

// newWork is the work for a request; the arrays are made when it starts.
func newWork(r Request) *work {
	r.Pairs = slices.Clone(r.Pairs)
	return &work{request: r, left: len(r.Pairs), done: make(chan struct{})}
}

// start makes the arrays of a batch.
func (w *work) start(c Config) {
	n := len(w.request.Pairs)
	w.pairs, w.skips = make([]int, n), make([]*Skip, n)
	w.pixels = make([]float32, n*c.size())
	if c.Others != nil {
		w.other = make([]float32, n*c.size())
	}
	if c.View {
		w.view = make([]float32, n*c.size())
	}
	if c.Tokenizer != nil {
		w.ids = make([]int32, n*c.MaxLen)
	}
}

// work takes positions until the loader is closed.
func (l *Loader) work() {
	for {
		w, position := l.take()
		if w == nil {
			return
		}
		w.skips[position] = l.fill(w, position, w.request.Pairs[position])
		l.mu.Lock()
		w.left--
		last := w.left == 0
		l.mu.Unlock()
		if last {
			l.replace(w)
			close(w.done)
		}
	}
}

// take waits for a position of the batches at the front of the queue; nil when the loader is closed.
func (l *Loader) take() (*work, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed {
		for _, w := range l.queue[:min(ahead, len(l.queue))] {
			if w.next == len(w.request.Pairs) {
				continue
			}
			if w.next == 0 {
				w.start(l.config)
			}
			w.next++
			return w, w.next - 1
		}
		l.change.Wait()
	}
	return nil, 0
}

// fill writes a pair's pixels and ids at a position of a batch, or tells which of its images failed.
func (l *Loader) fill(w *work, position, pair int) *Skip {
	n, size, seed, image := l.config.MaxLen, l.config.size(), l.config.Seed, l.config.Pairs[pair].Image
	at := func(x []float32) []float32 { return x[position*size : (position+1)*size] }
	if !l.config.Blind {
		var view []float32
		if l.config.View {
			view = at(w.view)
		}
		if err := l.see(w.request, position, image, seed, at(w.pixels), view); err != nil {
			return &Skip{image, l.config.Set.Key(image), err}
		}
	}
	if l.config.Others != nil {
		other := l.config.Others[pair]
		if err := l.see(w.request, position, other, mix(mix(seed)), at(w.other), nil); err != nil {
			return &Skip{other, l.config.Set.Key(other), err}
		}
	}
	if l.config.Tokenizer != nil {
		copy(w.ids[position*n:(position+1)*n], l.caption(pair))
	}
	w.pairs[position] = pair
	return nil
}

// see writes what a model reads of an image for a position of a batch, with a second view unless that is nil.
func (l *Loader) see(r Request, position, image int, seed uint64, pixels, view []float32) error {
	if l.config.Features != nil {
		return l.config.Features.Features(l.ctx, image, pixels)
	}
	img, err := l.images.image(l.ctx, image)
	if err != nil {
		return err
	}
	l.config.Transform.Apply(source(seed, r.Epoch, r.Step, position), img, pixels)
	if view != nil {
		l.config.Transform.Apply(source(mix(seed), r.Epoch, r.Step, position), img, view)
	}
	return nil
}

// replace fills the positions whose images failed; where all did, or the data changed, something else is wrong than an image.
func (l *Loader) replace(w *work) {
	for _, skip := range w.skips {
		if skip != nil && errors.Is(skip.Err, datasets.ErrChanged) {
			w.failed = skip
			return
		}
	}
	batch := len(w.skips) - w.request.Pool
	taken := make(map[int]bool, batch)
	readable := false
	for position, skip := range w.skips {
		if position < batch {
			taken[w.request.Pairs[position]] = true
		}
		readable = readable || skip == nil
	}
	for position, skip := range w.skips {
		if skip == nil {
			continue
		}
		if position >= batch {
			taken = nil
		}
		if !readable || !l.substitute(w, position, taken) {
			w.failed = skip
			return
		}
		if position < batch {
			taken[w.pairs[position]] = true
		}
	}
}

// substitute fills a position with the next pair of all, from its own on and around, that is not taken and whose image works: a pair that
// is in a mini-batch twice would be its own negative.
func (l *Loader) substitute(w *work, position int, taken map[int]bool) bool {
	own, n := w.request.Pairs[position], len(l.config.Pairs)
	for step := 1; step < n; step++ {
		if other := (own + step) % n; !taken[other] && l.fill(w, position, other) == nil {
			return true
		}
	}
	return false
}

// caption returns the ids of a pair, cleaned and encoded the first time.
func (l *Loader) caption(pair int) []int32 {
	if ids := l.captions[pair].Load(); ids != nil {
		return *ids
	}
	caption := l.config.Pairs[pair].Text(l.config.Set)
	ids := l.config.Tokenizer.EncodeCaption(caption, l.config.MaxLen)
	l.captions[pair].Store(&ids)
	return ids
}

// source is the random stream of one position of one batch.
func source(seed uint64, epoch, step, position int) *rand.Rand {
	high := mix(mix(seed) + uint64(epoch))
	return rand.New(rand.NewPCG(high, mix(mix(high+uint64(step))+uint64(position))))
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014): neighbouring numbers come out unrelated.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
