package scheduler

import (
	"fmt"
	"math"
	"slices"
)

// Space is a search space (FALCON, section 3.1; METHODS.md 14.1): N members with similarities S_ij = u_i.w_j + w_i.u_j of
// their image embeddings u and text embeddings w. It knows the state of every member and picks, for an anchor, the member at a
// quantile of hardness among those that remain.
//
// S itself is never kept. Each of its rows is computed once and put in order, as far as is needed; what stays is the state, and for
// every member of the row one byte, its bucket: in which part of the row's order, about a 256th, it lies. A pick counts the buckets
// of the remaining members, and computes again only the similarities of the bucket that holds the position. So a space takes N*N
// bytes (802 MB for 28,320 members) and a copy of the embeddings, a pick reads N bytes, and it is the same as from S.
//
// A Space must not be used by several goroutines at once.
type Space struct {
	n, dim, quantiles int
	members           panel     // [N, 2*dim]
	states            []float32 // [N, quantiles]
	buckets           []uint8   // [N, N]: row i holds each member's bucket in the order of S[i, .]
	remaining         []int32   // ascending

	bucket []int32   // scratch of Pick: the remaining members of one bucket
	keys   []uint64  // and their keys
	row    []float32 // scratch of similarities
	anchor panel     // and their factor
}

// bucketCount is the number of buckets of a row's order: one byte tells them apart.
const bucketCount = 256

// NewSpace returns the space of all members.
//
//   - image, text: normalised embeddings, [N, dim]; all zero for a member without any. They are not kept.
//   - quantiles: length M of a state, at least 2 (100 in FALCON).
//
// While it computes it holds some rows of S besides for every processor. The numbers depend on neither the alignment of the
// embeddings nor the number of processors.
func NewSpace(image, text []float32, dim, quantiles int) *Space {
	if dim < 1 || len(image) != len(text) || len(image)%dim != 0 || quantiles < 2 {
		panic(fmt.Sprintf("scheduler: NewSpace: %d image and %d text numbers, dimension %d, %d quantiles; "+
			"give both as [N, dim] with dim at least 1, and at least 2 quantiles", len(image), len(text), dim, quantiles))
	}
	n := len(image) / dim
	s := &Space{
		n:         n,
		dim:       dim,
		quantiles: quantiles,
		members:   newPanel(image, text, dim),
		states:    make([]float32, n*quantiles),
		buckets:   make([]uint8, n*n),
		remaining: make([]int32, n),
		anchor:    makePanel(1, dim),
	}
	for i := range s.remaining {
		s.remaining[i] = int32(i)
	}
	s.compute()
	return s
}

// SpaceBytes is what a space keeps: buckets, the embeddings' sums and differences, states and the remaining members. While it is made it
// takes the similarities of 128 members more for each processor.
func SpaceBytes(members, dim, quantiles int) int64 {
	n := int64(members)
	return n*n + 4*n*(2*int64(dim)+int64(quantiles)+1)
}

// similarities returns S[anchor, j] for each j of members. The result stands until the next call.
func (s *Space) similarities(anchor int, members []int32) []float32 {
	s.row = slices.Grow(s.row[:0], len(members))[:len(members)]
	s.anchor.pack(s.members.slice(anchor, anchor+1))
	split(len(members), 16, func(from, to int) { // each waits for its row of memory
		for k := from; k < to; k++ {
			j := int(members[k])
			multiply(s.anchor, s.members.slice(j, j+1), s.row[k:], 1)
		}
	})
	return s.row
}

// softmaxQuantiles writes a state: the softmax of M = len(state) quantiles of n sorted numbers, the k-th at k/(M-1), linear
// between two numbers (METHODS.md 14.2). Of no numbers it is uniform.
func softmaxQuantiles(state []float32, n int, sorted func(rank int) float32) {
	if n == 0 {
		for k := range state {
			state[k] = 1 / float32(len(state))
		}
		return
	}
	intervals := len(state) - 1
	greatest := float64(sorted(n - 1))
	exps := make([]float64, len(state))
	var sum float64
	for k := range exps {
		rank, part := quantileRank(k, n, len(state))
		quantile := float64(sorted(rank))
		if part > 0 {
			quantile += (float64(sorted(rank+1)) - quantile) * float64(part) / float64(intervals)
		}
		exps[k] = math.Exp(quantile - greatest)
		sum += exps[k]
	}
	for k, e := range exps {
		state[k] = float32(e / sum)
	}
}

