package weights

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/must"
)

// decoded is the number of a sign bit, so many bits of exponent and of fraction, by the definition of IEEE 754.
func decoded(bits uint16, exponent, fraction int) float64 {
	sign := 1 - 2*float64(bits>>15)
	e := int(bits>>fraction) & (1<<exponent - 1)
	m := math.Ldexp(float64(bits&(1<<fraction-1)), -fraction)
	bias := 1<<(exponent-1) - 1
	if e == 0 {
		return sign * math.Ldexp(m, 1-bias)
	}
	return sign * math.Ldexp(1+m, e-bias)
}

// Every finite value of 16 bits is the same number in float32 and float64.
func TestAsIsExact(t *testing.T) {
	var halves []float16.Float16
	var brains []bfloat16.BFloat16
	var ofHalves, ofBrains []float64
	for bits := range 1 << 16 {
		if bits := uint16(bits); bits&0x7c00 != 0x7c00 {
			halves, ofHalves = append(halves, float16.FromBits(bits)), append(ofHalves, decoded(bits, 5, 10))
		}
		if bits := uint16(bits); bits&0x7f80 != 0x7f80 {
			brains, ofBrains = append(brains, bfloat16.FromBits(bits)), append(ofBrains, decoded(bits, 8, 7))
		}
	}
	for _, c := range []struct {
		t    *tensors.Tensor
		want []float64
	}{{tensors.FromValue(halves), ofHalves}, {tensors.FromValue(brains), ofBrains}} {
		wide := must.Get(As(c.t, dtypes.Float64))(t)
		if got := tensors.MustCopyFlatData[float64](wide); !slices.Equal(got, c.want) {
			t.Errorf("%s in float64: some values differ", c.t.DType())
		}
		narrow := must.Get(As(c.t, dtypes.Float32))(t)
		for i, got := range tensors.MustCopyFlatData[float32](narrow) {
			if float64(got) != c.want[i] {
				t.Fatalf("%s, value %d: got %v in float32, want %v", c.t.DType(), i, got, c.want[i])
			}
		}
	}
}

func TestFinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for want, spoilt := range map[string]*tensors.Tensor{
		"value 2 is NaN":  tensors.FromValue([][]float64{{0, math.MaxFloat64}, {nan, 1}}),
		"value 0 is -Inf": tensors.FromValue([]float32{float32(-inf), float32(nan)}),
		"value 1 is +Inf": tensors.FromValue([]float16.Float16{float16.FromBits(0x7bff), float16.Inf(1)}),
		"value 3 is NaN":  tensors.FromValue([]bfloat16.BFloat16{0, 1, bfloat16.FromBits(0x7f7f), bfloat16.NaN()}),
	} {
		must.Fail(t, Finite(spoilt), want)
	}
	for _, sound := range []*tensors.Tensor{
		tensors.FromValue([]int64{-1}), tensors.FromValue([]float32{math.MaxFloat32, -math.MaxFloat32}),
		tensors.FromFlatDataAndDimensions([]float64{}, 0, 2),
	} {
		if err := Finite(sound); err != nil {
			t.Errorf("%s: %v", sound.Shape(), err)
		}
	}
}

// A value that is no number is told with its file, tensor and index.
func TestReadRefusesNaN(t *testing.T) {
	path := write(t, map[string]tensor{"norm.weight": {[]int{3}, math.NaN()}})
	for _, want := range []string{path, "tensor norm.weight", "value 0 is NaN"} {
		must.Fail(t, must.Err(Read(path, table)), want)
	}
}
