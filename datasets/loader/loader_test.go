package loader

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/karpathy"
	"vlpx.internal/datasets/text"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
)

// toys is a set of plain images with two captions each; those in broken fail.
type toys struct {
	n       int
	broken  map[int]bool
	decoded *atomic.Int64
	block   bool // Image waits for its context
}

func (toys) Name() string     { return "toys/train" }
func (s toys) Len() int       { return s.n }
func (toys) Key(i int) string { return fmt.Sprintf("toy-%d", i) }
func (toys) Captions(i int) []string {
	return []string{fmt.Sprintf("Toy number %d!", i), "a toy"}
}

var errBroken = errors.New("broken")

func (s toys) Image(ctx context.Context, i int) (image.Image, error) {
	if s.decoded != nil {
		s.decoded.Add(1)
	}
	if s.block {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.broken[i] {
		return nil, errBroken
	}
	m := image.NewRGBA(image.Rect(0, 0, 12, 10))
	for y := range 10 {
		for x := range 12 {
			m.SetRGBA(x, y, color.RGBA{uint8(20 * x), uint8(20*y + i), uint8(i), 255})
		}
	}
	return m, nil
}

// config is a small configuration over a set.
func config(t testing.TB, set datasets.Set) Config {
	t.Helper()
	tokenizer := must.Get(text.FromCorpus(slices.Values([]string{"a toy number 0 1 2 3"}), 1, 0))(t)
	return Config{Set: set, Pairs: datasets.Pairs(set), Tokenizer: tokenizer, Transform: transform.ALBEF(8), MaxLen: 6, Seed: 1}
}

// fetch submits requests, in order, and returns their batches.
func fetch(t *testing.T, c Config, requests ...Request) []Batch {
	t.Helper()
	l := New(c)
	defer l.Close()
	for _, r := range requests {
		must.Do(t, l.Submit(r))
	}
	var batches []Batch
	for range requests {
		b := must.Get(l.Next(context.Background()))(t)
		batches = append(batches, b)
	}
	return batches
}

// The plain way: one sample after another.
func TestBatchAgainstDefinition(t *testing.T) {
	c := config(t, toys{n: 4})
	request := Request{Pairs: []int{3, 0, 6}, Epoch: 2, Step: 5}
	b := fetch(t, c, request)[0]
	if !slices.Equal(b.Pairs, request.Pairs) || b.Skipped != nil {
		t.Fatalf("got pairs %v, skipped %v, want %v", b.Pairs, b.Skipped, request.Pairs)
	}
	var pixels []float32
	var ids []int32
	for position, p := range request.Pairs {
		pair := c.Pairs[p]
		img := must.Get(c.Set.Image(context.Background(), pair.Image))(t)
		out := make([]float32, 8*8*3)
		c.Transform.Apply(source(1, 2, 5, position), img, out)
		pixels = append(pixels, out...)
		ids = append(ids, c.Tokenizer.Encode(text.Clean(pair.Text(c.Set), 30), 6)...)
	}
	if !slices.Equal(b.Pixels, pixels) {
		t.Error("pixels differ from those of one sample after another")
	}
	if !slices.Equal(b.IDs, ids) {
		t.Errorf("ids: got %v, want %v", b.IDs, ids)
	}
}

// mute are toys of which the odd ones have no caption.
type mute struct{ toys }

func (m mute) Captions(i int) []string {
	if i%2 == 1 {
		return nil
	}
	return m.toys.Captions(i)
}

// An image without captions comes with the ids of an empty text, its pixels as ever.
func TestBatchWithoutCaptions(t *testing.T) {
	all, some := config(t, toys{n: 4}), config(t, mute{toys{n: 4}})
	got := fetch(t, some, Request{Pairs: []int{0, 2, 3}})[0] // of images 0, 1 and 2
	want := fetch(t, all, Request{Pairs: []int{0, 2, 4}})[0]
	if !slices.Equal(got.Pixels, want.Pixels) {
		t.Error("pixels differ from those of images with captions")
	}
	none := some.Tokenizer.Encode("", 6)
	if ids := slices.Concat(want.IDs[:6], none, want.IDs[12:]); !slices.Equal(got.IDs, ids) {
		t.Errorf("ids: got %v, want %v", got.IDs, ids)
	}
}

// What reads captions alone opens no image, so that broken ones do not matter.
func TestBlind(t *testing.T) {
	set := toys{n: 3, broken: map[int]bool{0: true, 1: true, 2: true}, decoded: &atomic.Int64{}}
	c := config(t, set)
	c.Blind, c.Transform = true, transform.Pipeline{Size: 8}
	b := fetch(t, c, Request{Pairs: []int{4, 0}})[0]
	want := append(c.Tokenizer.EncodeCaption("Toy number 2!", 6), c.Tokenizer.EncodeCaption("Toy number 0!", 6)...)
	if !slices.Equal(b.IDs, want) || !slices.Equal(b.Pairs, []int{4, 0}) || len(b.Pixels)+len(b.Skipped) > 0 || set.decoded.Load() > 0 {
		t.Errorf("got %+v with %d images opened, want the ids %v and no image", b, set.decoded.Load(), want)
	}
}

// A second view is of the same images, augmented by draws of its own; the first stays what it is alone. Without a tokenizer there are no
// ids.
func TestSecondView(t *testing.T) {
	one := config(t, toys{n: 4})
	two := one
	two.View, two.Tokenizer = true, nil
	request := Request{Pairs: []int{3, 0, 6}, Epoch: 1, Step: 2}
	alone, both, again := fetch(t, one, request)[0], fetch(t, two, request)[0], fetch(t, two, request)[0]
	if !slices.Equal(alone.Pixels, both.Pixels) || alone.View != nil || both.IDs != nil {
		t.Errorf("the first view changes with the second, or there is a view or an id that was not asked for")
	}
	if slices.Equal(both.View, both.Pixels) || !slices.Equal(both.View, again.View) {
		t.Error("the second view is the first one, or is not the same again")
	}
	two.Transform = transform.Pipeline{Size: 8}
	if plain := fetch(t, two, request)[0]; !slices.Equal(plain.View, plain.Pixels) {
		t.Error("without augmentation the two views differ")
	}
}

// fixed are features without an image.
type fixed struct{}

func (fixed) Size() int                                      { return 1 }
func (fixed) Features(context.Context, int, []float32) error { return nil }

// lacking are features of all images but some.
type lacking map[int]bool

func (lacking) Size() int { return 2 }

func (l lacking) Features(_ context.Context, i int, out []float32) error {
	if l[i] {
		return errBroken
	}
	out[0], out[1] = float32(i), 1
	return nil
}

func TestWorkersAndCacheDoNotMatter(t *testing.T) {
	c := config(t, toys{n: 20, broken: map[int]bool{7: true}})
	var requests []Request
	for step := range 12 {
		requests = append(requests, Request{Pairs: []int{step, 14, 39 - step, 2 * step}, Epoch: step / 6, Step: step})
	}
	c.Workers = 1
	want := fetch(t, c, requests...)
	for _, c.CacheBytes = range []int64{0, 1000, 1 << 20} {
		c.Workers = 7
		got := fetch(t, c, requests...)
		for i := range want {
			if !slices.Equal(got[i].Pixels, want[i].Pixels) || !slices.Equal(got[i].IDs, want[i].IDs) ||
				!slices.Equal(got[i].Pairs, want[i].Pairs) || !slices.Equal(got[i].Skipped, want[i].Skipped) {
				t.Fatalf("cache of %d bytes: batch %d differs from that of one worker without cache", c.CacheBytes, i)
			}
		}
	}
}

func TestAugmentationChangesWithSeedEpochStepAndPosition(t *testing.T) {
	seen := map[uint64][4]int{}
	for seed := range 5 {
		for epoch := range 5 {
			for step := range 20 {
				for position := range 20 {
					first := source(uint64(seed), epoch, step, position).Uint64()
					if other, ok := seen[first]; ok {
						t.Fatalf("%v and %v start alike", other, [4]int{seed, epoch, step, position})
					}
					seen[first] = [4]int{seed, epoch, step, position}
				}
			}
		}
	}
}

func TestBrokenImagesAreReplaced(t *testing.T) {
	set := toys{n: 4, broken: map[int]bool{1: true, 2: true}, decoded: new(atomic.Int64)}
	c := config(t, set)
	l := New(c)
	defer l.Close()
	// Pairs 2 and 3 are image 1's, 4 and 5 image 2's.
	for step, pairs := range [][]int{{0, 2, 4, 6}, {3, 1}, {2, 3, 4}, {7, 6}} {
		must.Do(t, l.Submit(Request{Pairs: pairs, Step: step}))
	}
	for step, want := range []struct{ pairs, skipped []int }{{[]int{0, 7, 1, 6}, []int{1, 2}}, {[]int{6, 1}, nil}} {
		b := must.Get(l.Next(context.Background()))(t)
		var skipped []int
		for _, s := range b.Skipped {
			skipped = append(skipped, s.Image)
			if !errors.Is(s.Err, errBroken) || s.Key != c.Set.Key(s.Image) {
				t.Errorf("skip: got %+v", s)
			}
		}
		if !slices.Equal(b.Pairs, want.pairs) || !slices.Equal(skipped, want.skipped) {
			t.Errorf("step %d: got pairs %v, skipped %v, want %v, %v", step, b.Pairs, skipped, want.pairs, want.skipped)
		}
	}
	if _, err := l.Next(context.Background()); !errors.Is(err, errBroken) {
		t.Errorf("all broken: got %v, want the image's error", err)
	}
	if b, err := l.Next(context.Background()); err != nil || !slices.Equal(b.Pairs, []int{7, 6}) {
		t.Errorf("after the broken batch: got %v (%v), want [7 6]", b.Pairs, err)
	}
}

// changing is a set of which an image has changed.
type changing struct{ toys }

func (c changing) Image(ctx context.Context, i int) (image.Image, error) {
	if i == 2 {
		return nil, fmt.Errorf("the shard %w", datasets.ErrChanged)
	}
	return c.toys.Image(ctx, i)
}

// Nothing stands in for an image that has changed: training and evaluation end.
func TestChangedDataAreAnError(t *testing.T) {
	c := config(t, changing{toys{n: 4}})
	l := New(c)
	defer l.Close()
	must.Do(t, l.Submit(Request{Pairs: []int{0, 1}}))
	must.Do(t, l.Submit(Request{Pairs: []int{0, 4, 6}, Step: 1}))
	must.Get(l.Next(t.Context()))(t)
	must.Fail(t, must.Err(l.Next(t.Context())), "loader: epoch 0, step 1: the shard has changed since it was opened")
	must.Fail(t, must.Err(Unreadable(t.Context(), c.Set, nil)), "the shard has changed")
	must.Fail(t, must.Err2(Pixels(t.Context(), c.Set, []int{0, 2}, 8)), "the shard has changed")
}

// However many images are broken, no pair is in a batch twice: it would be its own negative. Where the pairs that are left do not
// fill the batch, the error says what to do.
func TestSubstitutesAreNew(t *testing.T) {
	c := config(t, toys{n: 8, broken: map[int]bool{0: true, 2: true, 3: true, 7: true}})
	draw := rand.New(rand.NewPCG(1, 2))
	var requests []Request
	for step := range 200 {
		pairs := draw.Perm(16)[:1+draw.IntN(8)]
		if slices.ContainsFunc(pairs, func(p int) bool { return !c.Set.(toys).broken[p/2] }) {
			requests = append(requests, Request{Pairs: pairs, Step: step})
		}
	}
	for i, b := range fetch(t, c, requests...) {
		sorted := slices.Sorted(slices.Values(b.Pairs))
		if len(slices.Compact(sorted)) != len(requests[i].Pairs) {
			t.Errorf("%v became %v, want distinct pairs", requests[i].Pairs, b.Pairs)
		}
		for position, own := range requests[i].Pairs {
			if got := b.Pairs[position]; c.Set.(toys).broken[got/2] || !c.Set.(toys).broken[own/2] && got != own {
				t.Errorf("%v became %v, want only the pairs of broken images replaced", requests[i].Pairs, b.Pairs)
				break
			}
		}
	}
	l := New(c)
	defer l.Close()
	if err := l.Submit(Request{Pairs: []int{2, 3, 4, 5, 8, 9, 10, 11, 12}}); err != nil { // eight readable pairs
		t.Fatal(err)
	}
	if _, err := l.Next(context.Background()); !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "smaller batch size") {
		t.Errorf("too few readable pairs: got %v, want an error that says to take a smaller batch", err)
	}
}

