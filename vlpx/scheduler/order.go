package scheduler

import "math"

// digitBits is the width of the radix sort's digits: three of them cover a float32, and a table of counters fits the L1 cache.
const digitBits = 11

const digits = 1 << digitBits

// sorter sorts rows of similarities. It holds scratch for one row at a time.
type sorter struct {
	keys, swap []uint64 // [row]: orderKey above, index below
	count      [3][digits]uint32
}

func newSorter(row int) *sorter { return &sorter{keys: make([]uint64, row), swap: make([]uint64, row)} }

// sort orders the entries of row but the one at self in ascending order, equals in descending order of index, and returns
// their [orderKey] (upper 32 bits) and index (lower 32 bits). The result stands until the next call.
//
// It is a radix sort, least significant digit first. Each pass keeps the order of equals, so starting from the last index
// suffices for the ties.
func (s *sorter) sort(row []float32, self int) []uint64 {
	s.count = [3][digits]uint32{}
	keys := s.keys[:0]
	for i := len(row) - 1; i >= 0; i-- {
		if i == self {
			continue
		}
		key := orderKey(row[i])
		s.count[0][key%digits]++
		s.count[1][key>>digitBits%digits]++
		s.count[2][key>>(2*digitBits)]++
		keys = append(keys, uint64(key)<<32|uint64(i))
	}
	swap := s.swap[:len(keys)]
	for pass := range s.count {
		next := &s.count[pass]
		var before uint32
		for digit, n := range next {
			next[digit] = before
			before += n
		}
		shift := 32 + pass*digitBits
		for _, key := range keys {
			digit := key >> shift % digits
			swap[next[digit]] = key
			next[digit]++
		}
		keys, swap = swap, keys
	}
	return keys
}

// orderKey maps floats to integers of the same order. It tells -0 from +0, but a product summed up from +0 is never -0.
func orderKey(x float32) uint32 {
	bits := math.Float32bits(x)
	return bits ^ (uint32(int32(bits)>>31) | 1<<31)
}

// keyFloat is the inverse of orderKey.
func keyFloat(key uint32) float32 {
	return math.Float32frombits(key ^ (^uint32(int32(key)>>31) | 1<<31))
}
