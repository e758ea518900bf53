package scenes

import "math/rand/v2"

// Shape is the outline of an object. The zero value is no shape in particular.
type Shape uint8

// The shapes.
const (
	AnyShape Shape = iota
	Square
	Disc
	Triangle
	Cross
	Diamond
	Ring
	Star // of the second world, as the next two
	Heart
	Frame
)

// Colour is the colour of an object. The zero value is no colour in particular.
type Colour uint8

// The colours.
const (
	AnyColour Colour = iota
	Red
	Green
	Blue
	Yellow
	Magenta
	Cyan
	White // of the second world, as the next one
	Purple
)

// Size is the size of an object. The zero value is no size in particular.
type Size uint8

// The sizes.
const (
	AnySize Size = iota
	Small
	Big
)

// Texture is the surface of an object. The zero value is no texture in particular.
type Texture uint8

// The textures.
const (
	AnyTexture Texture = iota
	Plain
	Striped
)

// Ground is the background of a scene. The zero value is no ground in particular.
type Ground uint8

// The grounds.
const (
	AnyGround Ground = iota
	Sand
	Grass
	Water
	Brick
	Snow
	Slate
	Soil
	Heather
	Marble // of the second world, as the next three
	Gravel
	Straw
	Clay
)

// The words of the values, in the order of their constants. Unmentioned values have no word, but for the shape, which is
// the noun of a mention.
var (
	shapeWords   = [...]string{"object", "square", "disc", "triangle", "cross", "diamond", "ring", "star", "heart", "frame"}
	colourWords  = [...]string{"", "red", "green", "blue", "yellow", "magenta", "cyan", "white", "purple"}
	sizeWords    = [...]string{"", "small", "big"}
	textureWords = [...]string{"", "plain", "striped"}
	groundWords  = [...]string{
		"", "sand", "grass", "water", "brick", "snow", "slate", "soil", "heather", "marble", "gravel", "straw", "clay",
	}
)

// String is the word for the shape; "object" for none in particular.
func (s Shape) String() string { return shapeWords[s] }

// String is the word for the colour; empty for none in particular.
func (c Colour) String() string { return colourWords[c] }

// String is the word for the size; empty for none in particular.
func (s Size) String() string { return sizeWords[s] }

// String is the word for the texture; empty for none in particular.
func (t Texture) String() string { return textureWords[t] }

// String is the word for the ground; empty for none in particular.
func (g Ground) String() string { return groundWords[g] }

// Attributes describe an object. In a scene all four are set; in a caption those that it does not mention are zero.
type Attributes struct {
	Shape   Shape
	Colour  Colour
	Size    Size
	Texture Texture
}

// Matches reports whether every attribute that the mention a sets is the object's.
func (a Attributes) Matches(object Attributes) bool {
	return (a.Shape == AnyShape || a.Shape == object.Shape) &&
		(a.Colour == AnyColour || a.Colour == object.Colour) &&
		(a.Size == AnySize || a.Size == object.Size) &&
		(a.Texture == AnyTexture || a.Texture == object.Texture)
}

// Object is one thing in a scene, in the middle of a cell.
type Object struct {
	Attributes
	Column, Row int // from 0 at the left and at the top, below Cells
}

// Cells is the number of cells along each side of a scene. An image of 32 pixels has cells of 8, the patches of a ViT.
const Cells = 4

// MaxObjects is the largest number of objects in a scene.
const MaxObjects = 3

// Scene is what an image shows.
type Scene struct {
	Ground  Ground
	Objects []Object // one to MaxObjects, in distinct cells
}

// drawScene draws a scene: one, two or three objects with probability .2, .4, .4, every attribute uniform and
// independent of the others, but for the shape where all have one: it is the first object's.
func (w *world) drawScene(r *rand.Rand, oneShape bool) Scene {
	count := 3
	switch u := r.Float64(); {
	case u < .2:
		count = 1
	case u < .6:
		count = 2
	}
	s := Scene{Ground: pick(r, w.shown.grounds), Objects: make([]Object, count)}
	cells := r.Perm(Cells * Cells)
	for k := range s.Objects {
		s.Objects[k] = Object{
			Attributes: Attributes{
				Shape:   pick(r, w.shown.shapes),
				Colour:  pick(r, w.shown.colours),
				Size:    pick(r, sizes),
				Texture: pick(r, textures),
			},
			Column: cells[k] % Cells,
			Row:    cells[k] / Cells,
		}
		if oneShape {
			s.Objects[k].Shape = s.Objects[0].Shape
		}
	}
	return s
}

func pick[T any](r *rand.Rand, values []T) T { return values[r.IntN(len(values))] }
