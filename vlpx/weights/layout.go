package weights

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// Layout is how PyTorch lays out a tensor that we lay out otherwise.
type Layout int

// Layouts of published tensors.
const (
	Same    Layout = iota // as ours
	Linear                // a matrix [out, in]; ours is [in, out]
	Patches               // a convolution [out, channels, height, width]; ours is [height*width*channels, out]
	Kernels               // kernels of a convolution [out, in, height, width]; ours are [height, width, in, out]
	Learned               // learned tokens [1, tokens, width]; ours are [tokens, width]
	Vector                // one learned token [width]; ours is [1, width]
	Counted               // the numbers of our rows from 0 on, [1, rows], of type int64; only written
)

// layouts tells the rank that a layout has, its axes in our order, how many of these come together as our first, and how a first of a
// size comes apart.
var layouts = map[Layout]struct {
	axes  []int
	first int
	apart func(size int) []int
}{
	Linear:  {[]int{1, 0}, 1, func(size int) []int { return []int{size} }},
	Patches: {[]int{2, 3, 1, 0}, 3, func(size int) []int { return []int{side(size / 3), side(size / 3), 3} }},
	Kernels: {[]int{2, 3, 1, 0}, 1, func(size int) []int { return []int{size} }},
	Learned: {[]int{0, 1, 2}, 2, func(size int) []int { return []int{1, size} }},
	Vector:  {[]int{0}, 0, func(int) []int { return nil }},
}

// ours returns a tensor in our layout.
func (l Layout) ours(t *tensors.Tensor) (*tensors.Tensor, error) {
	how, differs := layouts[l]
	if !differs {
		return t, nil
	}
	dims := t.Shape().Dimensions
	if len(dims) != len(how.axes) {
		return nil, fmt.Errorf("it has the shape %v, of %d axes; want %d", dims, len(dims), len(how.axes))
	}
	var turned []int
	for _, axis := range how.axes {
		turned = append(turned, dims[axis])
	}
	return permuted(t, dims, how.axes, append([]int{product(turned[:how.first])}, turned[how.first:]...))
}

// theirs returns a tensor of ours in the published layout.
func (l Layout) theirs(t *tensors.Tensor) (*tensors.Tensor, error) {
	dims := t.Shape().Dimensions
	if l == Counted {
		return rowNumbers(dims)
	}
	how, differs := layouts[l]
	if !differs {
		return t, nil
	}
	if want := 1 + len(how.axes) - how.first; len(dims) != want {
		return nil, fmt.Errorf("it has the shape %v, of %d axes; want %d", dims, len(dims), want)
	}
	first := how.apart(dims[0])
	if product(first) != dims[0] {
		return nil, fmt.Errorf("it has the shape %v, whose first axis is not one of square patches of three channels", dims)
	}
	turned := append(first, dims[1:]...)
	back, published := make([]int, len(turned)), make([]int, len(turned))
	for i, axis := range how.axes {
		back[axis], published[axis] = i, turned[i]
	}
	return permuted(t, turned, back, published)
}

// rowNumbers numbers the rows of a shape.
func rowNumbers(dims []int) (*tensors.Tensor, error) {
	if len(dims) == 0 {
		return nil, fmt.Errorf("it is a scalar and has no rows to number")
	}
	out := tensors.FromShape(shapes.Make(dtypes.Int64, 1, dims[0]))
	return out, tensors.MutableFlatData(out, func(numbers []int64) {
		for i := range numbers {
			numbers[i] = int64(i)
		}
	})
}

// permuted takes a tensor to have dims and returns it with its axes in another order, with the given shape.
func permuted(t *tensors.Tensor, dims, axes, shape []int) (*tensors.Tensor, error) {
	out := tensors.FromShape(shapes.Make(t.DType(), shape...))
	err := t.ConstBytes(func(from []byte) {
		if err := out.MutableBytes(func(to []byte) { permute(to, from, t.DType().Size(), dims, axes) }); err != nil {
			panic(err)
		}
	})
	return out, err
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// permute copies an array of elements of so many bytes, with axes in another order.
func permute(to, from []byte, bytes int, dims, axes []int) {
	strides := make([]int, len(dims)) // in elements
	for axis, stride := len(dims)-1, 1; axis >= 0; axis-- {
		strides[axis] = stride
		stride *= dims[axis]
	}
	position := make([]int, len(axes))
	for at := 0; at < len(to); at += bytes {
		source := 0
		for i, axis := range axes {
			source += position[i] * strides[axis]
		}
		copy(to[at:at+bytes], from[source*bytes:])
		for i := len(axes) - 1; i >= 0; i-- {
			if position[i]++; position[i] < dims[axes[i]] {
				break
			}
			position[i] = 0
		}
	}
}

// sideBySide joins tensors along their last axis.
func sideBySide(parts []*tensors.Tensor) (*tensors.Tensor, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	dims, width := slices.Clone(parts[0].Shape().Dimensions), 0
	last := len(dims) - 1
	for _, p := range parts {
		d := p.Shape().Dimensions
		if len(d) != len(dims) || last < 0 || !slices.Equal(d[:last], dims[:last]) || p.DType() != parts[0].DType() {
			return nil, fmt.Errorf("its parts %s and %s do not stand side by side", parts[0].Shape(), p.Shape())
		}
		width += d[last]
	}
	dims[last] = width
	out := tensors.FromShape(shapes.Make(parts[0].DType(), dims...))
	row, begin := width*parts[0].DType().Size(), 0
	for _, p := range parts {
		bytes := p.Shape().Dim(last) * p.DType().Size()
		err := p.ConstBytes(func(from []byte) {
			if err := out.MutableBytes(func(to []byte) {
				for at, r := 0, 0; at < len(from); at, r = at+bytes, r+1 {
					copy(to[r*row+begin:], from[at:at+bytes])
				}
			}); err != nil {
				panic(err)
			}
		})
		if err != nil {
			return nil, err
		}
		begin += bytes
	}
	return out, nil
}

// apart takes a tensor apart along its last axis, into so many equal ones: what sideBySide joins.
func apart(t *tensors.Tensor, parts int) ([]*tensors.Tensor, error) {
	if parts == 1 {
		return []*tensors.Tensor{t}, nil
	}
	dims := slices.Clone(t.Shape().Dimensions)
	last := len(dims) - 1
	if last < 0 || dims[last]%parts != 0 {
		return nil, fmt.Errorf("it is %s, which is not %d parts side by side", t.Shape(), parts)
	}
	dims[last] /= parts
	row := dims[last] * t.DType().Size()
	var all []*tensors.Tensor
	for k := range parts {
		part := tensors.FromShape(shapes.Make(t.DType(), dims...))
		err := t.ConstBytes(func(from []byte) {
			if err := part.MutableBytes(func(to []byte) {
				for at := 0; at < len(to); at += row {
					copy(to[at:at+row], from[at*parts+k*row:])
				}
			}); err != nil {
				panic(err)
			}
		})
		if err != nil {
			return nil, err
		}
		all = append(all, part)
	}
	return all, nil
}
