package scenes

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"image"
	"math"
	"strings"
	"sync"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

func open(t *testing.T, c Config, name string) *Split {
	t.Helper()
	all := must.Get(New(c))(t)
	set := must.Get(all.Split(name))(t)
	return set.(*Split)
}

func pixels(t *testing.T, s *Split, i int) []byte {
	t.Helper()
	img := must.Get(s.Image(t.Context(), i))(t)
	return img.(*image.NRGBA).Pix
}

// TestDensity holds the densities of the levels (five kinds an image, eight grounds): shares of random pairs that are
// true, as measured for the training regime.
func TestDensity(t *testing.T) {
	for level, want := range map[string]float64{"spec": .0032, "quart": .0082, "half": .016, "base": .035, "mid": .053, "dbl": .073} {
		got := open(t, Config{Density: level}, "train").Density()
		if math.Abs(got-want) > .1*want {
			t.Errorf("density of %s: got %.4f, want %.4f +- 10 %%", level, got, want)
		}
	}
}

// TestTrainCaptions holds that training images can have captions of another number than test images, at the same density, and that
// the first of them does not depend on it.
func TestTrainCaptions(t *testing.T) {
	c := Config{Train: 3000, Test: 20, TrainCaptions: 1, Density: "half"}
	train, test := open(t, c, "train"), open(t, c, "test")
	if got := len(datasets.Pairs(train)); got != 3000 {
		t.Errorf("training pairs: got %d, want one an image, 3000", got)
	}
	if got := len(datasets.Pairs(test)); got != 5*20 {
		t.Errorf("test pairs: got %d, want five an image, 100", got)
	}
	if got := train.Density(); math.Abs(got-.016) > .1*.016 {
		t.Errorf("density with one caption an image: got %.4f, want that of five, .016 +- 10 %%", got)
	}
	c.TrainCaptions = 0
	for i, five := 0, open(t, c, "train"); i < 10; i++ {
		if got, want := train.Captions(i)[0], five.Captions(i)[0]; got != want {
			t.Errorf("image %d: first caption %q, with five captions %q", i, got, want)
		}
	}
}

func TestDensityCountsForeignPairs(t *testing.T) {
	s := open(t, Config{Train: 60}, "train")
	relation, pairs := s.Relation(), datasets.Pairs(s)
	holding, all := 0., 0.
	for p, pair := range pairs {
		for i := range s.Len() {
			holds, _ := relation.Holds(i, p)
			switch {
			case i != pair.Image:
				all++
				if holds {
					holding++
				}
			case !holds:
				t.Errorf("caption %q is not true of its own image", pair.Text(s))
			}
		}
	}
	if got, want := s.Density(), holding/all; got != want {
		t.Errorf("density: got %v, want %v", got, want)
	}
	if got := open(t, Config{Val: 1}, "val").Density(); got != 0 {
		t.Errorf("density of a split of one image: got %v, want 0", got)
	}
}

func TestPairsHaveTheirGraphs(t *testing.T) {
	s := open(t, Config{Train: 50, Captions: 3, CaptionNoise: .5}, "train")
	for p, pair := range datasets.Pairs(s) {
		if got, want := s.Graph(p).String(), pair.Text(s); got != want {
			t.Errorf("graph of pair %d: got %q, want %q", p, got, want)
		}
	}
}

func TestSplitsAreDeterministicAndIndependent(t *testing.T) {
	a := open(t, Config{Train: 30}, "val")
	b := open(t, Config{Train: 70, Val: 400}, "val") // other sizes of splits
	want := [][]byte{pixels(t, a, 5), pixels(t, a, 6)}
	for _, i := range []int{6, 5, 6} { // another order
		if !bytes.Equal(pixels(t, b, i), want[i-5]) {
			t.Errorf("image %d differs between collections with the same seed", i)
		}
	}
	for i := range 400 {
		if got, want := strings.Join(b.Captions(i), "|"), strings.Join(a.Captions(i), "|"); got != want {
			t.Fatalf("captions of image %d: got %s, want %s", i, got, want)
		}
	}
	for name, other := range map[string]*Split{
		"another split": open(t, Config{}, "test"),
		"another seed":  open(t, Config{Seed: 2}, "val"),
	} {
		same := 0
		for i := range 400 {
			if strings.Join(other.Captions(i), "|") == strings.Join(a.Captions(i), "|") {
				same++
			}
		}
		if same > 0 {
			t.Errorf("%s has %d images with the same captions, want none", name, same)
		}
	}
}

