package fusion

import "slices"

// operand says where numbers are found one after another: in the tensor base, at place offset + sum(index*stride) for an index of dims, the
// last axis first. A stride of zero repeats numbers. Where an index is outside of from and to, which not all axes restrict, there is a
// zero.
type operand struct {
	base   *value
	offset int
	axes   []axis
}

type axis struct {
	length, stride int
	from, to       int // of the index; 0 and length where all of it is in base
}

func (a axis) whole() bool { return a.from == 0 && a.to == a.length }

// mostAxes is how many axes Elementwise can follow.
const mostAxes = 8

// lying is a tensor as it lies.
func lying(v *value) operand {
	o := operand{base: v, axes: make([]axis, len(v.dims))}
	for i, step := len(v.dims)-1, 1; i >= 0; i-- {
		o.axes[i] = axis{v.dims[i], step, 0, v.dims[i]}
		step *= v.dims[i]
	}
	return o
}

// place is where v's numbers are, seen through the views that made it.
func place(v *value) operand {
	n := v.producer
	if n == nil || n.kind != view {
		return lying(v)
	}
	in := n.inputs[0]
	if n.proto.OpType == "Concat" {
		o, _ := n.stack()
		return o
	}
	o := place(in)
	if n.proto.OpType == "Reshape" || n.proto.OpType == "Identity" {
		return o
	}
	o, fits := o.as(in.dims)
	if !fits {
		return lying(v)
	}
	switch n.proto.OpType {
	case "Expand":
		return o.over(in.dims, v.dims)
	case "Transpose":
		turned := operand{base: o.base, offset: o.offset}
		for _, from := range n.list("perm") {
			turned.axes = append(turned.axes, o.axes[from])
		}
		return turned
	case "Slice":
		begins, steps := n.constant(1), n.constant(4)
		for i, at := range n.constant(3) {
			a := &o.axes[at]
			begin, step, length := int(begins[i]), int(steps[i]), v.dims[at]
			if !a.whole() && step != 1 {
				return lying(v)
			}
			o.offset += begin * a.stride
			*a = axis{length, a.stride * step, max(a.from-begin, 0), min(max(a.to-begin, 0), length)}
			if step != 1 {
				a.to = length
			}
		}
	case "Pad":
		around := n.constant(1)
		for i := range o.axes {
			a, before := &o.axes[i], int(around[i])
			o.offset -= before * a.stride
			*a = axis{v.dims[i], a.stride, max(a.from+before, 0), min(a.to+before, v.dims[i])}
		}
	}
	return o
}

// stack is the view that a concatenation of views is, where they are of the same tensor, one as far from the next as that from the one
// after.
func (n *node) stack() (o operand, is bool) {
	at := int(n.integer("axis", 0))
	var apart int
	for i, v := range n.inputs {
		p, fits := place(v).as(v.dims)
		if !fits || !slices.Equal(v.dims, n.inputs[0].dims) || slices.ContainsFunc(p.axes, func(a axis) bool { return !a.whole() }) {
			return o, false
		}
		switch i {
		case 0:
			o = p
			continue
		case 1:
			apart = p.offset - o.offset
		}
		if p.base != o.base || p.offset-o.offset != i*apart || !slices.Equal(p.axes, o.axes) {
			return o, false
		}
	}
	o.axes = slices.Insert(o.axes, at, axis{len(n.inputs), apart, 0, len(n.inputs)})
	return o, len(n.inputs) > 1 && apart > 0 && len(o.simple().axes) <= mostAxes
}

// seen is what an elementwise operation that returns numbers of the dimensions to sees of v.
func (v *value) seen(to []int) operand {
	o := place(v)
	if size(to) != v.size() {
		split, fits := o.as(v.dims)
		if !fits {
			split = lying(v)
		}
		o = split.over(v.dims, to)
	}
	if o = o.simple(); len(o.axes) > mostAxes {
		return lying(v).over(v.dims, to).simple()
	}
	return o
}

// over repeats an operand of the dimensions from along axes of length one, and before the first one, until it has the dimensions to.
func (o operand) over(from, to []int) operand {
	axes := make([]axis, len(to))
	for i, d := range to {
		axes[i] = axis{length: d, to: d}
		if at := i - (len(to) - len(from)); at >= 0 && from[at] == d {
			axes[i] = o.axes[at]
		}
	}
	return operand{o.base, o.offset, axes}
}

// as splits an operand's axes so that they are dims, where that can be.
func (o operand) as(dims []int) (operand, bool) {
	o = o.simple()
	axes := make([]axis, len(dims))
	at := len(o.axes)
	left, stride := 1, 0
	for i := len(dims) - 1; i >= 0; i-- {
		d := dims[i]
		if d == 1 {
			axes[i] = axis{length: 1, to: 1}
			continue
		}
		for left == 1 {
			if at--; at < 0 {
				return operand{}, false
			}
			if a := o.axes[at]; a.whole() {
				left, stride = a.length, a.stride
			} else if a.length == d {
				axes[i] = a
				break
			} else {
				return operand{}, false
			}
		}
		if axes[i].length > 0 {
			continue
		}
		if left%d != 0 {
			return operand{}, false
		}
		axes[i] = axis{d, stride, 0, d}
		left, stride = left/d, stride*d
	}
	for at--; at >= 0; at-- {
		if o.axes[at].length != 1 || !o.axes[at].whole() {
			return operand{}, false
		}
	}
	return operand{o.base, o.offset, axes}, left == 1
}

// simple leaves out axes of length one and makes one axis of neighbours that go on like each other: a whole tensor as it lies has one axis
// of stride 1, and a single number that is repeated one of stride 0.
func (o operand) simple() operand {
	var axes []axis
	for _, a := range o.axes {
		if a.length == 1 && a.whole() {
			continue
		}
		if last := len(axes) - 1; last >= 0 && axes[last].whole() && a.whole() && axes[last].stride == a.stride*a.length {
			length := axes[last].length * a.length
			axes[last] = axis{length, a.stride, 0, length}
			continue
		}
		axes = append(axes, a)
	}
	return operand{o.base, o.offset, axes}
}

// aRow tells whether an operand, made simple, is a number a row of so many columns, of its base as it lies.
func (o operand) aRow() (columns int, is bool) {
	if o.offset != 0 || len(o.axes) != 2 || o.axes[1].stride != 0 || !o.axes[1].whole() {
		return 0, false
	}
	return o.axes[1].length, o.axes[0] == axis{o.base.size(), 1, 0, o.base.size()}
}

// contiguous tells whether an operand, made simple, is its base as it lies.
func (o operand) contiguous() bool {
	if o.offset != 0 || len(o.axes) > 1 {
		return false
	}
	return len(o.axes) == 0 && o.base.size() == 1 || len(o.axes) == 1 && o.axes[0] == axis{o.base.size(), 1, 0, o.base.size()}
}

func (o operand) equal(p operand) bool {
	return o.base == p.base && o.offset == p.offset && slices.Equal(o.axes, p.axes)
}
