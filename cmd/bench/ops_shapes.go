package bench

import "vlpx.internal/vlpx/engine"

// multiplied are the floating-point operations of a product of matrices or a convolution, two for a multiplication with its addition, by
// its shapes; 0 where these do not tell.
func multiplied(o engine.ProfiledOperation) float64 {
	if len(o.Inputs) < 2 || len(o.Outputs) == 0 {
		return 0
	}
	a, w, out := o.Inputs[0], o.Inputs[1], o.Outputs[0]
	switch o.Type {
	case "MatMul", "FusedMatMul", "Gemm": // the first factor is [..., rows, inner], or transposed
		if len(a.Dims) < 2 || len(out.Dims) < 2 {
			return 0
		}
		rows := engine.ProfiledTensor{Dims: append(a.Dims[:len(a.Dims)-2:len(a.Dims)-2], out.Dims[len(out.Dims)-2])}
		return 2 * float64(out.Size()) * float64(a.Size()) / float64(max(rows.Size(), 1))
	case "Conv": // weights are [output channels, ...]
		if len(w.Dims) > 0 {
			return 2 * float64(out.Size()) * float64(w.Size()) / float64(max(w.Dims[0], 1))
		}
	case "ConvTranspose": // weights are [input channels, ...]
		if len(w.Dims) > 0 {
			return 2 * float64(a.Size()) * float64(w.Size()) / float64(max(w.Dims[0], 1))
		}
	case "Convolution": // of engine/fusion: two are matrices [places, output channels] and [patch, output channels], the third are images
		if len(w.Dims) == 2 {
			operations := 2 * float64(w.Size())
			for _, t := range []engine.ProfiledTensor{a, out} {
				if len(t.Dims) == 2 {
					operations *= float64(t.Dims[0])
				}
			}
			return operations
		}
	}
	return 0
}

// moved are the bytes that an operation must read and write, by its shapes. Of what it chooses from it reads no more than it gives, and
// what only gets other dimensions stays where it is.
func moved(o engine.ProfiledOperation) (bytes int) {
	given := 0
	for _, t := range o.Outputs {
		given += t.Size() * width(t.Type)
	}
	switch o.Type {
	case "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity":
		return 0
	}
	for k, t := range o.Inputs {
		read := t.Size() * width(t.Type)
		if k == 0 {
			switch o.Type {
			case "Gather", "GatherElements", "GatherND", "Slice":
				read = min(read, given)
			}
		}
		bytes += read
	}
	return bytes + given
}

// width is how many bytes a number of a type has.
func width(of string) int {
	switch of {
	case "bool", "int8", "uint8":
		return 1
	case "float16", "bfloat16", "int16", "uint16":
		return 2
	case "double", "int64", "uint64":
		return 8
	}
	return 4
}