// TestGeneratorVersion fails when the same seed gives other data: then change generator, and these numbers.
func TestGeneratorVersion(t *testing.T) {
	s := open(t, Config{CaptionNoise: .1}, "train")
	captions, images := crc32.NewIEEE(), crc32.NewIEEE()
	for i := range 200 {
		captions.Write([]byte(strings.Join(s.Captions(i), "\n")))
		images.Write(pixels(t, s, i))
	}
	if got, want := captions.Sum32(), uint32(0x4b68d125); generator != 1 || got != want {
		t.Errorf("captions of version %d: got checksum %#x, want %#x of version 1", generator, got, want)
	}
	if got, want := images.Sum32(), uint32(0x9839e119); got != want {
		t.Errorf("images of version %d: got checksum %#x, want %#x of version 1", generator, got, want)
	}
}

func TestConcurrentUse(t *testing.T) {
	const images = 64
	alone, shared := open(t, Config{Train: images}, "train"), open(t, Config{Train: images}, "train")
	var wait sync.WaitGroup
	for i := range images {
		want := pixels(t, alone, i)
		wait.Go(func() {
			img, err := shared.Image(t.Context(), i)
			if err != nil {
				t.Error(err)
				return
			}
			if !bytes.Equal(img.(*image.NRGBA).Pix, want) {
				t.Errorf("image %d differs when many are drawn at once", i)
			}
			if holds, known := shared.Relation().Holds(i, 5*i); !holds || !known {
				t.Errorf("Holds(%d, %d): got %v, known %v, want true, true", i, 5*i, holds, known)
			}
		})
	}
	wait.Wait()
}

func TestCaptionNoise(t *testing.T) {
	const share = .3
	clean, noisy := open(t, Config{}, "train"), open(t, Config{CaptionNoise: share}, "train")
	relation := noisy.Relation()
	changed, wrong, n := 0., 0., 0.
	for p, pair := range datasets.Pairs(noisy) {
		n++
		if noisy.Graph(p) != clean.Graph(p) {
			changed++
		}
		holds, _ := relation.Holds(pair.Image, p)
		if want := noisy.Graph(p).TrueOf(noisy.Scene(pair.Image)); holds != want {
			t.Fatalf("own pair %d: got %v, want %v", p, holds, want)
		}
		if !holds {
			wrong++
		}
	}
	// Of the replaced captions 5.3 % are true by chance, and a few are equal to those they replace.
	if got, want := wrong/n, share*(1-.053); math.Abs(got-want) > .02 {
		t.Errorf("share of captions that are false of their own image: got %.3f, want %.3f", got, want)
	}
	if got := changed / n; got < wrong/n || got > share+.02 {
		t.Errorf("share of changed captions: got %.3f, want %.3f to %.3f", got, wrong/n, share)
	}
	if !bytes.Equal(pixels(t, clean, 3), pixels(t, noisy, 3)) {
		t.Error("caption noise changed an image")
	}
	cleanVal, noisyVal := open(t, Config{}, "val"), open(t, Config{CaptionNoise: 1}, "val")
	for p := range datasets.Pairs(noisyVal) {
		if got, want := noisyVal.Graph(p), cleanVal.Graph(p); got != want {
			t.Fatalf("caption %d of the validation split: got %q, want %q", p, got, want)
		}
	}
}

// The class of a scene is its ground, in a word of the captions, and every class is met.
func TestClasses(t *testing.T) {
	s := open(t, Config{}, "train")
	seen := map[string]int{}
	for i := range s.Len() {
		name := s.Classes()[s.Class(i)]
		seen[name]++
		if want := s.Scene(i).Ground.String(); name != want {
			t.Fatalf("class of image %d: got %q, want %q", i, name, want)
		}
	}
	if len(seen) != 8 || len(s.Classes()) != 8 {
		t.Errorf("got images of the classes %v of %q, want some of all eight grounds", seen, s.Classes())
	}
	if _, err := Parse("a ring on " + s.Classes()[3]); err != nil {
		t.Errorf("a class is no word of the captions: %v", err)
	}
}

