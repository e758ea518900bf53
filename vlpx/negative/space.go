package negative

import (
	"math"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// ranking says by which similarity an anchor ranks the candidates.
type ranking int

const (
	imageRanksTexts ranking = iota // u_anchor . w_candidate
	textRanksImages                // w_anchor . u_candidate
)

// space is a search space: the entries that no chain has taken yet, with their embeddings, and the anchor that ranks them.
//
// The embeddings of the remaining entries lie one after another; a taken entry's place is filled by the last one. So a
// similarity row is one product of a matrix with a vector, over memory that shrinks as the space empties, and no similarity
// matrix is ever kept.
type space struct {
	dim         int
	image, text []float32 // [remaining, dim], rows in slot order
	entries     []uint32  // the entry in each slot
	slots       []int     // the slot of each remaining entry

	anchorImage, anchorText []float32 // [dim]
	similarity              []float32 // [remaining], scratch
	keys                    []uint64  // [remaining], scratch
}

// newSpace copies rows of the embeddings image and text, [*, dim]; entry i of the space is row rows[i].
func newSpace(image, text []float32, dim int, rows []int) *space {
	n := len(rows)
	// The product's order of summation follows the alignment of the vector it multiplies with. Anchors of their own, in
	// buffers large enough for Go to align them to 16 bytes, give the same sums wherever a row came to lie.
	s := &space{
		dim:         dim,
		image:       make([]float32, n*dim),
		text:        make([]float32, n*dim),
		entries:     make([]uint32, n),
		slots:       make([]int, n),
		anchorImage: make([]float32, max(dim, 16))[:dim],
		anchorText:  make([]float32, max(dim, 16))[:dim],
		similarity:  make([]float32, n),
		keys:        make([]uint64, n),
	}
	for i, row := range rows {
		copy(s.image[i*dim:(i+1)*dim], image[row*dim:])
		copy(s.text[i*dim:(i+1)*dim], text[row*dim:])
		s.entries[i], s.slots[i] = uint32(i), i
	}
	return s
}

// remaining is the number of entries not taken.
func (s *space) remaining() int { return len(s.entries) }

// take removes a remaining entry and makes it the anchor.
func (s *space) take(entry int) {
	slot, last, dim := s.slots[entry], len(s.entries)-1, s.dim
	copy(s.anchorImage, s.image[slot*dim:])
	copy(s.anchorText, s.text[slot*dim:])
	copy(s.image[slot*dim:(slot+1)*dim], s.image[last*dim:])
	copy(s.text[slot*dim:(slot+1)*dim], s.text[last*dim:])
	s.entries[slot] = s.entries[last]
	s.slots[s.entries[slot]] = slot
	s.entries, s.image, s.text = s.entries[:last], s.image[:last*dim], s.text[:last*dim]
}

// pick returns the remaining entry at a quantile of hardness for the anchor: with the R remaining entries in ascending order
// of similarity, equals in descending order of entry, it is the one at position round(quantile*(R-1)), halves to even
// (METHODS.md 14.3). Quantile 1 is the most similar entry and of several the first, as an argmax finds it (METHODS.md 3.5).
func (s *space) pick(by ranking, quantile float64) int {
	n := s.remaining()
	position := int(math.RoundToEven(quantile * float64(n-1)))
	hardest := position == n-1
	best := s.rank(by, !hardest)
	if !hardest {
		best = kth(s.keys[:n], position)
	}
	return int(^uint32(best))
}

// parallelWork is how many multiplications of a similarity row pay for another goroutine.
const parallelWork = 1 << 17

// rank computes the keys of the remaining entries, in parallel where it pays, and returns the greatest. The keys themselves
// are kept in s.keys when asked for. A row's numbers do not depend on how the rows are divided.
func (s *space) rank(by ranking, keep bool) uint64 {
	n := s.remaining()
	parts := max(1, min(runtime.GOMAXPROCS(0), n*s.dim/parallelWork))
	if parts == 1 {
		return s.rankPart(by, keep, 0, n)
	}
	best := make([]uint64, parts)
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() { best[p] = s.rankPart(by, keep, p*n/parts, (p+1)*n/parts) })
	}
	wait.Wait()
	greatest := best[0]
	for _, b := range best[1:] {
		greatest = max(greatest, b)
	}
	return greatest
}

func (s *space) rankPart(by ranking, keep bool, lo, hi int) uint64 {
	out := blas32.Vector{N: hi - lo, Inc: 1, Data: s.similarity[lo:hi]}
	candidates, anchor := s.text, s.anchorImage
	if by == textRanksImages {
		candidates, anchor = s.image, s.anchorText
	}
	rows := blas32.General{Rows: hi - lo, Cols: s.dim, Stride: s.dim, Data: candidates[lo*s.dim : hi*s.dim]}
	blas32.Gemv(blas.NoTrans, 1, rows, blas32.Vector{N: s.dim, Inc: 1, Data: anchor}, 0, out)
	var best uint64
	for i, similarity := range out.Data {
		key := sortKey(similarity, s.entries[lo+i])
		if keep {
			s.keys[lo+i] = key
		}
		best = max(best, key)
	}
	return best
}

// sortKey is a number that grows with similarity and, among equals, falls with the entry; ^uint32(key) is the entry.
func sortKey(similarity float32, entry uint32) uint64 {
	if similarity == 0 {
		similarity = 0 // -0 and +0 are equal
	}
	bits := math.Float32bits(similarity)
	if bits>>31 == 1 {
		bits = ^bits
	} else {
		bits |= 1 << 31
	}
	return uint64(bits)<<32 | uint64(^entry)
}

// kth returns the key at position k in ascending order (Hoare's quickselect). It reorders keys.
func kth(keys []uint64, k int) uint64 {
	lo, hi := 0, len(keys)-1
	for lo < hi {
		a, b, c := keys[lo], keys[lo+(hi-lo)/2], keys[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for keys[i] < pivot {
				i++
			}
			for pivot < keys[j] {
				j--
			}
			if i <= j {
				keys[i], keys[j] = keys[j], keys[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return keys[k]
		}
	}
	return keys[k]
}
