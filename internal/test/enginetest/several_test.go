package enginetest

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/distributed"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/must"
)

// A program over two devices is the one that it stands for: parts are put together in order, and each device has all of the results. Parts
// that should be the same and are not, buffers of another device, and results without a layout are errors.
func TestSeveral(t *testing.T) {
	pure := PureGo(t)
	engine := &Several{Backend: pure, Devices: 2}
	mesh := must.Get(distributed.NewDeviceMesh([]int{2}, []string{"rows"}))(t)
	whole := distributed.NewReplicatedShardingSpec(mesh)
	divided := must.Get(distributed.NewShardingSpec(mesh, distributed.AxisSpec{"rows"}))(t)
	called := func(exec *Exec, args ...any) ([][]float32, error) {
		results, err := exec.Call(args...)
		var all [][]float32
		for i, x := range results {
			if device, err := x.Device(); err != nil || int(device) != i {
				t.Errorf("result %d is on device %d: %v", i, device, err)
			}
			all = append(all, tensors.MustCopyFlatData[float32](x))
		}
		return all, err
	}
	scaled := func() *Exec {
		exec := MustNewExec(engine, func(x, by *Node) *Node { return Mul(x, by) })
		return exec.AutoSharding(mesh).WithInputShardingSpecs(divided, whole)
	}
	times := scaled().WithOutputShardingSpecs(whole)
	got := must.Get(called(times, []float32{1, 2}, float32(10), []float32{3, 4}, float32(10)))(t)
	if want := []float32{10, 20, 30, 40}; len(got) != 2 || !slices.Equal(got[0], want) || !slices.Equal(got[1], want) {
		t.Errorf("got %v, want %v on both", got, want)
	}
	must.Fail(t, must.Err(called(times, []float32{1, 2}, float32(10), []float32{3, 4}, float32(11))), "is another one on device 1",
		"copies that differ")
	must.Fail(t, must.Err(called(scaled(), []float32{1, 2}, float32(10), []float32{3, 4}, float32(10))), "has no layout",
		"a result without a layout")
	if _, err := engine.BufferFromFlatData(2, []float32{1}, tensors.FromValue([]float32{1}).Shape()); err == nil {
		t.Error("a third device took a buffer")
	}
}
