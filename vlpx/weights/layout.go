package weights

import (
	"fmt"
	"slices"

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
	Learned               // learned tokens [1, tokens, width]; ours are [tokens, width]
	Vector                // one learned token [width]; ours is [1, width]
)

// layouts tells the rank that a layout has, its axes in our order, and how many of these come together as our first.
var layouts = map[Layout]struct {
	axes  []int
	first int
}{
	Linear:  {[]int{1, 0}, 1},
	Patches: {[]int{2, 3, 1, 0}, 3},
	Learned: {[]int{0, 1, 2}, 2},
	Vector:  {[]int{0}, 0},
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
	size := 1
	for _, d := range turned[:how.first] {
		size *= d
	}
	out := tensors.FromShape(shapes.Make(t.DType(), append([]int{size}, turned[how.first:]...)...))
	err := t.ConstBytes(func(from []byte) {
		if err := out.MutableBytes(func(to []byte) { permute(to, from, t.DType().Size(), dims, how.axes) }); err != nil {
			panic(err)
		}
	})
	return out, err
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
