package fusion

import (
	"math/rand/v2"
	"slices"
	"testing"

	onnx "github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"vlpx.internal/internal/test/must"
)

// convolved is a model of a convolution and its gradients as package encoder and GoMLX write them: patches along the rows and then down,
// products, and patches put back.
func convolved(c convolution) *drawing {
	d := &drawing{rand.New(rand.NewPCG(1, 2)), &onnx.ModelProto{Graph: &onnx.GraphProto{}}, map[string]tensor{},
		map[string][]int{}, nil, nil}
	d.input(c.images, c.height, c.width, c.in)
	patch := c.size * c.size * c.in
	d.input(patch, c.out)
	d.input(c.images*c.rows()*c.columns(), c.out)
	images, kernels, gradient := d.names[0], d.names[1], d.names[2]
	reshape := func(x string, dims ...int) string { return d.add("Reshape", dims, []string{x, d.constant(dims...)}) }
	pad := func(x string, dims []int, around ...int) string {
		return d.add("Pad", dims, []string{x, d.constant(around...), d.number(0)})
	}
	around := func(length, places int) int {
		whole := max(places+(c.size-1)/c.stride, (c.before()+length+c.stride-1)/c.stride)
		return whole * c.stride
	}
	c.padded = [2]int{around(c.height, c.rows()), around(c.width, c.columns())}
	padded := []int{c.images, c.padded[0], c.padded[1], c.in}
	x := pad(images, padded, 0, c.before(), c.before(), 0,
		0, c.padded[0]-c.before()-c.height, c.padded[1]-c.before()-c.width, 0)
	places := []int{c.images, c.rows(), c.columns()}
	for _, axis := range []int{2, 1} {
		dims := d.dims[x]
		to := slices.Clone(dims)
		to[axis] = places[axis]
		x = reshape(x, slices.Concat(dims[:axis], []int{dims[axis] / c.stride, c.stride}, dims[axis+1:])...)
		var taps []string
		for i := range c.size {
			taps = append(taps, reshape(d.slice(d.slice(x, axis, i/c.stride, places[axis]), axis+1, i%c.stride, 1), to...))
		}
		if x = taps[0]; c.size == 1 {
			continue
		}
		to = slices.Clone(to)
		to[3] *= c.size
		x = d.add("Concat", to, taps, &onnx.AttributeProto{Name: "axis", Type: onnx.AttributeProto_INT, I: 3})
	}
	rows := size(places)
	patches := reshape(x, rows, patch)
	turn := func(x string) string {
		return d.add("Transpose", []int{d.dims[x][1], d.dims[x][0]}, []string{x}, list("perm", 1, 0))
	}
	result := d.add("MatMul", []int{rows, c.out}, []string{patches, kernels})
	weights := turn(d.add("MatMul", []int{c.out, patch}, []string{turn(gradient), patches}))

	x = reshape(d.add("MatMul", []int{rows, patch}, []string{gradient, turn(kernels)}), slices.Concat(places, []int{patch})...)
	for _, axis := range []int{1, 2} {
		dims := slices.Clone(d.dims[x])
		dims[3] /= c.size
		long := c.padded[axis-1] / c.stride
		var sum string
		for i := range c.size {
			apart := slices.Insert(slices.Clone(dims), axis+1, 1)
			part := reshape(d.slice(x, 3, i*dims[3], dims[3]), apart...)
			beside := make([]int, 10)
			beside[axis], beside[axis+1] = i/c.stride, i%c.stride
			beside[5+axis], beside[5+axis+1] = long-i/c.stride-places[axis], c.stride-1-i%c.stride
			apart = slices.Clone(apart)
			apart[axis], apart[axis+1] = long, c.stride
			part = pad(part, apart, beside...)
			if i > 0 {
				part = d.add("Add", apart, []string{sum, part})
			}
			sum = part
		}
		dims[axis] = c.padded[axis-1]
		x = reshape(sum, dims...)
	}
	x = d.slice(d.slice(x, 1, c.before(), c.height), 2, c.before(), c.width)
	for _, name := range []string{result, weights, d.add("Neg", d.dims[x], []string{x})} {
		d.model.Graph.Output = append(d.model.Graph.Output, &onnx.ValueInfoProto{Name: name})
	}
	return d
}

