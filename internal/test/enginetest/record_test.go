package enginetest

import (
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
)

// A graph is lowered to StableHLO as for a GPU; that nothing can be run is an error.
func TestRecord(t *testing.T) {
	r := Record(t)
	if !r.Capabilities().Operations[compute.OpTypeFusedScaledDotProductAttention] {
		t.Error("the plugin is not taken for CUDA's, which has fused attention")
	}
	product := graph.MustNewExec1(r, func(a, b *graph.Node) *graph.Node { return graph.MatMul(a, b) })
	must.Get(product.Compile(shapes.Make(dtypes.BFloat16, 2, 3), shapes.Make(dtypes.BFloat16, 3, 5)))(t)
	programs := r.Programs(t)
	if len(programs) != 1 || !strings.Contains(programs[0], `"stablehlo.dot_general"`) ||
		!strings.Contains(programs[0], "tensor<2x5xbf16>") {
		t.Errorf("got the programs %q, want one with a product", programs)
	}
	if again := r.Programs(t); len(again) != 0 {
		t.Errorf("got %d programs again", len(again))
	}
	if _, err := product.Call1([][]float32{{1}}, [][]float32{{1}}); err == nil {
		t.Error("a program ran")
	}
}

// Products in float32 are exact only where TF32 is turned off.
func TestPrecisionOnCUDA(t *testing.T) {
	for options, precision := range map[string]string{"": "DEFAULT", ",tf32=false": "HIGHEST"} {
		r := record(t, options)
		product := graph.MustNewExec1(r, func(a, b *graph.Node) *graph.Node { return graph.MatMul(a, b) })
		must.Get(product.Compile(shapes.Make(dtypes.Float32, 2, 3), shapes.Make(dtypes.Float32, 3, 5)))(t)
		if program := r.Programs(t)[0]; !strings.Contains(program, "#stablehlo<precision "+precision+">") {
			t.Errorf("with the options %q the product is not of precision %s:\n%s", options, precision, program)
		}
	}
}
