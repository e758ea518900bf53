package eval

import (
	"context"
	"fmt"
	"math"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// labels are the class of each image of a set and the names of the classes.
func labels(set datasets.Set) (class []int, classes []string, err error) {
	labelled, ok := set.(datasets.Labelled)
	if !ok {
		return nil, nil, fmt.Errorf("eval: %s has no class of each image; take data with classes", set.Name())
	}
	classes = labelled.Classes()
	for i := range set.Len() {
		k := labelled.Class(i)
		if k < 0 || k >= len(classes) {
			return nil, nil, fmt.Errorf("eval: %s of %s is of class %d; there are classes 0 to %d", set.Key(i), set.Name(), k,
				len(classes)-1)
		}
		class = append(class, k)
	}
	return class, classes, nil
}

// seen are labelled images as a model represents them.
type seen struct {
	features []float32 // [images, width]
	width    int
	class    []int // [images]
	classes  []string
}

// row is the representation of image i.
func (s seen) row(i int) []float32 { return s.features[i*s.width : (i+1)*s.width] }

// see represents the labelled images of a subject.
func (s Subject) see(ctx context.Context) (seen, error) {
	class, classes, err := labels(s.Set)
	if err != nil {
		return seen{}, err
	}
	features, err := s.Represent(ctx)
	if err != nil {
		return seen{}, err
	}
	of := seen{features, len(features) / len(class), class, classes}
	for at, x := range features {
		if x := float64(x); math.IsNaN(x) || math.IsInf(x, 0) {
			return seen{}, fmt.Errorf("eval: the representation of %s of %s has %g; the model that gave it has diverged",
				s.Set.Key(at/of.width), s.Set.Name(), x)
		}
	}
	return of, nil
}

// trained represents the labelled images that the model was trained on, which have the classes of those that it is measured on.
func (s Subject) trained(ctx context.Context, task string) (seen, error) {
	if s.Training == nil {
		return seen{}, fmt.Errorf("eval: %s learns from the training split, which it is not given; measure by a run", task)
	}
	on, err := s.Training(ctx)
	if err != nil {
		return seen{}, err
	}
	return on.see(ctx)
}

// probes reports why images of a split cannot be classified by their representations.
func probes(task string, f framework.Framework, set datasets.Set) error {
	if _, embeds := f.(framework.EmbedsImages); !embeds {
		return fmt.Errorf("eval: %s goes by representations of images, which %s does not make", task, f.Name())
	}
	if _, labelled := set.(datasets.Labelled); !labelled {
		return fmt.Errorf("eval: %s needs a class of each image, and %s has none; take data with classes", task, set.Name())
	}
	return nil
}

// accuracy has the share of right answers, and its mean over the classes that have images, in per cent.
func accuracy(answers, class []int, classes int) (top1, mean float64) {
	right, of := make([]float64, classes), make([]float64, classes)
	for i, k := range class {
		of[k]++
		if answers[i] == k {
			right[k]++
		}
	}
	var all, have float64
	for k, n := range of {
		if n > 0 {
			all, mean, have = all+right[k], mean+right[k]/n, have+1
		}
	}
	return 100 * all / float64(len(class)), 100 * mean / have
}

// largest is the first place of the largest number.
func largest[T float32 | float64](row []T) int {
	best := 0
	for k, x := range row {
		if x > row[best] {
			best = k
		}
	}
	return best
}