// With OneShape all objects have the shape that is the class, the captions are true of that, and nothing else is another scene's.
func TestOneShape(t *testing.T) {
	s, mixed := open(t, Config{OneShape: true}, "train"), open(t, Config{}, "train")
	seen := map[string]int{}
	for i := range s.Len() {
		scene, name := s.Scene(i), s.Classes()[s.Class(i)]
		seen[name]++
		if _, err := Parse("a " + name); err != nil {
			t.Fatalf("a class is no word of the captions: %v", err)
		}
		for k, o := range scene.Objects {
			if o.Shape.String() != name {
				t.Fatalf("image %d of class %q: object %d is a %v", i, name, k, o.Shape)
			}
			other := mixed.Scene(i).Objects[k]
			if o.Shape = other.Shape; o != other {
				t.Fatalf("image %d, object %d: got %+v, want %+v but for the shape", i, k, o, other)
			}
		}
		if scene.Ground != mixed.Scene(i).Ground {
			t.Fatalf("image %d: another ground", i)
		}
		for k := range s.captions {
			if g := s.Graph(i*s.captions + k); !g.TrueOf(scene) {
				t.Fatalf("image %d: caption %q is not true of it", i, g)
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("got images of the classes %v, want some of all six shapes", seen)
	}
	for name, n := range seen {
		if share := float64(n) / float64(s.Len()); math.Abs(share-1./6) > .03 {
			t.Errorf("share of %s: got %.3f, want a sixth", name, share)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for want, c := range map[string]Config{
		"scenes: Config.Train is -1; use 1 to 10000000":                      {Train: -1},
		"scenes: Config.Val is -2; use 1 to 10000000":                        {Val: -2},
		"scenes: Config.Test is -3; use 1 to 10000000":                       {Test: -3},
		"scenes: Config.Captions is 1001; use 1 to 1000":                     {Captions: 1001},
		"scenes: a split of Config has 10000000000 captions; use fewer":      {Train: 10_000_000, Captions: 1000},
		"scenes: Config.Size is 8; use 16 to 4096":                           {Size: 8},
		`scenes: Config.Density is "full"; use one of base, dbl, half, mid`:  {Density: "full"},
		"scenes: Config.Noise is NaN; use a standard deviation up to 1":      {Noise: math.NaN()},
		"scenes: Config.CaptionNoise is 1.5; use a share from 0 to 1":        {CaptionNoise: 1.5},
		"scenes: Config.CaptionNoise is 0.5 with Config.Train of 1":          {CaptionNoise: .5, Train: 1},
		`scenes: Config.World is "third"; use "" for the first, or "second"`: {World: "third"},
		"scenes: Config: json: unsupported value: -Inf":                      {Noise: math.Inf(-1)},
	} {
		if _, err := New(c); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("New(%+v): got error %v, want %q", c, err, want)
		}
	}
}

func TestCollection(t *testing.T) {
	all := must.Get(New(Config{}))(t)
	if got, want := strings.Join(all.Splits(), " "), "train val test"; got != want {
		t.Errorf("splits: got %q, want %q", got, want)
	}
	for name, want := range map[string]int{"train": 2000, "val": 500, "test": 500} {
		s := open(t, Config{}, name)
		if s.Len() != want || s.Name() != "scenes/"+name || s.Key(7) != name+"-000007" {
			t.Errorf("split %s: got %s of %d images, key %s", name, s.Name(), s.Len(), s.Key(7))
		}
	}
	if _, err := all.Split("dev"); err == nil || err.Error() != `scenes: no split "dev"; there are [train val test]` {
		t.Errorf("Split(dev): got error %v", err)
	}
	hash := func(c Config) string {
		all := must.Get(New(c))(t)
		return all.Hash()
	}
	if got, want := all.Hash(), "d2ff138bd75196c16de7de1cf4acd222811d5254d0318cdaa46e041f52c959e1"; got != want {
		t.Errorf("hash of Config{}: got %s, want %s; other hashes make every result stale", got, want)
	}
	if got, want := hash(Default()), all.Hash(); got != want {
		t.Errorf("hash of Default(): got %s, want that of Config{}, %s", got, want)
	}
	for _, c := range []Config{
		{Train: 9}, {Captions: 4}, {TrainCaptions: 1}, {Density: "dbl"}, {Bright: true}, {OneShape: true}, {Noise: -1},
		{CaptionNoise: .1}, {Seed: 9},
		{World: SecondWorld},
	} {
		if hash(c) == all.Hash() {
			t.Errorf("hash of %+v is that of Config{}", c)
		}
	}
}

func TestImageErrors(t *testing.T) {
	s := open(t, Config{Val: 10}, "val")
	for _, i := range []int{-1, 10} {
		if _, err := s.Image(t.Context(), i); err == nil || !strings.HasSuffix(err.Error(), "indices run from 0 to 9") {
			t.Errorf("Image(%d): got error %v, want one that tells the range", i, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Image(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Image of a cancelled context: got error %v, want %v", err, context.Canceled)
	}
}
