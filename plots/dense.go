package plots

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Widths of strips in which the points of a dense curve are taken together: to draw their range, and their mean.
const (
	rangeStrip = vg.Length(1)
	meanStrip  = vg.Length(4)
)

// dense tells whether points, in the order of their X, are too many to be told apart: more than two to a strip.
func dense(points []vg.Point) bool {
	return len(points) > 2 && float64(len(points)) > 2*float64((points[len(points)-1].X-points[0].X)/rangeStrip+1)
}

// strips are the points in runs that lie within a strip.
func strips(points []vg.Point, width vg.Length) [][]vg.Point {
	var runs [][]vg.Point
	last := math.Inf(-1)
	for k, p := range points {
		if at := math.Floor(float64(p.X / width)); at > last {
			last, runs = at, append(runs, points[k:k])
		}
		run := &runs[len(runs)-1]
		*run = (*run)[:len(*run)+1]
	}
	return runs
}

// envelope is a polygon around points: along the highest of each strip and back along the lowest.
func envelope(points []vg.Point) []vg.Point {
	var above, below []vg.Point
	for _, run := range strips(points, rangeStrip) {
		byHeight := func(a, b vg.Point) int { return cmp.Compare(a.Y, b.Y) }
		above, below = append(above, slices.MaxFunc(run, byHeight)), append(below, slices.MinFunc(run, byHeight))
	}
	slices.Reverse(below)
	return append(above, below...)
}

// means are the means of the points of each strip.
func means(points []vg.Point) []vg.Point {
	var all []vg.Point
	for _, run := range strips(points, meanStrip) {
		var sum vg.Point
		for _, p := range run {
			sum = sum.Add(p)
		}
		all = append(all, sum.Scale(1/vg.Length(len(run))))
	}
	return all
}
