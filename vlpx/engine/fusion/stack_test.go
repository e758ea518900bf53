package fusion

import (
	"math"
	"slices"
)

// runProducts computes a program of Products number by number.
func runProducts(code []int64, in []tensor) []tensor {
	next := func() int {
		n := code[0]
		code = code[1:]
		return int(n)
	}
	some := func(n int) []int {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = next()
		}
		return numbers
	}
	result := tensor{dims: some(next())}
	result.numbers = make([]float32, size(result.dims))
	for i := range next() {
		factor := math.Float32frombits(uint32(next()))
		dims := some(next())
		stack := len(dims)
		dims = append(dims, next(), next())
		inner := next()
		far := func() (at func(index ...int) int) {
			offset, strides := next(), some(stack+2)
			return func(index ...int) int {
				sum := offset
				for i, stride := range strides {
					sum += index[i] * stride
				}
				return sum
			}
		}
		a, b, to := far(), far(), far()
		filled(dims, func(index []int) float32 {
			s, row, column := index[:stack], index[stack], index[stack+1]
			var sum float32
			for k := range inner {
				sum += float32(in[2*i].numbers[a(slices.Concat(s, []int{row, k})...)] * in[2*i+1].numbers[b(slices.Concat(s, []int{k, column})...)])
			}
			result.numbers[to(index...)] = factor * sum
			return 0
		})
	}
	return []tensor{result}
}
