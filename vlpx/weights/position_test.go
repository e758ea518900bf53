package weights

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/must"
)

// With aligned corners every second of 5 patches a side has a position of the 3 that there were. By hand, half way between the first two of
// 0, 1, 4 with a = -0.75 and the border repeated: -3/32 * (0+4) + 19/32 * (0+1) = 7/32.
func TestCornerPositions(t *testing.T) {
	const grid, side = 3, 5
	line := []float64{0, 1, 4}
	positions := []float64{9, 9} // the class token's, then row and column in a width of two
	for y := range grid {
		for x := range grid {
			positions = append(positions, line[y], line[x])
		}
	}
	got := must.Get(CornerPositions(tensors.FromFlatDataAndDimensions(positions, 1+grid*grid, 2), side))(t)
	numbers := tensors.MustCopyFlatData[float64](got)
	const half = 7. / 32
	second := -3./32*(0+4) + 19./32*(1+4) // between the last two, where 0 and the repeated 4 are the outer ones
	want := []float64{0, half, 1, second, 4}
	if numbers[0] != 9 || numbers[1] != 9 {
		t.Errorf("the class token's position is %v", numbers[:2])
	}
	for y := range side {
		for x := range side {
			at := numbers[2*(1+y*side+x):]
			if math.Abs(at[0]-want[y]) > 1e-12 || math.Abs(at[1]-want[x]) > 1e-12 {
				t.Errorf("patch %d, %d: got %v, want %v and %v", y, x, at[:2], want[y], want[x])
			}
		}
	}
}