// quantileRank is where the k-th of M quantiles of n sorted numbers lies: behind the number of a rank, by so many parts of M-1 of the way
// to the next.
func quantileRank(k, n, quantiles int) (rank, part int) {
	return k * (n - 1) / (quantiles - 1), k * (n - 1) % (quantiles - 1)
}

// Len is the number of members N, taken or not.
func (s *Space) Len() int { return s.n }

// State returns the state of member i, [quantiles]: the softmax of the evenly spaced quantiles of its similarities to all
// other members, taken or not (METHODS.md 14.2). The caller must not change it. A lone member's state is uniform.
func (s *Space) State(i int) []float32 {
	lo, hi := i*s.quantiles, (i+1)*s.quantiles
	return s.states[lo:hi:hi]
}

func (s *Space) bucketsOf(i int) []uint8 { return s.buckets[i*s.n : (i+1)*s.n] }

// RemainingState is like [Space.State], over the remaining members other than i: the other reading of FALCON's Algorithm 1. It
// computes and sorts the similarities at each call.
func (s *Space) RemainingState(i int) []float32 {
	row := s.similarities(i, s.remaining)
	if k, found := slices.BinarySearch(s.remaining, int32(i)); found {
		row = slices.Delete(row, k, k+1)
	}
	slices.Sort(row)
	state := make([]float32, s.quantiles)
	softmaxQuantiles(state, len(row), func(rank int) float32 { return row[rank] })
	return state
}

// Remaining is the number of members not taken.
func (s *Space) Remaining() int { return len(s.remaining) }

// Nth returns the k-th remaining member, 0 <= k < Remaining, in ascending order.
func (s *Space) Nth(k int) int { return int(s.remaining[k]) }

// Take removes a remaining member.
func (s *Space) Take(i int) {
	k, found := slices.BinarySearch(s.remaining, int32(i))
	if !found {
		panic(fmt.Sprintf("scheduler: Take(%d): not a remaining member; take each member once", i))
	}
	s.remaining = slices.Delete(s.remaining, k, k+1)
}

// Pick returns the remaining member at the quantile q, 0 to 1, of hardness for an anchor that is taken already: with the R
// remaining members in ascending order of similarity, equals in descending order of member, the one at position round(q*(R-1)),
// halves to even (METHODS.md 14.3). Quantile 1 is the most similar member and of several the first. Pick does not take it.
func (s *Space) Pick(anchor int, q float64) int {
	if len(s.remaining) == 0 {
		panic(fmt.Sprintf("scheduler: Pick(%d, %v): no member remains; ask Remaining before", anchor, q))
	}
	position := int(math.RoundToEven(q * float64(len(s.remaining)-1)))
	buckets := s.bucketsOf(anchor)
	bucket, position := locate(buckets, s.remaining, position)
	s.bucket = s.bucket[:0]
	for _, member := range s.remaining {
		if buckets[member] == bucket {
			s.bucket = append(s.bucket, member)
		}
	}
	s.keys = s.keys[:0]
	for k, similarity := range s.similarities(anchor, s.bucket) {
		s.keys = append(s.keys, uint64(orderKey(similarity))<<32|uint64(^uint32(s.bucket[k])))
	}
	slices.Sort(s.keys)
	return int(^uint32(s.keys[position]))
}

// locate returns the bucket that holds the remaining member at a position of the row's order, and its position therein.
func locate(buckets []uint8, remaining []int32, position int) (bucket uint8, within int) {
	// Neighbours often share a bucket; four tables keep an increment from waiting for the one before.
	var count [4][bucketCount]int32
	rest := remaining
	for ; len(rest) >= 4; rest = rest[4:] {
		count[0][buckets[rest[0]]]++
		count[1][buckets[rest[1]]]++
		count[2][buckets[rest[2]]]++
		count[3][buckets[rest[3]]]++
	}
	for _, member := range rest {
		count[0][buckets[member]]++
	}
	for {
		n := int(count[0][bucket] + count[1][bucket] + count[2][bucket] + count[3][bucket])
		if position < n {
			return bucket, position
		}
		position -= n
		bucket++
	}
}
