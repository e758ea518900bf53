package scale

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The number of heads divides the width, and none that does is nearer to the width of each.
func TestDivisorAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		each, width := rapid.IntRange(1, 64).Draw(t, "each"), rapid.IntRange(1, 400).Draw(t, "width")
		got, want := divisor(width, each), float64(width)/float64(each)
		if width%got != 0 {
			t.Fatalf("%d heads of %d", got, width)
		}
		for k := 1; k <= width; k++ {
			if width%k == 0 && math.Abs(float64(k)-want) < math.Abs(float64(got)-want)-1e-9 {
				t.Errorf("%d heads of %d, %d are nearer to %g", got, width, k, want)
			}
		}
		if size := rapid.IntRange(1, 50).Draw(t, "size"); multiple(width, size)%size != 0 || multiple(width, size) < size ||
			width >= size && 2*max(multiple(width, size)-width, width-multiple(width, size)) > size {
			t.Errorf("%d is no multiple of %d nearest to %d", multiple(width, size), size, width)
		}
	})
}
