package scenes

import (
	"fmt"
	"math"
)

// SecondWorld is the Config.World of scenes that are to the usual ones as Flickr30K is to COCO, for tests of what carries over: half of the
// shapes and of the grounds and four of six colours have the same word, with other shades, and the rest is new.
const SecondWorld = "second"

// vocabulary is what scenes can show, or sentences can say.
type vocabulary struct {
	shapes  []Shape
	colours []Colour
	grounds []Ground
}

// The sizes, textures and directions are those of every world.
var (
	sizes      = []Size{Small, Big}
	textures   = []Texture{Plain, Striped}
	directions = []Direction{LeftOf, RightOf, Above, Below}
)

// The vocabularies of sentences. Whoever learned the first world's words can speak of the second, falsely where that has others, so its
// language has all words.
var (
	firstWords = vocabulary{upTo(Ring), upTo(Cyan), upTo(Heather)}
	allWords   = vocabulary{upTo(Frame), upTo(Purple), upTo(Clay)}
)

// upTo lists the values from the first in particular to the last.
func upTo[T ~uint8](last T) []T {
	values := make([]T, last)
	for k := range values {
		values[k] = T(k + 1)
	}
	return values
}

// world is what scenes are made of: what they show and how it looks, in which words it is told.
type world struct {
	name       string // of Config.World
	collection string
	key        uint64     // changes the seed, so that worlds are drawn independently
	shown      vocabulary // by scenes
	said       *vocabulary
	paint      [len(colourWords)]rgb     // of objects
	earth      [len(groundWords)]surface // of grounds at full brightness
}

// surface is how a ground looks.
type surface struct {
	base    rgb
	pattern func(x, y int) bool // tells where it has its second colour, in pixels of an image of 32; nil for nowhere
	second  rgb
}

// at is the colour of a place, in pixels of an image of 32.
func (s surface) at(x, y float64) rgb {
	if s.pattern != nil && s.pattern(int(math.Floor(x)), int(math.Floor(y))) {
		return s.second
	}
	return s.base
}

// worlds are those that there are.
var worlds = []*world{&firstWorld, &secondWorld}

// worldOf is the world that a configuration names.
func worldOf(name string) (*world, error) {
	for _, w := range worlds {
		if w.name == name {
			return w, nil
		}
	}
	return nil, fmt.Errorf(`scenes: Config.World is %q; use "" for the first, or %q`, name, SecondWorld)
}

// firstWorld has grounds of one colour. They are darker than objects: grounds as bright as these hide shapes already, and training then
// depends on the seed.
var firstWorld = world{
	collection: "scenes",
	shown:      firstWords,
	said:       &firstWords,
	paint: [...]rgb{
		Red:     {.92, .14, .12},
		Green:   {.12, .80, .20},
		Blue:    {.20, .35, 1},
		Yellow:  {.98, .92, .12},
		Magenta: {.92, .20, .86},
		Cyan:    {.15, .88, .92},
		Purple:  {},
	},
	earth: [...]surface{
		Sand:    {base: rgb{.50, .42, .24}},
		Grass:   {base: rgb{.16, .42, .10}},
		Water:   {base: rgb{.10, .22, .50}},
		Brick:   {base: rgb{.50, .16, .12}},
		Snow:    {base: rgb{.50, .50, .50}},
		Slate:   {base: rgb{.22, .24, .26}},
		Soil:    {base: rgb{.28, .17, .10}},
		Heather: {base: rgb{.36, .12, .46}},
		Clay:    {},
	},
}

// secondWorld is that of SecondWorld. Half of its grounds have a pattern.
var secondWorld = world{
	name:       SecondWorld,
	collection: "scenes2",
	key:        0x5ec0d,
	shown: vocabulary{
		shapes:  []Shape{Square, Disc, Triangle, Star, Heart, Frame},
		colours: []Colour{Red, Green, Blue, Yellow, White, Purple},
		grounds: []Ground{Sand, Grass, Water, Slate, Marble, Gravel, Straw, Clay},
	},
	said: &allWords,
	paint: [...]rgb{
		Red:    {.80, .06, .30},
		Green:  {.50, .90, .08},
		Blue:   {.30, .62, 1},
		Yellow: {.90, .68, .10},
		White:  {.96, .96, .96},
		Purple: {.62, .24, .92},
	},
	earth: [...]surface{
		Sand:   {base: rgb{.48, .32, .22}},
		Grass:  {base: rgb{.06, .38, .26}, pattern: blades, second: rgb{.10, .50, .34}},
		Water:  {base: rgb{.05, .38, .46}},
		Slate:  {base: rgb{.18, .16, .30}},
		Marble: {base: rgb{.50, .47, .50}, pattern: veins, second: rgb{.38, .34, .38}},
		Gravel: {base: rgb{.32, .30, .28}, pattern: specks, second: rgb{.20, .19, .18}},
		Straw:  {base: rgb{.50, .46, .10}, pattern: weave, second: rgb{.40, .36, .06}},
		Clay:   {base: rgb{.46, .22, .08}},
	},
}

// The patterns run upright, aslant or in both directions: lying stripes are the objects'.
func blades(x, _ int) bool { return x%4 == 0 }
func veins(x, y int) bool  { return (x+y)%8 == 0 }
func specks(x, y int) bool { return x%3 == 0 && y%3 == x/3%2 }
func weave(x, y int) bool  { return (x/4+y/4)%2 == 0 }