// A pool may have any pair any number of times, those of the mini-batch and all there are included, and takes none from the mini-batch.
func TestPool(t *testing.T) {
	c := config(t, toys{n: 4, broken: map[int]bool{1: true}}) // pairs 2 and 3
	got := fetch(t, c, Request{Pairs: []int{0, 2, 3, 2, 3, 0, 1, 4, 5, 6, 7, 7, 3}, Pool: 10})[0]
	if want := []int{0, 4, 5, 4, 4, 0, 1, 4, 5, 6, 7, 7, 4}; !slices.Equal(got.Pairs, want) {
		t.Errorf("got pairs %v, want %v", got.Pairs, want)
	}
}

func TestCacheBytes(t *testing.T) {
	for _, test := range []struct{ bytes, want int64 }{{0, 8}, {480, 7}, {4 * 480, 4}} {
		set := toys{n: 4, decoded: new(atomic.Int64)}
		c := config(t, set)
		c.Workers, c.CacheBytes = 1, test.bytes // an image takes 12*10*4 = 480
		fetch(t, c, Request{Pairs: []int{0, 2, 4, 6}}, Request{Pairs: []int{1, 3, 5, 7}})
		if got := set.decoded.Load(); got != test.want {
			t.Errorf("%d bytes: got %d decoded images, want %d", test.bytes, got, test.want)
		}
	}
}

