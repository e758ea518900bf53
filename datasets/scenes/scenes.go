package scenes

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"vlpx.internal/datasets"
)

// generator is the version of the generator. It changes whenever the same Config gives other scenes, captions, pixels, questions or
// statements.
const generator = 1

var splitNames = []string{"train", "val", "test"}

// Config is a data set of scenes. A zero field takes its value from Default. The canonical JSON of WithDefaults is part of
// a run's identity.
type Config struct {
	Train, Val, Test int     // images a split; 0 means 2000, 500, 500
	Captions         int     // captions an image; 0 means 5
	TrainCaptions    int     `json:",omitempty"` // captions of a training image; 0 for Captions. Pairs from the web have one
	Size             int     // pixels a side, 16 to 4096; 0 means 32
	Density          string  // how many images a caption is true of: "spec", "quart", "half", "base", "mid", "dbl"; "" means "mid"
	Bright           bool    // grounds at full brightness instead of half
	OneShape         bool    `json:",omitempty"` // all objects of a scene have one shape, which is then its class instead of its ground
	Noise            float64 // standard deviation of the pixel noise, components from 0 to 1; 0 means .05, negative none
	CaptionNoise     float64 // share of training captions replaced by another scene's, as in captions from the web
	Seed             uint64  // of scenes, captions and noise; 0 means 1
	World            string  `json:",omitempty"` // what scenes are made of: "" for the first world, or SecondWorld
}

// Default is 2,000 training images with five captions each, 32 pixels, dim grounds, 5.3 % of random pairs true.
func Default() Config {
	return Config{Train: 2000, Val: 500, Test: 500, Captions: 5, Size: 32, Density: "mid", Noise: .05, Seed: 1}
}

// WithDefaults returns the configuration with every zero field set to the value it stands for.
func (c Config) WithDefaults() Config {
	d := Default()
	fill(&c.Train, d.Train)
	fill(&c.Val, d.Val)
	fill(&c.Test, d.Test)
	fill(&c.Captions, d.Captions)
	fill(&c.Size, d.Size)
	fill(&c.Density, d.Density)
	fill(&c.Noise, d.Noise)
	fill(&c.Seed, d.Seed)
	return c
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// MostImages bounds the images of a split; see [Config.Drawing].
const MostImages = 10_000_000

// mostCaptions bounds the captions of a split.
const mostCaptions = 5 * MostImages

// Drawing is about how many bytes and how long it takes to draw what the images of the largest split show and say, measured on one core.
func (c Config) Drawing() (bytes float64, took time.Duration) {
	c = c.WithDefaults()
	for _, of := range [][2]int{{c.Train, cmp.Or(c.TrainCaptions, c.Captions)}, {c.Val, c.Captions}, {c.Test, c.Captions}} {
		images, captions := float64(of[0]), float64(of[0])*float64(of[1])
		bytes = max(bytes, 150*images+120*captions)
		took = max(took, time.Duration(4000*images+2000*captions))
	}
	return bytes, took
}

// validate checks a configuration with defaults; the error names the first bad field.
func (c Config) validate() error {
	for _, f := range []struct {
		name            string
		value, low, top int
	}{
		{"Train", c.Train, 1, MostImages},
		{"Val", c.Val, 1, MostImages},
		{"Test", c.Test, 1, MostImages},
		{"Captions", c.Captions, 1, 1000},
		{"TrainCaptions", c.TrainCaptions, 0, 1000},
		{"Size", c.Size, 16, 4096},
	} {
		if f.value < f.low || f.value > f.top {
			return fmt.Errorf("scenes: Config.%s is %d; use %d to %d", f.name, f.value, f.low, f.top)
		}
	}
	if captions := max(c.Train*cmp.Or(c.TrainCaptions, c.Captions), c.Val*c.Captions, c.Test*c.Captions); captions > mostCaptions {
		return fmt.Errorf("scenes: a split of Config has %d captions; use fewer images or captions, %d in all", captions, mostCaptions)
	}
	if _, err := worldOf(c.World); err != nil {
		return err
	}
	if _, ok := levels[c.Density]; !ok {
		return fmt.Errorf("scenes: Config.Density is %q; use one of %s", c.Density, strings.Join(levelNames(), ", "))
	}
	if !(c.Noise <= 1) {
		return fmt.Errorf("scenes: Config.Noise is %v; use a standard deviation up to 1, or a negative value for none", c.Noise)
	}
	if !(c.CaptionNoise >= 0 && c.CaptionNoise <= 1) {
		return fmt.Errorf("scenes: Config.CaptionNoise is %v; use a share from 0 to 1", c.CaptionNoise)
	}
	if c.CaptionNoise > 0 && c.Train < 2 {
		return fmt.Errorf("scenes: Config.CaptionNoise is %v with Config.Train of %d; other scenes' captions need two images",
			c.CaptionNoise, c.Train)
	}
	return nil
}

func (c Config) look(w *world) look {
	l := look{world: w, size: c.Size, ground: dimGround, noise: c.Noise}
	if c.Bright {
		l.ground = brightGround
	}
	return l
}

// collection implements datasets.Collection.
type collection struct {
	name   string
	hash   string
	splits []*Split
}

// New returns the collection, with splits "train", "val" and "test" of type *Split. Zero fields take their defaults; an
// error names a field that cannot be. Nothing is drawn before it is asked for.
func New(c Config) (datasets.Collection, error) {
	c = c.WithDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	identity, err := json.Marshal(struct {
		Generator int
		Config    Config
	}{generator, c})
	if err != nil {
		return nil, fmt.Errorf("scenes: Config: %w", err)
	}
	w, err := worldOf(c.World)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(identity)
	all := &collection{name: w.collection, hash: hex.EncodeToString(sum[:])}
	inTraining := c.TrainCaptions
	fill(&inTraining, c.Captions)
	for number, count := range []int{c.Train, c.Val, c.Test} {
		captions := c.Captions
		if splitNames[number] == "train" {
			captions = inTraining
		}
		all.splits = append(all.splits, newSplit(c, w, number, count, captions))
	}
	return all, nil
}

// Name implements datasets.Collection.
func (c *collection) Name() string { return c.name }

// Hash implements datasets.Collection: of the configuration and the generator's version.
func (c *collection) Hash() string { return c.hash }

// Splits implements datasets.Collection.
func (c *collection) Splits() []string { return slices.Clone(splitNames) }

// Split implements datasets.Collection.
func (c *collection) Split(name string) (datasets.Set, error) {
	k := slices.Index(splitNames, name)
	if k < 0 {
		return nil, datasets.UnknownSplit(c.name, name, splitNames)
	}
	return c.splits[k], nil
}
