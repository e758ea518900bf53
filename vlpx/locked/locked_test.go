package locked

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/weights"
)

// pictures are images of one colour each, some of which cannot be decoded.
type pictures struct {
	n      int
	broken map[int]bool
	asked  atomic.Int64
	after  func(asked int64)
}

func (p *pictures) Name() string          { return "pictures/train" }
func (p *pictures) Len() int              { return p.n }
func (p *pictures) Captions(int) []string { return []string{"a colour"} }
func (p *pictures) Key(i int) string      { return fmt.Sprintf("%d.png", i) }
func (p *pictures) Image(ctx context.Context, i int) (image.Image, error) {
	asked := p.asked.Add(1)
	if p.after != nil {
		p.after(asked)
	}
	if p.broken[i] {
		return nil, fmt.Errorf("%s: no picture", p.Key(i))
	}
	m := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for y := range 16 {
		for x := range 16 {
			m.Set(x, y, color.RGBA{uint8(16 * x), uint8(i), uint8(16 * y), 255})
		}
	}
	return m, nil
}

// small is the encoder of a golden case, of 16 pixels and 2 x 2 patches; at 48 pixels it has 6 x 6.
func small(t *testing.T) Encoder {
	source := must.Get(weights.Find(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "vit_deit_forward",
		"weights.safetensors")))(t)
	return Encoder{Weights: source, Image: 48, Side: 3, Pixels: transform.ImageNet, Heads: 2}
}

func store(t *testing.T, backend compute.Backend, dir string) Store {
	return Store{Dir: dir, Backend: backend, Bytes: 1e9, Say: func(line string) { t.Log(line) }}
}

// tokens are all that a cache gives.
func tokens(t *testing.T, c *Cache, n int) []float32 {
	all := make([]float32, n*c.Size())
	for i := range n {
		must.Do(t, c.Features(t.Context(), i, all[i*c.Size():(i+1)*c.Size()]))
	}
	return all
}

// What a cache gives is what the encoder makes of the image by itself, its patches averaged by hand, rounded to float16; a second
// Open reads it, for fewer images, too, without asking for one.
func TestCacheIsTheEncoder(t *testing.T) {
	backend := enginetest.Open(t, "go:ops_sequential")
	e, set, dir := small(t), &pictures{n: batch + 5}, t.TempDir()
	cache := must.Get(store(t, backend, dir).Open(t.Context(), e, set, "data", "train"))(t)
	defer cache.Close()
	if want := 10 * 16; cache.Size() != want {
		t.Fatalf("size: got %d, want %d: a class token and 3 x 3 patches of width 16", cache.Size(), want)
	}
	whole := e
	whole.Side = 6
	n := must.Get(whole.open(backend))(t)
	defer n.close()
	got := tokens(t, cache, set.n)
	for _, i := range []int{0, batch - 1, batch, set.n - 1} {
		img, _ := set.Image(t.Context(), i)
		pixels := make([]float32, 3*48*48)
		transform.ImageNet.Normalise(transform.Resize(img, img.Bounds(), 48), pixels)
		alone := must.Get(n.encode(pixels))(t)
		at := func(y, x, d int) float64 { return float64(alone[(1+6*y+x)*16+d]) }
		for d := range 16 {
			want := []float64{float64(alone[d])}
			for y := 0; y < 6; y += 2 {
				for x := 0; x < 6; x += 2 {
					want = append(want, (at(y, x, d)+at(y, x+1, d)+at(y+1, x, d)+at(y+1, x+1, d))/4)
				}
			}
			for token, x := range want {
				if y := float64(got[i*cache.Size()+token*16+d]); math.Abs(y-x) > 1e-3*math.Max(1, math.Abs(x)) {
					t.Errorf("image %d, token %d, number %d: got %v, want %v", i, token, d, y, x)
				}
			}
		}
	}
	asked := set.asked.Load()
	again := must.Get(store(t, backend, dir).Open(t.Context(), e,
		&pictures{n: 3, after: func(int64) { t.Error("a cached image was decoded") }},
		"data", "train"))(t)
	defer again.Close()
	if fewer := tokens(t, again, 3); fmt.Sprint(fewer) != fmt.Sprint(got[:len(fewer)]) {
		t.Error("a cache of more images gave other tokens")
	}
	if set.asked.Load() != asked {
		t.Error("a whole cache was made again")
	}
}