// mixed is a set of images of every kind that decoders give, of growing size.
type mixed struct{ toys }

func (m mixed) Image(_ context.Context, i int) (image.Image, error) {
	m.decoded.Add(1)
	r := image.Rect(0, 0, 9+i, 7+i)
	return []image.Image{
		image.NewYCbCr(r, image.YCbCrSubsampleRatio420), image.NewYCbCr(r, image.YCbCrSubsampleRatio444), image.NewRGBA(r),
		image.NewNRGBA(r),
		image.NewGray(r), image.NewPaletted(r, nil), image.NewCMYK(r), image.NewGray16(r), image.NewRGBA64(r), image.NewNRGBA64(r),
	}[i%10], nil
}

// held is the memory of an image's samples, whatever its kind: the lengths of its slices of bytes.
func held(img image.Image) (bytes int64) {
	v := reflect.ValueOf(img).Elem()
	for i := range v.NumField() {
		if samples, ok := v.Field(i).Interface().([]byte); ok {
			bytes += int64(len(samples))
		}
	}
	return bytes
}

// Whatever the kinds of images and however many ask for them at once, the cache keeps no more bytes than it may, and does keep some.
func TestCacheIsBounded(t *testing.T) {
	for _, bound := range []int64{0, 1, 5000, 40000, 1 << 30} {
		set := mixed{toys{n: 40, decoded: new(atomic.Int64)}}
		c := newCache(set, bound)
		var asking sync.WaitGroup
		for first := range 4 {
			asking.Go(func() {
				for i := range 3 * set.n {
					if _, err := c.image(context.Background(), (first*7+i)%set.n); err != nil {
						t.Error(err)
					}
				}
			})
		}
		asking.Wait()
		var kept int64
		for _, img := range c.images {
			kept += held(img)
		}
		if kept > bound || kept > bound-c.left || c.left < 0 {
			t.Errorf("bound of %d bytes: %d are kept in %d images, %d are left", bound, kept, len(c.images), c.left)
		}
		if most := bound >= 1<<30; most && len(c.images) != set.n || bound >= 5000 && kept < bound/4 && !most {
			t.Errorf("bound of %d bytes: only %d are kept, in %d images", bound, kept, len(c.images))
		}
	}
}

