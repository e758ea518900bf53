package eval

import (
	"context"
	"fmt"
	"math"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// Neighbours classifies each image of a split by the others: it is of the class that most of its K nearest have, by the cosine of their
// representations. It learns nothing and is cheap, so that it is measured after each epoch, too, as a curve of how representations grow
// (Wu et al., CVPR 2018, with a vote of the split's own images).
type Neighbours struct {
	// K is the number of neighbours that vote, of a smaller split all; 0 for the nearest alone. Among classes of as many votes that of the
	// nearest neighbour counts.
	K int `json:",omitempty"`
}

func init() { Register("neighbours", Neighbours{}) }

// NeighboursTop1 is the metric of Neighbours.
const NeighboursTop1 Metric = "neighbours"

// Metrics implements Task.
func (Neighbours) Metrics() []Info {
	return []Info{{NeighboursTop1, "Representations", "neighbours", "%", false, "images of the class that most of their nearest other " +
		"images have"}}
}

// Check implements Task.
func (n Neighbours) Check(f framework.Framework, set datasets.Set) error {
	if n.K < 0 {
		return fmt.Errorf("eval: %d neighbours; use 1 or more", n.K)
	}
	if set.Len() < 2 {
		return fmt.Errorf("eval: %s has %d images, and neighbours of an image are others; take at least two", set.Name(), set.Len())
	}
	return probes("classification by neighbours", f, set)
}

// neighbourRows is the number of images whose neighbours are looked for at once: what bounds the memory.
const neighbourRows = 256

// Measure implements Task.
func (n Neighbours) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := n.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	images, err := on.see(ctx)
	if err != nil {
		return Measured{}, err
	}
	directions := make([]float32, len(images.features))
	for i := range images.class {
		unit(directions[i*images.width:(i+1)*images.width], images.row(i))
	}
	answers := make([]int, len(images.class))
	for from := 0; from < len(answers); from += neighbourRows {
		if err := ctx.Err(); err != nil {
			return Measured{}, err
		}
		to := min(from+neighbourRows, len(answers))
		cosines := Cosines(directions[from*images.width:to*images.width], directions, images.width)
		for i := from; i < to; i++ {
			row := cosines.Row(i - from)
			row[i] = math.Inf(-1)
			answers[i] = vote(row, max(n.K, 1), images.class, len(images.classes))
		}
	}
	top1, _ := accuracy(answers, images.class, len(images.classes))
	return Measured{Metrics: Result{NeighboursTop1: top1}}, nil
}

// vote is the class that most of the k images of the highest cosines have, of which the image itself, at minus infinity, is none; among
// equals that of the nearest.
func vote(cosines []float64, k int, class []int, classes int) int {
	k = min(k, len(cosines)-1)
	votes, first := make([]int, classes), make([]int, classes)
	for place := range k {
		i := largest(cosines)
		if votes[class[i]]++; votes[class[i]] == 1 {
			first[class[i]] = place
		}
		cosines[i] = math.Inf(-1)
	}
	best := 0
	for c := range votes {
		if votes[c] > votes[best] || votes[c] == votes[best] && votes[c] > 0 && first[c] < first[best] {
			best = c
		}
	}
	return best
}

// unit writes a vector at length 1; one of length 0 stays.
func unit(to, from []float32) {
	var square float64
	for _, x := range from {
		square += float64(x) * float64(x)
	}
	length := float32(max(math.Sqrt(square), 1e-12))
	for d, x := range from {
		to[d] = x / length
	}
}
