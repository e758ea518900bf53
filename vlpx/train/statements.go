package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/field"
)

// statements are those of the pairs, in their order; none where the step reads no second images or verdicts.
func (i *input) statements() ([]datasets.Statement, error) {
	c, set := i.job.Config, i.job.Set
	reads := field.Names(c.Inputs())
	if !slices.Contains(reads, field.Other) && !slices.Contains(reads, field.Verdict) {
		return nil, nil
	}
	stated, ok := set.(datasets.Stated)
	if !ok || !slices.EqualFunc(stated.Statements(), i.pairs, func(s datasets.Statement, p datasets.Pair) bool {
		return p.Caption != datasets.NoCaption && s.Left == p.Image && s.Text == p.Text(set)
	}) {
		return nil,
			fmt.Errorf("train: %s reads statements about two images, and the pairs of %s are not such; take a view of its "+
				"statements, which "+
				"generated scenes and folders in the layout of NLVR2 have", c.Framework.Name(), set.Name())
	}
	return stated.Statements(), nil
}

// others are the second images of the pairs, nil where there are none.
func (i *input) others() []int {
	var others []int
	for _, s := range i.stated {
		others = append(others, s.Right)
	}
	return others
}

// verdicts are 1 for pairs whose statement is true, else 0.
func (i *input) verdicts(b *miniBatch) []int32 {
	return each(b.Batch, func(pair int) int {
		if i.stated[pair].True {
			return 1
		}
		return 0
	})
}

// uniform are so many draws in [0, 1).
func uniform(r *rand.Rand, n int) []float32 {
	draws := make([]float32, n)
	for k := range draws {
		draws[k] = r.Float32()
	}
	return draws
}
