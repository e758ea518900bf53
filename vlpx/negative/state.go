package negative

import (
	"encoding/binary"
	"fmt"
	"math"
)

// stateWriter builds the marshalled form of a sampler: little-endian numbers, and slices with their length before them.
type stateWriter struct{ buf []byte }

func (w *stateWriter) word(v uint64) { w.buf = binary.LittleEndian.AppendUint64(w.buf, v) }
func (w *stateWriter) number(v int)  { w.word(uint64(v)) }
func (w *stateWriter) text(v string) { w.number(len(v)); w.buf = append(w.buf, v...) }

func (w *stateWriter) ints(v []int) {
	w.number(len(v))
	for _, x := range v {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(x))
	}
}

func (w *stateWriter) floats(v []float32) {
	w.number(len(v))
	for _, x := range v {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, math.Float32bits(x))
	}
}

// stateReader reads what a stateWriter wrote. After the first failure it returns zeros and keeps err.
type stateReader struct {
	buf []byte
	err error
}

func (r *stateReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("negative: sampler state: "+format, args...)
	}
}

// take returns the next n items of size bytes each.
func (r *stateReader) take(n uint64, size int) []byte {
	if r.err == nil && n > uint64(len(r.buf)/size) {
		r.fail("cut off: %d bytes left where %d items of %d bytes belong", len(r.buf), n, size)
	}
	if r.err != nil {
		return nil
	}
	taken := r.buf[:n*uint64(size)]
	r.buf = r.buf[n*uint64(size):]
	return taken
}

func (r *stateReader) word() uint64 {
	if b := r.take(1, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *stateReader) number() int {
	v := r.word()
	if v > math.MaxInt32 {
		r.fail("%d is no count", v)
		return 0
	}
	return int(v)
}

func (r *stateReader) text() string { return string(r.take(r.word(), 1)) }

// kind reads the name a state begins with.
func (r *stateReader) kind(want string) {
	if got := r.text(); got != want {
		r.fail("kind %q, want %q", got, want)
	}
}

// pairs reads pair indices below n.
func (r *stateReader) pairs(n int) []int {
	b := r.take(r.word(), 4)
	v := make([]int, len(b)/4)
	for i := range v {
		x := binary.LittleEndian.Uint32(b[4*i:])
		if uint64(x) >= uint64(n) {
			r.fail("pair %d of %d", x, n)
			return nil
		}
		v[i] = int(x)
	}
	return v
}

func (r *stateReader) floats() []float32 {
	b := r.take(r.word(), 4)
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// end returns the first failure, or one for bytes left over.
func (r *stateReader) end() error {
	if len(r.buf) > 0 {
		r.fail("%d bytes too many", len(r.buf))
	}
	return r.err
}
