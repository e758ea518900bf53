package eval

import (
	"context"
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/random"
)

// Assignment is whether a model reports which of two images a caption is of: its own, left or right, beside another of the split (the stage
// before NLVR2, METHODS.md 15.6). Guessing is right of a half.
type Assignment struct{}

func init() { Register("assignment", Assignment{}) }

// AssignmentAccuracy is the metric of Assignment.
const AssignmentAccuracy Metric = "assignment accuracy"

// assignmentSeed is the seed of the other images and of the sides: all models are asked the same.
const assignmentSeed = 1

// Metrics implements Task.
func (Assignment) Metrics() []Info {
	return []Info{{AssignmentAccuracy, "Text Assignment", "accuracy", "%", false, "captions that are assigned to their own image " +
		"beside another"}}
}

// Check implements Task.
func (Assignment) Check(f framework.Framework, set datasets.Set) error {
	if _, assigns := f.(framework.Assigns); !assigns {
		return fmt.Errorf("eval: %s assigns no captions to one of two images; take a framework that does, such as ALBEF text assignment",
			f.Name())
	}
	if len(sentences(set)) == 0 || set.Len() < 2 {
		return fmt.Errorf("eval: captions are assigned to one of two images, and %s has %d images with %d captions", set.Name(), set.Len(),
			len(sentences(set)))
	}
	return nil
}

// Measure implements Task.
func (a Assignment) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := a.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	type question struct {
		text   string
		images [2]int // the left one, the right one
		side   int    // of its own
	}
	var all []question
	draws := random.Stream(assignmentSeed, "assignment", on.Set.Len())
	for i := range on.Set.Len() {
		for _, caption := range on.Set.Captions(i) {
			q := question{text: caption, side: draws.IntN(2)}
			q.images[q.side], q.images[1-q.side] = i, (i+1+draws.IntN(on.Set.Len()-1))%on.Set.Len()
			all = append(all, q)
		}
	}
	logits, err := on.two(ctx, len(all), func(k int) (string, int, int) { return all[k].text, all[k].images[0], all[k].images[1] },
		on.Model.Assign)
	if err != nil {
		return Measured{}, err
	}
	hits := 0
	for k, q := range all {
		if logits[3*k+q.side] > logits[3*k+1-q.side] {
			hits++
		}
	}
	return Measured{Metrics: Result{AssignmentAccuracy: 100 * float64(hits) / float64(len(all))}}, nil
}
