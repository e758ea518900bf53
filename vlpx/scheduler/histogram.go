package scheduler

import "slices"

// histogram puts the members of a row into buckets and finds the row's quantiles without sorting it. Its bins are equally wide, and so many
// that most hold a few members. Every bin lies in one bucket, that of its first rank, and only bins that have a rank which a quantile asks
// for are sorted.
type histogram struct {
	ranks  []int     // that the quantiles ask for, ascending
	sorted []float32 // [others]: the sorted row at those ranks, and anything at others

	bins    []uint16 // [others + 1]: the bin of each member
	next    []int32  // [bins]: how many a bin has, then the rank of its next member, or unwanted
	buckets []uint8  // [bins]
	wanted  []span   // the ranks of the bins that are sorted
}

// span is the ranks from lo to hi.
type span struct{ lo, hi int32 }

const (
	// perBin is how many members a bin holds on the average, up to binLimit bins, whose counts fit the L1 cache.
	perBin   = 8
	binLimit = 4096
	// A bin may hold one part in crowdShare of the members, or crowdLeast: a pick computes again what a bin holds.
	crowdShare = 64
	crowdLeast = 32

	unwanted = -1
)

// newHistogram returns a histogram for rows of a number of others, and states of so many quantiles.
func newHistogram(others, quantiles int) *histogram {
	bins := max(1, min(others/perBin, binLimit))
	h := &histogram{sorted: make([]float32, others), bins: make([]uint16, others+1), next: make([]int32, bins),
		buckets: make([]uint8, bins)}
	for k := range quantiles {
		rank, part := quantileRank(k, others, quantiles)
		h.ranks = append(h.ranks, rank)
		if part > 0 {
			h.ranks = append(h.ranks, rank+1)
		}
	}
	slices.Sort(h.ranks)
	h.ranks = slices.Compact(h.ranks)
	return h
}

// fill counts the row without the member self. It reports whether the bins tell its members apart: where the similarities are all equal,
// many of them are, one lies far out, or one is no number, they do not, and the row has to be sorted.
func (h *histogram) fill(row []float32, self int) bool {
	others := len(row) - 1
	if others == 0 {
		return false
	}
	first := row[0]
	if self == 0 {
		first = row[1]
	}
	least, greatest := first, first
	for _, part := range [][]float32{row[:self], row[self+1:]} {
		for _, x := range part {
			if !(x >= least) {
				if x != x {
					return false
				}
				least = x
			} else if x > greatest {
				greatest = x
			}
		}
	}
	clear(h.next)
	width := (greatest - least) / float32(len(h.next))
	if !(width > 0) || 1/width > 1e30 || width > 1e30 {
		return false
	}
	h.count(row[:self], h.bins[:self], least, 1/width)
	h.count(row[self+1:], h.bins[self+1:], least, 1/width)
	return int(slices.Max(h.next)) <= max(others/crowdShare, crowdLeast)
}

// count finds the bins of a part of the row and counts them. What is rounded keeps its order.
func (h *histogram) count(row []float32, bins []uint16, least, scale float32) {
	next, last := h.next, int32(len(h.next)-1)
	bins = bins[:len(row)]
	for i, x := range row {
		bin := min(int32((x-least)*scale), last)
		bins[i] = uint16(bin)
		next[bin]++
	}
}

// bucket writes the buckets of the row that was filled in, and makes sorted what it is.
func (h *histogram) bucket(row []float32, self int, buckets []uint8) {
	ranks, rank := h.ranks, int32(0)
	h.wanted = h.wanted[:0]
	for bin, n := range h.next {
		h.buckets[bin] = bucketOf(min(int(rank), len(row)-2), len(row)-1)
		h.next[bin] = unwanted
		if len(ranks) > 0 && ranks[0] < int(rank+n) {
			h.next[bin] = rank
			h.wanted = append(h.wanted, span{rank, rank + n})
			for len(ranks) > 0 && ranks[0] < int(rank+n) {
				ranks = ranks[1:]
			}
		}
		rank += n
	}
	h.place(row[:self], h.bins[:self], buckets[:self])
	buckets[self] = 0 // which no pick asks for
	h.place(row[self+1:], h.bins[self+1:], buckets[self+1:])
	for _, of := range h.wanted {
		sortFew(h.sorted[of.lo:of.hi])
	}
}

// sortFew sorts numbers that are few as a rule, and in no order, which insertion does fastest.
func sortFew(x []float32) {
	if len(x) > 48 {
		slices.Sort(x)
		return
	}
	for i := 1; i < len(x); i++ {
		moving, at := x[i], i
		for ; at > 0 && x[at-1] > moving; at-- {
			x[at] = x[at-1]
		}
		x[at] = moving
	}
}

// place writes the buckets of a part of the row, and gathers the members of the wanted bins.
func (h *histogram) place(row []float32, bins []uint16, buckets []uint8) {
	next, of := h.next, h.buckets[:len(h.next)]
	bins, buckets = bins[:len(row)], buckets[:len(row)]
	for i, x := range row {
		bin := bins[i]
		buckets[i] = of[bin]
		if at := next[bin]; at != unwanted {
			h.sorted[at] = x
			next[bin]++
		}
	}
}
