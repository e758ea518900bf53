package fusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	onnx "github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"vlpx.internal/internal/test/must"
)

// pooling says what a model of a pool has: the dimensions of its images, and what differs from how package encoder and GoMLX write one.
type pooling struct {
	images, height, width, channels int

	around    float32 // the images
	compare   string  // the operation that chooses
	exchanged bool    // the gradients of the first and the third place of windows along rows
}

// model is one of a pool and the gradient of its images.
func (p pooling) model() *drawing {
	d := &drawing{rand.New(rand.NewPCG(1, 2)), &onnx.ModelProto{Graph: &onnx.GraphProto{}}, map[string]tensor{},
		map[string][]int{}, nil, nil}
	rows, columns := (p.height+1)/2, (p.width+1)/2
	d.input(p.images, p.height, p.width, p.channels)
	d.input(p.images, rows, columns, p.channels)
	images, gradient := d.names[0], d.names[1]
	reshape := func(x string, dims ...int) string { return d.add("Reshape", dims, []string{x, d.constant(dims...)}) }
	pad := func(x string, dims []int, number float32, around ...int) string {
		return d.add("Pad", dims, []string{x, d.constant(around...), d.number(number)})
	}
	places, padded := []int{0, rows, columns}, []int{0, 2 * (rows + 1), 2 * (columns + 1)}
	x := pad(images, []int{p.images, padded[1], padded[2], p.channels}, p.around, 0, 1, 1, 0,
		0, padded[1]-1-p.height, padded[2]-1-p.width, 0)
	var masks [3][2]string // by axis
	for _, axis := range []int{2, 1} {
		dims := d.dims[x]
		to := slices.Clone(dims)
		to[axis] = places[axis]
		x = reshape(x, slices.Concat(dims[:axis], []int{dims[axis] / 2, 2}, dims[axis+1:])...)
		var taps []string
		for i := range 3 {
			taps = append(taps, reshape(d.slice(d.slice(x, axis, i/2, places[axis]), axis+1, i%2, 1), to...))
		}
		x = taps[0]
		for i := range 2 {
			masks[axis][i] = d.add(p.compare, to, []string{taps[i+1], x})
			x = d.add("Where", to, []string{masks[axis][i], taps[i+1], x})
		}
	}
	result := x

	y, zero := gradient, d.number(0)
	for _, axis := range []int{1, 2} {
		dims := d.dims[y]
		none := d.add("Expand", dims, []string{zero, d.constant(dims...)})
		where := func(mask, is, not string) string { return d.add("Where", dims, []string{mask, is, not}) }
		rest := where(masks[axis][1], none, y)
		of := []string{where(masks[axis][0], none, rest), where(masks[axis][0], rest, none), where(masks[axis][1], y, none)}
		if p.exchanged && axis == 2 {
			of[0], of[2] = of[2], of[0]
		}
		long := padded[axis] / 2
		var sum string
		for _, i := range []int{2, 1, 0} {
			part := reshape(of[i], slices.Insert(slices.Clone(dims), axis+1, 1)...)
			beside := make([]int, 10)
			beside[axis], beside[axis+1] = i/2, i%2
			beside[5+axis], beside[5+axis+1] = long-i/2-places[axis], 1-i%2
			to := slices.Insert(slices.Clone(dims), axis+1, 2)
			to[axis] = long
			if part = pad(part, to, 0, beside...); i < 2 {
				part = d.add("Add", to, []string{sum, part})
			}
			sum = part
		}
		dims = slices.Clone(dims)
		dims[axis] = padded[axis]
		y = reshape(sum, dims...)
	}
	y = d.slice(d.slice(y, 1, 1, p.height), 2, 1, p.width)
	for _, name := range []string{result, d.add("Neg", d.dims[y], []string{y})} {
		d.model.Graph.Output = append(d.model.Graph.Output, &onnx.ValueInfoProto{Name: name})
	}
	return d
}