// Other weights, sizes, statistics or data are another cache.
func TestKey(t *testing.T) {
	e := small(t)
	keys := map[string]string{}
	for name, other := range map[string]struct {
		change func(*Encoder)
		data   string
	}{
		"itself": {func(*Encoder) {}, "data"}, "data": {func(*Encoder) {}, "other"},
		"weights": {func(e *Encoder) { e.Weights.Hash = "0" }, "data"}, "image": {func(e *Encoder) { e.Image = 24 }, "data"},
		"side": {func(e *Encoder) { e.Side = 6 }, "data"}, "pixels": {func(e *Encoder) { e.Pixels = transform.CLIP }, "data"},
	} {
		changed := e
		other.change(&changed)
		key := changed.key(other.data)
		if twin, ok := keys[key]; ok {
			t.Errorf("%s and %s have the same key", name, twin)
		}
		keys[key] = name
	}
	moved := e
	moved.Weights.Path = "elsewhere"
	if moved.key("data") != e.key("data") {
		t.Error("the place of the weights changes the key")
	}
}

// Stopped between two batches and started again, the file is that of an uninterrupted making, and no image before is decoded twice.
func TestStoppedAndGoneOnWith(t *testing.T) {
	backend := enginetest.Open(t, "go:ops_sequential")
	e, dir := small(t), t.TempDir()
	ctx, stop := context.WithCancelCause(t.Context())
	reason := errors.New("interrupted")
	half := &pictures{n: 6 * batch, after: func(asked int64) {
		if asked == 4*batch {
			stop(reason)
		}
	}}
	if _, err := store(t, backend, dir).Open(ctx, e, half, "data", "train"); !errors.Is(err, reason) && !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want that it was interrupted", err)
	}
	parts, _ := filepath.Glob(filepath.Join(dir, "*", "*"+unfinished))
	if len(parts) != 1 {
		t.Fatalf("unfinished files: got %v, want one", parts)
	}
	info, err := os.Stat(parts[0])
	if err != nil || info.Size() == 0 {
		t.Fatalf("the unfinished file has %d bytes, %v", info.Size(), err)
	}
	// A kill may cut the last batch.
	file := must.Get(os.OpenFile(parts[0], os.O_WRONLY|os.O_APPEND, 0o644))(t)
	must.Get(file.WriteString("cut off"))(t)
	file.Close()
	rest := &pictures{n: 6 * batch}
	cache := must.Get(store(t, backend, dir).Open(t.Context(), e, rest, "data", "train"))(t)
	defer cache.Close()
	done := info.Size() / int64(rowBytes(cache.Size()))
	if got, want := rest.asked.Load(), int64(6*batch)-done+batch; got != want { // the last one may not be there after a loss of power
		t.Errorf("decoded %d images after the stop, want the %d that were lacking and a batch", got, want)
	}
	whole := must.Get(store(t, backend, t.TempDir()).Open(t.Context(), e, &pictures{n: 6 * batch}, "data", "train"))(t)
	defer whole.Close()
	if string(cache.rows) != string(whole.rows) {
		t.Error("the file is not that of an uninterrupted making")
	}
}

// Two that ask at once make it once.
func TestTwoAtOnce(t *testing.T) {
	backend := enginetest.Open(t, "go:ops_sequential")
	e, dir := small(t), t.TempDir()
	sets := [2]*pictures{{n: 2 * batch}, {n: 2 * batch}}
	var both sync.WaitGroup
	for _, set := range sets {
		both.Go(func() {
			cache, err := store(t, backend, dir).Open(t.Context(), e, set, "data", "train")
			if err != nil {
				t.Error(err)
				return
			}
			cache.Close()
		})
	}
	both.Wait()
	if asked := sets[0].asked.Load() + sets[1].asked.Load(); asked != 2*batch {
		t.Errorf("decoded %d images, want each of the %d once", asked, 2*batch)
	}
}

