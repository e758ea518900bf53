package weights

import (
	"encoding/binary"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/gomlx/core/tensors"
)

// As returns a tensor of float16, bfloat16, float32 or float64 in float32 or float64, or as it is where it has that type. All but
// float64 in float32 is exact.
func As(t *tensors.Tensor, dtype dtypes.DType) (*tensors.Tensor, error) {
	if t.DType() == dtype {
		return t, nil
	}
	convert, ok := conversions[[2]dtypes.DType{t.DType(), dtype}]
	if !ok {
		return nil, fmt.Errorf("it is of type %s and cannot become %s", t.DType(), dtype)
	}
	return convert(t)
}

// conversions are between a published type and one of ours.
var conversions = map[[2]dtypes.DType]func(*tensors.Tensor) (*tensors.Tensor, error){
	{dtypes.Float16, dtypes.Float32}:  converted(float16.Float16.Float32),
	{dtypes.Float16, dtypes.Float64}:  converted(float16.Float16.Float64),
	{dtypes.BFloat16, dtypes.Float32}: converted(bfloat16.BFloat16.Float32),
	{dtypes.BFloat16, dtypes.Float64}: converted(bfloat16.BFloat16.Float64),
	{dtypes.Float32, dtypes.Float64}:  converted(func(x float32) float64 { return float64(x) }),
	{dtypes.Float64, dtypes.Float32}:  converted(func(x float64) float32 { return float32(x) }),
}

func converted[From float16.Float16 | bfloat16.BFloat16 | float32 | float64, To float32 | float64](
	value func(From) To) func(*tensors.Tensor) (*tensors.Tensor, error) {
	return func(t *tensors.Tensor) (*tensors.Tensor, error) {
		out := make([]To, t.Shape().Size())
		err := tensors.ConstFlatData(t, func(from []From) {
			for i, x := range from {
				out[i] = value(x)
			}
		})
		if err != nil {
			return nil, err
		}
		return tensors.FromFlatDataAndDimensions(out, t.Shape().Dimensions...), nil
	}
}

// exponents are a number's bits, in the two highest of its bytes, that are all set if it is no number or infinite.
var exponents = map[dtypes.DType]uint16{
	dtypes.Float16: 0x7c00, dtypes.BFloat16: 0x7f80, dtypes.Float32: 0x7f80, dtypes.Float64: 0x7ff0,
}

// Finite tells of the first value, by its index in the tensor laid out flat, that is no number or infinite.
func Finite(t *tensors.Tensor) error {
	mask, ok := exponents[t.DType()]
	if !ok {
		return nil
	}
	size, bad, bits := t.DType().Size(), -1, uint16(0)
	err := t.ConstBytes(func(bytes []byte) {
		for end := size; end <= len(bytes) && bad < 0; end += size {
			if bits = binary.LittleEndian.Uint16(bytes[end-2:]); bits&mask == mask {
				bad = end/size - 1
			}
		}
	})
	if err != nil || bad < 0 {
		return err
	}
	wide, err := As(t, dtypes.Float64)
	if err != nil {
		return err
	}
	var value float64
	if err := tensors.ConstFlatData(wide, func(values []float64) { value = values[bad] }); err != nil {
		return err
	}
	return fmt.Errorf("value %d is %v; the checkpoint is of a training that failed, or the file is damaged", bad, value)
}
