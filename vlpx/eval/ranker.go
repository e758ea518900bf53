package eval

import (
	"math"
	"slices"
)

// ranker ranks the right candidates of one query after another, reusing its memory. Ties are decided against the right ones.
type ranker struct {
	isRight []bool    // of each candidate, all false between queries
	right   []float64 // scores of the right candidates, descending
	ahead   []int     // wrong candidates that first reach a right one, by its place in right
}

// newRanker ranks the candidates of rows.
func newRanker(of Rows) *ranker {
	_, candidates := of.Shape()
	return &ranker{isRight: make([]bool, candidates)}
}

// of are the ranks that a view needs of the right candidates of a query, from 1 and ascending.
func (q *ranker) of(v *view, scores []float64, right []int) []int {
	if v.needsAll() {
		return q.ranks(scores, right)
	}
	return []int{bestRank(scores, right, right)}
}

// bestRank is the rank, from 1, of the best of the right candidates among those that are not set aside: one more than the others that
// score as high. The right ones are set aside, too.
func bestRank(scores []float64, right, aside []int) int {
	best := math.Inf(-1)
	for _, c := range right {
		best = max(best, scores[c])
	}
	rank := 1
	for _, s := range scores {
		if s >= best {
			rank++
		}
	}
	for _, c := range aside {
		if scores[c] >= best {
			rank--
		}
	}
	return rank
}

// rankAmongEquals is the rank, from 1, of the best right candidate among the wrong ones that score exactly as high.
func rankAmongEquals(scores []float64, right []int) int {
	best := math.Inf(-1)
	for _, c := range right {
		best = max(best, scores[c])
	}
	rank := 1
	for _, s := range scores {
		if s == best {
			rank++
		}
	}
	for _, c := range right {
		if scores[c] == best {
			rank--
		}
	}
	return rank
}

// ranks are those of the right candidates, from 1 and ascending: each stands behind the better right ones and all wrong ones that score as
// high, which are counted in one pass.
func (q *ranker) ranks(scores []float64, right []int) []int {
	q.right = q.right[:0]
	for _, c := range right {
		q.right, q.isRight[c] = append(q.right, scores[c]), true
	}
	slices.Sort(q.right)
	slices.Reverse(q.right)
	q.ahead = append(q.ahead[:0], make([]int, len(q.right))...)
	lowest := q.right[len(q.right)-1]
	for c, s := range scores {
		if !q.isRight[c] && s >= lowest {
			q.ahead[q.place(s)]++
		}
	}
	for _, c := range right {
		q.isRight[c] = false
	}
	ranks, wrong := make([]int, len(q.right)), 0
	for k := range ranks {
		wrong += q.ahead[k]
		ranks[k] = k + 1 + wrong
	}
	return ranks
}

// place is the first right candidate, in descending order, that score s reaches.
func (q *ranker) place(s float64) int {
	low, high := 0, len(q.right)
	for low < high {
		if mid := (low + high) / 2; q.right[mid] > s {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