// Far more is submitted than may be in work: only what is ahead is decoded.
func TestWorkAheadIsBounded(t *testing.T) {
	set := toys{n: 4, decoded: new(atomic.Int64)}
	c := config(t, set)
	l := New(c)
	defer l.Close()
	for step := range 100 {
		must.Do(t, l.Submit(Request{Pairs: []int{0, 2}, Step: step}))
	}
	must.Get(l.Next(context.Background()))(t)
	l.Close()
	if got := set.decoded.Load(); got > 2*(ahead+1) {
		t.Errorf("got %d decoded images, want at most %d", got, 2*(ahead+1))
	}
}

func TestMistakes(t *testing.T) {
	good := config(t, toys{n: 2})
	for name, change := range map[string]func(*Config){
		"no set":    func(c *Config) { c.Set = nil },
		"two views": func(c *Config) { c.View, c.Features = true, fixed{} },
		"blind":     func(c *Config) { c.Blind, c.View = true, true },
		"unseen":    func(c *Config) { c.Blind, c.Features = true, fixed{} },
		"length":    func(c *Config) { c.MaxLen = 1 },
		"transform": func(c *Config) { c.Transform = transform.Pipeline{} },
		"image":     func(c *Config) { c.Pairs = []datasets.Pair{{Image: 2}} },
		"caption":   func(c *Config) { c.Pairs = []datasets.Pair{{Caption: 2}} },
		"negative":  func(c *Config) { c.Pairs = []datasets.Pair{{Caption: datasets.NoCaption - 1}} },
	} {
		c := good
		change(&c)
		l := New(c)
		if l.Submit(Request{Pairs: []int{0}}) == nil {
			t.Errorf("%s: got nil, want an error", name)
		}
		l.Close()
	}
	l := New(good)
	for _, pairs := range [][]int{nil, {4}, {-1}} {
		if l.Submit(Request{Pairs: pairs}) == nil {
			t.Errorf("pairs %v: got nil, want an error", pairs)
		}
	}
	if _, err := l.Next(context.Background()); !errors.Is(err, ErrNoneLeft) {
		t.Errorf("nothing submitted: got %v", err)
	}
	l.Close()
	l.Close()
	if err := l.Submit(Request{Pairs: []int{0}}); !errors.Is(err, ErrClosed) {
		t.Errorf("submit after close: got %v", err)
	}
	if _, err := l.Next(context.Background()); !errors.Is(err, ErrClosed) {
		t.Errorf("next after close: got %v", err)
	}
}

