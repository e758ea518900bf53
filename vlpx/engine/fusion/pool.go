package fusion

import (
	"math"
	"slices"

	onnx "github.com/gomlx/compute-onnx/support/protos"
)

// Pools of the largest of 3 x 3 pixels, every second one, which package encoder writes as choices between what the places of a window see,
// along rows and then down, become an operation, and so does the gradient of their images.

const poolOp = "Pool"

// What Pool computes, by the numbers under which package engine knows it.
const (
	poolForward = iota
	poolGradient
)

// choice is the largest of three values of as many numbers, the first where they are equal.
type choice struct {
	of    [3]*value
	masks [2]*value // whether the second is larger than the first, and the third than these
}

// chosen tells whether v is such a choice.
func chosen(v *value) (c choice, is bool) {
	var two *value
	if c.masks[1], c.of[2], two, is = larger(v); !is {
		return c, false
	}
	c.masks[0], c.of[1], c.of[0], is = larger(two)
	return c, is
}

// larger tells whether v are the larger ones of b and a, and where b is.
func larger(v *value) (mask, b, a *value, is bool) {
	n := v.producer
	if n == nil || n.proto.OpType != "Where" || !v.float() {
		return nil, nil, nil, false
	}
	mask, b, a = n.inputs[0], n.inputs[1], n.inputs[2]
	compared := mask.producer
	is = compared != nil && compared.proto.OpType == "Greater" && compared.inputs[0] == b && compared.inputs[1] == a
	return mask, b, a, is
}

// shared tells whether values are what the three have of the gradient y of their choice: each has it where it was chosen, and zero
// elsewhere.
func (c choice) shared(values [3]*value) (y *value, is bool) {
	last, isLast := kept(c.masks[1], values[2], false)
	second, isSecond := kept(c.masks[0], values[1], false)
	first, isFirst := kept(c.masks[0], values[0], true)
	if !isLast || !isSecond || !isFirst || first != second {
		return nil, false
	}
	y, is = kept(c.masks[1], first, true)
	return y, is && y == last
}

// kept tells whether v is y where a mask is not, or where it is, and zero elsewhere.
func kept(mask, v *value, not bool) (y *value, is bool) {
	n := v.producer
	if n == nil || n.proto.OpType != "Where" || n.inputs[0] != mask {
		return nil, false
	}
	y, none := n.inputs[1], n.inputs[2]
	if not {
		y, none = none, y
	}
	return y, base(none).zero && slices.Equal(y.dims, v.dims)
}

// pool is one of windows that slide over images [images, height, width, in], with the least number around.
type pool struct {
	convolution // its windows
	x           *value
	across      choice // of what the places of a window see of the images
	down        choice // of what they see of that
}

// joinPools finds them.
func (g *graph) joinPools(proto *onnx.GraphProto) {
	var all []pool
	for _, n := range g.nodes {
		out := n.outputs[0]
		join := func(what int, p pool, inputs ...*value) {
			n.become(poolOp, proto, inputs, what, p.images, p.height, p.width, p.in)
		}
		switch n.proto.OpType {
		case "Where":
			if p, is := pooled(out); is {
				all = append(all, p)
				join(poolForward, p, p.x)
			}
		case "Slice":
			for _, p := range all {
				if y, is := p.gradient(out); is {
					join(poolGradient, p, p.x, y)
					break
				}
			}
		}
	}
}

// pooled tells whether v is a pool.
func pooled(v *value) (p pool, is bool) {
	if p.down, is = chosen(v); !is {
		return p, false
	}
	rows := place(p.down.of[0]).base
	if p.across, is = chosen(rows); !is {
		return p, false
	}
	padded := place(p.across.of[0]).base
	pad := padded.producer
	if pad == nil || pad.proto.OpType != "Pad" || len(pad.inputs) != 3 || len(padded.dims) != 4 || !pad.inputs[0].float() {
		return p, false
	}
	p.x = pad.inputs[0]
	least, mode, around, dims := pad.inputs[2].single, pad.text("mode"), pad.constant(1), p.x.dims
	if least == nil || *least != -math.MaxFloat32 || mode != "" && mode != "constant" ||
		len(around) != 8 || !slices.Equal(around[:5], []int64{0, 1, 1, 0, 0}) || around[7] != 0 {
		return p, false
	}
	p.convolution = convolution{images: dims[0], height: dims[1], width: dims[2], in: dims[3], size: 3, stride: 2,
		padded: [2]int(padded.dims[1:3])}
	line := p.columns() * p.in
	for i := range p.size {
		is = is && place(p.across.of[i]).simple().equal(operand{padded, i * p.in, []axis{
			all(p.images*p.padded[0], p.padded[1]*p.in), all(p.columns(), p.stride*p.in), all(p.in, 1)}}.simple()) &&
			place(p.down.of[i]).simple().equal(operand{rows, i * line, []axis{
				all(p.images, p.padded[0]*line), all(p.rows(), p.stride*line), all(line, 1)}}.simple())
	}
	return p, is && rows.size() == p.images*p.padded[0]*line && slices.Equal(v.dims, []int{p.images, p.rows(), p.columns(), p.in})
}

// gradient tells whether v is that of a pool's images, of its result's gradient y: what the choices give each place of a window is put back
// down, then along rows, and what was around is left out.
func (p pool) gradient(v *value) (y *value, is bool) {
	inside := place(v).simple()
	line, long := p.columns()*p.in, p.padded[1]*p.in
	if !v.float() || !slices.Equal(v.dims, p.x.dims) || inside.base.size() != p.images*p.padded[0]*long ||
		!inside.equal(operand{inside.base, p.before() * (long + p.in), []axis{
			all(p.images, p.padded[0]*long), all(p.height, long), all(p.width, p.in), all(p.in, 1)}}.simple()) {
		return nil, false
	}
	along, is := parts(inside.base, func(i int, of *value) operand {
		o := operand{of, 0, []axis{all(p.images*p.padded[0], line), all(p.columns(), p.in), all(1, 0), all(p.in, 1)}}
		return o.strided(1, i, p.padded[1], p.stride)
	})
	if !is {
		return nil, false
	}
	rows, is := p.across.shared(along)
	if !is || !place(rows).simple().contiguous() {
		return nil, false
	}
	down, is := parts(place(rows).base, func(i int, of *value) operand {
		o := operand{of, 0, []axis{all(p.images, p.rows()*line), all(p.rows(), line), all(1, 0), all(line, 1)}}
		return o.strided(1, i, p.padded[0], p.stride)
	})
	if !is {
		return nil, false
	}
	if y, is = p.down.shared(down); !is || !slices.Equal(y.dims, []int{p.images, p.rows(), p.columns(), p.in}) {
		return nil, false
	}
	return y, true
}

// parts are what a sum of three is put back of, by the places of a window, whatever their order in the sum.
func parts(v *value, want func(i int, of *value) operand) (of [3]*value, is bool) {
	values := addends(v)
	if len(values) != len(of) {
		return of, false
	}
	for i := range of {
		at := slices.IndexFunc(values, func(v *value) bool {
			o := place(v).simple()
			return o.equal(want(i, o.base).simple())
		})
		if at < 0 {
			return of, false
		}
		of[i] = place(values[at]).base
	}
	return of, true
}
