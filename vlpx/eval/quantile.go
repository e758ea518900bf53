package eval

import (
	"math"
	"slices"
)

// quantile is that of numbers at a level from 0 to 1, between two of them by linear interpolation at level (n - 1), as torch.quantile and
// numpy have it. It puts the numbers into another order.
func quantile(x []float64, level float64) float64 {
	place := level * float64(len(x)-1)
	low := int(math.Floor(place))
	value := nth(x, low)
	if rest := place - float64(low); rest > 0 {
		value += rest * (slices.Min(x[low+1:]) - value)
	}
	return value
}

// nth is the number at place k, from 0, of the ascending order. It puts the numbers into another order, in which none before k is larger
// and none behind it smaller (Hoare's FIND).
func nth(x []float64, k int) float64 {
	for low, high := 0, len(x)-1; low < high; {
		pivot, i, j := x[low+(high-low)/2], low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return x[k]
		}
	}
	return x[k]
}
