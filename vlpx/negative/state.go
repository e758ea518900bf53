package negative

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// coder writes the state of a sampler, or reads it into one, by the same walk through it: little-endian numbers, and slices with their
// length before them. After the first failure it reads zeros and keeps err.
type coder struct {
	reading bool
	buf     []byte // what is written, or what is left to read
	err     error
}

// coded is a sampler with a walk through its state.
type coded[T any] interface {
	*T
	code(*coder)
}

// encode is a sampler's state.
func encode[T any, S coded[T]](s S) ([]byte, error) {
	c := &coder{}
	s.code(c)
	return c.buf, c.err
}

// decode reads what encode wrote into a sampler, which stays as it is if that fails.
func decode[T any, S coded[T]](s S, data []byte) error {
	c, read := &coder{reading: true, buf: data}, *s
	S(&read).code(c)
	if err := c.end(); err != nil {
		return err
	}
	*s = read
	return nil
}

func (c *coder) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("negative: sampler state: "+format, args...)
	}
}

// take returns the next n items of size bytes each.
func (c *coder) take(n uint64, size int) []byte {
	if c.err == nil && n > uint64(len(c.buf)/size) {
		c.fail("cut off: %d bytes left where %d items of %d bytes belong", len(c.buf), n, size)
	}
	if c.err != nil {
		return nil
	}
	taken := c.buf[:n*uint64(size)]
	c.buf = c.buf[n*uint64(size):]
	return taken
}

func (c *coder) word(v *uint64) {
	if !c.reading {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, *v)
		return
	}
	*v = 0
	if b := c.take(1, 8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

// number is one that is not negative.
func (c *coder) number(v *int) {
	w := uint64(*v)
	if c.word(&w); c.reading && w > math.MaxInt32 {
		c.fail("%d is no count", w)
		w = 0
	}
	*v = int(w)
}

func (c *coder) float(v *float64) {
	w := math.Float64bits(*v)
	c.word(&w)
	if *v = math.Float64frombits(w); c.reading && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
		c.fail("%v is no number that is kept; the data is spoilt", *v)
	}
}

// length is that of a slice of n items, or the next one to read.
func (c *coder) length(n int) uint64 {
	w := uint64(n)
	c.word(&w)
	return w
}

func (c *coder) text(v *string) {
	n := c.length(len(*v))
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	*v = string(c.take(n, 1))
}

// kind is the name a state begins with.
func (c *coder) kind(want string) {
	got := want
	if c.text(&got); got != want {
		c.fail("kind %q, want %q", got, want)
	}
}

// pairs are indices below n.
func (c *coder) pairs(v *[]int, n int) {
	length := c.length(len(*v))
	if !c.reading {
		for _, x := range *v {
			c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(x))
		}
		return
	}
	b := c.take(length, 4)
	*v = make([]int, len(b)/4)
	for i := range *v {
		x := binary.LittleEndian.Uint32(b[4*i:])
		if uint64(x) >= uint64(n) {
			c.fail("pair %d of %d", x, n)
			return
		}
		(*v)[i] = int(x)
	}
}

func (c *coder) floats(v *[]float32) {
	length := c.length(len(*v))
	if !c.reading {
		for _, x := range *v {
			c.buf = binary.LittleEndian.AppendUint32(c.buf, math.Float32bits(x))
		}
		return
	}
	b := c.take(length, 4)
	*v = make([]float32, len(b)/4)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if !(math.Abs(float64((*v)[i])) <= largestKept) {
			c.fail("number %d of embeddings or states is %v; the data is spoilt", i, (*v)[i])
			return
		}
	}
}

// largestKept is beyond what embeddings, whose length is one, and states come to. Of larger ones similarities may leave the numbers.
const largestKept = 1e6

// pass is where a sampler stands after the last observation: what was handed out since is handed out again. It must be of the same run. A
// sampler that reads shards keeps and compares these itself.
func (c *coder) pass(p *pass) {
	run, begun := p.run, p.epoch+1
	c.number(&run.Pairs)
	c.number(&run.BatchSize)
	c.number(&run.Dim)
	c.number(&run.Epochs)
	c.word(&run.Seed)
	c.number(&begun)
	c.number(&p.observed)
	c.pairs(&p.order, p.run.Pairs)
	if !c.reading || c.err != nil {
		return
	}
	p.epoch, p.handed = begun-1, p.observed
	length := 0
	if p.epoch >= 0 {
		length = p.run.steps() * p.run.BatchSize
	}
	switch {
	case !reflect.DeepEqual(run, p.run):
		c.fail("it belongs to another run: saved %+v, this run %+v", run, p.run)
	case p.epoch >= p.run.Epochs || len(p.order) != length || p.observed > length/p.run.BatchSize:
		c.fail("epoch %d, mini-batch %d of an order of %d pairs cannot be", p.epoch, p.observed, len(p.order))
	}
}

// end returns the first failure, or one for bytes left over.
func (c *coder) end() error {
	if c.reading && len(c.buf) > 0 {
		c.fail("%d bytes too many", len(c.buf))
	}
	return c.err
}
