package eval

import (
	"fmt"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/cifar"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/datasets/scenes"
)

// Target is other labelled data that representations are to serve. It is made by [SceneTarget] or [FolderTarget].
type Target struct {
	Name string
	Hash string // of its content
	// Labels are the classes where the data has several: CoarseLabels, or none for the usual ones.
	Labels string `json:",omitempty"`
	// ByClass makes the average over targets count this one by the mean over classes, as the protocols of Pets, Caltech-101 and Flowers
	// have it, instead of by top-1.
	ByClass bool `json:",omitempty"`
	// Scenes is the generator's configuration where the data is generated, else nil.
	Scenes *scenes.Config `json:",omitempty"`
	// Dir is where the data lies otherwise; the hash identifies it.
	Dir string `json:"-"`
}

// CoarseLabels are the 20 coarse classes of CIFAR-100.
const CoarseLabels = "coarse"

// SceneTarget are generated scenes, classified by their ground, or with OneShape by their shape.
func SceneTarget(name string, c scenes.Config) (Target, error) {
	c = c.WithDefaults()
	t := Target{Name: name, Scenes: &c}
	collection, err := t.open()
	if err != nil {
		return Target{}, err
	}
	t.Hash = collection.Hash()
	return t, nil
}

// FolderTarget is a folder in any layout that package layout knows, which has classes and a split to measure on, under the collection's
// name.
func FolderTarget(dir, labels string) (Target, error) {
	t := Target{Labels: labels, Dir: dir}
	collection, err := t.open()
	if err != nil {
		return Target{}, err
	}
	t.Name, t.Hash = collection.Name(), collection.Hash()
	if _, _, err := splits(collection); err != nil {
		return Target{}, err
	}
	set, err := collection.Split("train")
	if err != nil {
		return Target{}, fmt.Errorf("eval: the target %s: %w", t.Name, err)
	}
	if _, ok := set.(datasets.Labelled); !ok {
		return Target{}, fmt.Errorf("eval: the target %s has no class of each image; take data with classes", t.Name)
	}
	return t, nil
}

// open opens the data, which must be what Hash says, if that says anything.
func (t Target) open() (datasets.Collection, error) {
	var c datasets.Collection
	var err error
	switch {
	case t.Labels != "" && (t.Labels != CoarseLabels || t.Scenes != nil):
		return nil, fmt.Errorf("eval: the target %s%s has no labels %q; CIFAR-100 has %q", t.Name, t.Dir, t.Labels, CoarseLabels)
	case t.Scenes != nil:
		c, err = scenes.New(*t.Scenes)
	case t.Dir == "":
		return nil, fmt.Errorf("eval: it is not known where the target %s lies; name its folder", t.Name)
	case t.Labels == CoarseLabels:
		c, err = cifar.OpenCoarse(t.Dir)
	default:
		c, err = layout.Open(t.Dir)
	}
	if err != nil {
		return nil, fmt.Errorf("eval: the target %s: %w", t.Name, err)
	}
	if t.Hash != "" && c.Hash() != t.Hash {
		return nil, fmt.Errorf("eval: the target %s in %s has changed since it was described; describe it anew", t.Name, t.Dir)
	}
	return c, nil
}

// splits are those by which C is chosen, "" where it is to be held out of the training split, and by which the target measures.
func splits(c datasets.Collection) (choose, measure string, err error) {
	have := c.Splits()
	switch val, test := slices.Contains(have, "val"), slices.Contains(have, "test"); {
	case val && test:
		return "val", "test", nil
	case test:
		return "", "test", nil
	case val:
		return "", "val", nil
	}
	return "", "", fmt.Errorf("eval: the target %s has the splits %v; transfer measures on test or val", c.Name(), have)
}