// Products of patches and what is put back of them become convolutions where numbers of channels are vectors. Sums are of halves, so that
// no order rounds.
func TestModelJoinsConvolutions(t *testing.T) {
	for _, test := range []struct {
		c    convolution
		want []convolving
	}{
		{convolution{images: 2, height: 4, width: 4, in: 16, out: 16, size: 3, stride: 1}, []convolving{forward, weightsGradient, inputGradient}},
		{convolution{images: 2, height: 5, width: 6, in: 16, out: 32, size: 3, stride: 2}, []convolving{forward, weightsGradient, inputGradient}},
		{convolution{images: 1, height: 1, width: 3, in: 32, out: 16, size: 5, stride: 1}, []convolving{forward, weightsGradient, inputGradient}},
		{convolution{images: 3, height: 2, width: 2, in: 16, out: 16, size: 3, stride: 2}, []convolving{forward, weightsGradient, inputGradient}},
		{convolution{images: 2, height: 9, width: 8, in: 3, out: 16, size: 7, stride: 2}, []convolving{forward, weightsGradient}},
		{convolution{images: 2, height: 4, width: 4, in: 16, out: 16, size: 1, stride: 2}, []convolving{forward, weightsGradient}},
		{convolution{images: 2, height: 4, width: 4, in: 16, out: 8, size: 3, stride: 1}, nil},
	} {
		d := convolved(test.c)
		rewritten := must.Get(Model(must.Get(proto.Marshal(d.model))(t)))(t)
		var model onnx.ModelProto
		must.Do(t, proto.Unmarshal(rewritten, &model))
		var got []convolving
		for _, n := range model.Graph.Node {
			if n.OpType == convolutionOp {
				got = append(got, convolving(n.Attribute[0].Ints[0]))
			}
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(test.want))
		if !slices.Equal(got, want) {
			t.Errorf("%+v: convolutions of kinds %v, want %v", test.c, got, want)
		}
		if nodes := len(model.Graph.Node); len(want) == 3 && nodes != 4 {
			t.Errorf("%+v: %d operations are left, want 3 and a negation", test.c, nodes)
		}
		numbers := interpret(t, &model, d.given)
		for name, v := range interpret(t, d.model, d.given) {
			if !slices.Equal(numbers[name].dims, v.dims) || !slices.Equal(numbers[name].numbers, v.numbers) {
				t.Errorf("%+v: %s has other numbers", test.c, name)
			}
		}
	}
}

// convolve computes a program of Convolution number by number.
func convolve(program []int64, in []tensor) []tensor {
	n := lengths(program)
	c := convolution{images: n[1], height: n[2], width: n[3], in: n[4], out: n[5], size: n[6], stride: n[7]}
	out := tensor{dims: n[9:], numbers: make([]float32, size(n[9:]))}
	what := convolving(n[0])
	for place := range c.images * c.rows() * c.columns() {
		image, row, column := place/c.columns()/c.rows(), place/c.columns()%c.rows(), place%c.columns()
		for at := range c.size * c.size * c.in {
			y, x := row*c.stride+at/c.in/c.size-c.before(), column*c.stride+at/c.in%c.size-c.before()
			if y < 0 || x < 0 || y >= c.height || x >= c.width {
				continue
			}
			pixel := ((image*c.height+y)*c.width+x)*c.in + at%c.in
			for o := range c.out {
				kernel, result := at*c.out+o, place*c.out+o
				switch what {
				case forward:
					out.numbers[result] += in[0].numbers[pixel] * in[1].numbers[kernel]
				case inputGradient:
					out.numbers[pixel] += in[0].numbers[result] * in[1].numbers[kernel]
				case weightsGradient:
					out.numbers[kernel] += in[0].numbers[pixel] * in[1].numbers[result]
				}
			}
		}
	}
	return []tensor{out}
}

// Convolution, built with checks of addresses, leaks and undefined behaviour, computes what programs say, by tiles of all kinds and by
// several threads, and refuses wrong ones. Where any of its allocations fails, in a call as well, that is told and nothing is left.
func TestConvolutionSanitised(t *testing.T) {
	program := standIn(t, "convolution")
	d := rand.New(rand.NewPCG(1, 2))
	halves := func(n int) tensor {
		return filled([]int{n}, func([]int) float32 { return float32(d.IntN(5)-2) / 2 })
	}
	var all []request
	for range 40 {
		c := convolution{images: 1 + d.IntN(9), height: 1 + d.IntN(8), width: 1 + d.IntN(8), in: 16 * (1 + d.IntN(3)),
			out: 16 * (1 + d.IntN(4)), size: 1 + 2*d.IntN(3), stride: 1 + d.IntN(3)}
		what := convolving(d.IntN(3))
		if what != inputGradient && d.IntN(2) == 0 {
			c.in = 1 + d.IntN(20)
		}
		images, kernels, results := c.images*c.height*c.width*c.in, c.size*c.size*c.in*c.out, c.images*c.rows()*c.columns()*c.out
		numbers := [][3]int{{images, kernels, results}, {results, kernels, images}, {images, results, kernels}}[what]
		code := []int64{int64(what)}
		for _, n := range []int{c.images, c.height, c.width, c.in, c.out, c.size, c.stride, 2, numbers[2] / 4, 4} {
			code = append(code, int64(n))
		}
		all = append(all, request{code: code, in: []tensor{halves(numbers[0]), halves(numbers[1])}, outputs: 1})
	}
	good := len(all)
	for _, r := range all[:good] {
		for range 20 {
			all = append(all, r.mistaken(d))
		}
	}
	refused := 0
	for i, got := range answers(t, program, all) {
		switch {
		case got == nil && i < good:
			t.Errorf("program %v is refused", all[i].code)
		case got == nil:
			refused++
		case !slices.Equal(got[0], convolve(all[i].code, all[i].in)[0].numbers):
			t.Errorf("program %v gives other numbers than it says", all[i].code)
		}
	}
	if refused < good*10 {
		t.Errorf("%d of %d changed programs are refused", refused, len(all)-good)
	}
}