func TestCancelAndClose(t *testing.T) {
	before := runtime.NumGoroutine()
	l := New(config(t, toys{n: 4, block: true}))
	must.Do(t, l.Submit(Request{Pairs: []int{0, 1, 2}}))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	waiting := make(chan error)
	go func() {
		_, err := l.Next(context.Background())
		waiting <- err
	}()
	l.Close()
	if err := <-waiting; !errors.Is(err, ErrClosed) {
		t.Errorf("closed while waiting: got %v", err)
	}
	for tries := 0; runtime.NumGoroutine() > before; tries++ {
		if tries == 200 {
			t.Fatalf("got %d goroutines, want %d", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A cancelled Next loses nothing.
func TestNextAfterCancel(t *testing.T) {
	c := config(t, toys{n: 4})
	l := New(c)
	defer l.Close()
	must.Do(t, l.Submit(Request{Pairs: []int{5}}))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b, err := l.Next(ctx)
	if err != nil {
		b, err = l.Next(context.Background())
	}
	if err != nil || !slices.Equal(b.Pairs, []int{5}) {
		t.Errorf("got %v (%v), want [5]", b.Pairs, err)
	}
}

func TestPixels(t *testing.T) {
	set := toys{n: 9, broken: map[int]bool{4: true}}
	images := []int{8, 4, 0, 4, 8}
	got, skipped := must.Get2(Pixels(context.Background(), set, images, 4))(t)
	if len(skipped) != 1 || skipped[0].Image != 4 || skipped[0].Key != "toy-4" {
		t.Errorf("skipped: got %v, want image 4", skipped)
	}
	for n, i := range images {
		want := make([]float32, 4*4*3)
		if img, err := set.Image(context.Background(), i); err == nil {
			transform.Pipeline{Size: 4}.Apply(nil, img, want)
		}
		if !slices.Equal(got[48*n:48*(n+1)], want) {
			t.Errorf("image %d differs", i)
		}
	}
	if _, _, err := Pixels(context.Background(), set, []int{9}, 4); err == nil {
		t.Error("image 9 of 9: got nil, want an error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Pixels(ctx, set, images, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestUnreadable(t *testing.T) {
	set := toys{n: 40, broken: map[int]bool{31: true, 4: true}}
	skipped, err := Unreadable(context.Background(), set, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(skipped) != 2 || skipped[0].Key != "toy-4" || skipped[1].Key != "toy-31" || !errors.Is(skipped[1].Err, errBroken) {
		t.Errorf("got %v, want images 4 and 31 and why", skipped)
	}
	skipped, err = Unreadable(context.Background(), set, lacking{7: true})
	if err != nil || len(skipped) != 1 || skipped[0].Key != "toy-7" || !errors.Is(skipped[0].Err, errBroken) {
		t.Errorf("features: got %v (%v), want image 7 and why", skipped, err)
	}
	numbers, skipped, err := Images(context.Background(), set, []int{3, 7, 7, 31}, 4, lacking{7: true})
	if err != nil || !slices.Equal(numbers, []float32{3, 1, 0, 0, 0, 0, 31, 1}) || len(skipped) != 1 || skipped[0].Image != 7 {
		t.Errorf("features of some: got %v, skipped %v (%v)", numbers, skipped, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Unreadable(ctx, set, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

// BenchmarkFlickr8k loads batches of 96 pairs at 64 pixels with ALBEF's augmentation.
func BenchmarkFlickr8k(b *testing.B) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		b.Skip("VLPX_DATA is not set; it names the folder with flickr8k")
	}
	c := must.Get(karpathy.Open(filepath.Join(root, "flickr8k")))(b)
	set := must.Get(c.Split("val"))(b)
	for name, bytes := range map[string]int64{"decoding": 0, "cached": 1 << 28} {
		b.Run(name, func(b *testing.B) {
			cfg := config(b, set)
			cfg.Transform, cfg.MaxLen, cfg.CacheBytes = transform.ALBEF(64), 25, bytes
			l := New(cfg)
			defer l.Close()
			pairs := make([]int, 96)
			step := 0
			for b.Loop() {
				for i := range pairs {
					pairs[i] = (step*96 + i) * 7 % len(cfg.Pairs)
				}
				must.Do(b, l.Submit(Request{Pairs: pairs, Step: step}))
				must.Get(l.Next(context.Background()))(b)
				step++
			}
			b.ReportMetric(float64(96*step)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
