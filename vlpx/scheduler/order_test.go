package scheduler

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The sort is that of the floats, equals from the last index to the first, whatever their bits.
func TestSorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOf(rapid.OneOf(rapid.Float32(), rapid.SampledFrom([]float32{-1, 0, 1}))).Draw(t, "row")
		for i, x := range row {
			row[i] = x + 0 // no -0
		}
		self := rapid.IntRange(0, len(row)).Draw(t, "self")
		var want []int
		for i := range row {
			if i != self {
				want = append(want, i)
			}
		}
		slices.SortFunc(want, func(a, b int) int { return cmp.Or(cmp.Compare(row[a], row[b]), b-a) })
		var got []int
		for _, key := range newSorter(len(row)).sort(row, self) {
			i := int(uint32(key))
			got = append(got, i)
			if x := keyFloat(uint32(key >> 32)); x != row[i] {
				t.Fatalf("the key of %v gives %v", row[i], x)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
