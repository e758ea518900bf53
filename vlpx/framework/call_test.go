package framework

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// unwilling is an engine that refuses to compile a number of times.
type unwilling struct {
	compute.Backend
	refusals, tries *int
}

type unwillingBuilder struct {
	compute.Builder
	engine unwilling
}

func (u unwilling) Builder(name string) compute.Builder {
	return unwillingBuilder{u.Backend.Builder(name), u}
}

func (b unwillingBuilder) Compile() (compute.Executable, error) {
	*b.engine.tries++
	if *b.engine.refusals > 0 {
		*b.engine.refusals--
		return nil, errors.New("not today")
	}
	return b.Builder.Compile()
}

// A graph that the engine refuses is compiled once more, whatever the engine says; what is compiled stays compiled.
func TestCallCompilesOnceMore(t *testing.T) {
	on := enginetest.PureGo(t)
	for _, c := range []struct{ refusals, tries int }{{0, 1}, {1, 2}, {2, 2}} {
		refusals, tries := c.refusals, 0
		exec := must.Get(model.NewExec(unwilling{on, &refusals, &tries}, model.NewStore(),
			func(_ *model.Scope, in []*Node) []*Node { return []*Node{MulScalar(in[0], 2)} }))(t)
		defer exec.Finalize()
		out, err := Call(exec, tensors.FromValue([]float32{1, 2}))
		if tries != c.tries {
			t.Errorf("%d refusals: got %d compilations, want %d", c.refusals, tries, c.tries)
		}
		if c.refusals > 1 {
			if err == nil || !strings.Contains(err.Error(), "not today") {
				t.Errorf("%d refusals: got error %v, want the engine's", c.refusals, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d refusals: %v", c.refusals, err)
		}
		if got := tensors.MustCopyFlatData[float32](out[0]); !slices.Equal(got, []float32{2, 4}) {
			t.Errorf("%d refusals: got %v", c.refusals, got)
		}
		if _, err := Call(exec, tensors.FromValue([]float32{3, 4})); err != nil || tries != c.tries {
			t.Errorf("%d refusals: the next call: %d compilations, error %v; want %d", c.refusals, tries, err, c.tries)
		}
	}
}