// Choices of windows' largest numbers and what is put back of them become pools, and others do not. Numbers are halves, so that many are
// equal and no order of a sum rounds.
func TestModelJoinsPools(t *testing.T) {
	const least = -math.MaxFloat32
	for _, test := range []struct {
		pooling
		want int // operations
	}{
		{pooling{2, 4, 4, 3, least, "Greater", false}, 2},
		{pooling{1, 5, 6, 16, least, "Greater", false}, 2},
		{pooling{3, 8, 7, 2, least, "Greater", false}, 2},
		{pooling{2, 2, 3, 4, least, "Greater", false}, 2},
		{pooling{2, 4, 4, 3, 0, "Greater", false}, 0},
		{pooling{2, 4, 4, 3, least, "GreaterOrEqual", false}, 0},
		{pooling{2, 4, 4, 3, least, "Greater", true}, 1},
	} {
		d := test.model()
		rewritten := must.Get(Model(must.Get(proto.Marshal(d.model))(t)))(t)
		var model onnx.ModelProto
		must.Do(t, proto.Unmarshal(rewritten, &model))
		got := 0
		for _, n := range model.Graph.Node {
			if n.OpType == poolOp {
				got++
			}
		}
		if nodes := len(model.Graph.Node); got != test.want || got == 2 && nodes != 3 {
			t.Errorf("%+v: %d pools of %d operations, want %d", test.pooling, got, nodes, test.want)
		}
		numbers := interpret(t, &model, d.given)
		for name, v := range interpret(t, d.model, d.given) {
			if !slices.Equal(numbers[name].dims, v.dims) || !slices.Equal(numbers[name].numbers, v.numbers) {
				t.Errorf("%+v: %s has other numbers", test.pooling, name)
			}
		}
	}
}

// runPool computes a program of Pool, a window after another.
func runPool(program []int64, in []tensor) []tensor {
	n := lengths(program)
	height, width, channels := n[2], n[3], n[4]
	out := tensor{dims: n[6:], numbers: make([]float32, size(n[6:]))}
	rows, columns := (height+1)/2, (width+1)/2
	for at := range n[1] * rows * columns * channels {
		channel, column, row, image := at%channels, at/channels%columns, at/channels/columns%rows, at/channels/columns/rows
		largest, where := float32(-math.MaxFloat32), -1
		for y := 2*row - 1; y <= 2*row+1; y++ {
			ofRow, whereOfRow := float32(-math.MaxFloat32), -1
			for x := 2*column - 1; x <= 2*column+1; x++ {
				if y < 0 || x < 0 || y >= height || x >= width {
					continue
				}
				pixel := ((image*height+y)*width+x)*channels + channel
				if number := in[0].numbers[pixel]; x == 2*column-1 || number > ofRow {
					ofRow, whereOfRow = number, pixel
				}
			}
			if y == 2*row-1 || ofRow > largest {
				largest, where = ofRow, whereOfRow
			}
		}
		if n[0] == poolForward {
			out.numbers[at] = largest
		} else if where >= 0 {
			out.numbers[where] += in[1].numbers[at]
		}
	}
	return []tensor{out}
}

// Pool, built with checks of addresses, leaks and undefined behaviour, computes what programs say, by several threads, and refuses wrong
// ones. Where any of its allocations fails that is told, and nothing is left.
func TestPoolSanitised(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 2))
	halves := func(n int) tensor {
		return filled([]int{n}, func([]int) float32 { return float32(d.IntN(5)-2) / 2 })
	}
	var good []request
	for i := range 120 {
		images, height, width, channels := 1+d.IntN(9), 1+d.IntN(9), 1+d.IntN(9), 1+d.IntN(40)
		pixels, results := images*height*width*channels, images*((height+1)/2)*((width+1)/2)*channels
		r := request{in: []tensor{halves(pixels)}, outputs: 1}
		numbers := results
		if i%2 == poolGradient {
			r.in, numbers = append(r.in, halves(results)), pixels
		}
		for _, n := range []int{i % 2, images, height, width, channels, 2, numbers / channels, channels} {
			r.code = append(r.code, int64(n))
		}
		good = append(good, r)
	}
	sanitised(t, standIn(t, "pool"), good, runPool)
}