// An image that cannot be decoded has the mean colour's tokens, and its error; evaluation tells it once.
func TestUnreadable(t *testing.T) {
	backend := enginetest.Open(t, "go:ops_sequential")
	e := small(t)
	set := &pictures{n: 4, broken: map[int]bool{2: true}}
	cache := must.Get(store(t, backend, t.TempDir()).Open(t.Context(), e, set, "data", "train"))(t)
	defer cache.Close()
	n := must.Get(e.open(backend))(t)
	defer n.close()
	mean := must.Get(n.encode(make([]float32, 3*48*48)))(t)
	got, skipped, err := loader.Images(t.Context(), set, []int{1, 2, 2}, 48, cache)
	if err != nil || len(skipped) != 1 || skipped[0].Key != "2.png" || !strings.Contains(skipped[0].Err.Error(), "2.png: no picture") {
		t.Fatalf("got %v, %v, want image 2 told once", skipped, err)
	}
	for k, x := range mean {
		if y := got[cache.Size()+k]; math.Abs(float64(y-x)) > 1e-3*math.Max(1, math.Abs(float64(x))) {
			t.Fatalf("number %d of the broken image: got %v, want the mean colour's %v", k, y, x)
		}
	}
	set.broken = nil
	must.Fail(t, cache.Features(t.Context(), 2, make([]float32, cache.Size())), "delete that file", "mended behind the cache")
}

// Where there is no room the cache that was not used for longest goes, never one of the same folder; what cannot fit is refused.
func TestRoom(t *testing.T) {
	backend := enginetest.Open(t, "go:ops_sequential")
	e, dir := small(t), t.TempDir()
	s := store(t, backend, dir)
	one := int64(8 * rowBytes(10*16))
	s.Bytes = 2*one + 2000 // two, with what is told of them
	open := func(data string) {
		cache := must.Get(s.Open(t.Context(), e, &pictures{n: 8}, data, "train"))(t)
		cache.Close()
	}
	path := func(data string) string { return filepath.Join(dir, e.key(data), "train-8"+suffix) }
	open("a")
	open("b")
	must.Do(t, os.Chtimes(path("b"), time.Time{}, time.Now().Add(-time.Hour)))
	open("c")
	for data, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, err := os.Stat(path(data)); (err == nil) != want {
			t.Errorf("cache %s: there %t, want %t", data, err == nil, want)
		}
	}
	s.Bytes = one - 1
	must.Fail(t, must.Err(s.Open(t.Context(), e, &pictures{n: 8}, "d", "train")), "locked.gigabytes")
}

// Damage is told with the file and what to do.
func TestDamaged(t *testing.T) {
	backend := enginetest.Open(t, "go:ops_sequential")
	e, dir, set := small(t), t.TempDir(), &pictures{n: 3}
	cache := must.Get(store(t, backend, dir).Open(t.Context(), e, set, "data", "train"))(t)
	path := cache.file.Name()
	cache.Close()
	content := must.Get(os.ReadFile(path))(t)
	clear(content[rowBytes(10*16):])
	must.Do(t, os.WriteFile(path, content, 0o644))
	cache = must.Get(store(t, backend, dir).Open(t.Context(), e, set, "data", "train"))(t)
	out := make([]float32, cache.Size())
	if err := cache.Features(t.Context(), 0, out); err != nil {
		t.Error(err)
	}
	must.Fail(t, cache.Features(t.Context(), 1, out), path, "a row of zeros")
	cache.Close()
	must.Do(t, os.Truncate(path, 100))
	must.Fail(t, must.Err(store(t, backend, dir).Open(t.Context(), e, set, "data", "train")), "delete it", "a cut file")
	for name, wrong := range map[string]func(*Encoder){
		"patches":     func(e *Encoder) { e.Image = 50 },
		"pooled":      func(e *Encoder) { e.Side = 4 },
		"heads":       func(e *Encoder) { e.Heads = 3 },
		"has changed": func(e *Encoder) { e.Weights.Path = path },
	} {
		other := small(t)
		wrong(&other)
		must.Fail(t, must.Err(store(t, backend, dir).Open(t.Context(), other, set, "data", "train")), name, "%s", name)
	}
}
