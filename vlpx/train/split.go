package train

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
)

// split is how a step lies on several devices of an engine: each has an equal part of the mini-batch, and all variables. The program is
// that of one device, and the engine divides its work (GoMLX's AutoSharding): contrasts see the embeddings of all pairs, which the engine
// gathers, and losses and gradients are those of the whole mini-batch.
type split struct {
	mesh    *distributed.DeviceMesh
	devices []compute.DeviceNum
	inputs  []*distributed.ShardingSpec // of the fields of Step.inputs
	whole   *distributed.ShardingSpec   // of what every device has
}

// batchAxis is the name of the only axis of the devices.
const batchAxis = "batch"

// newSplit prepares a step on the first devices of an engine. The variables that the store has are on all of them.
func newSplit(backend compute.Backend, store *model.Store, c Config, inputs []field.Field) (*split, error) {
	if err := c.splittable(backend); err != nil {
		return nil, err
	}
	mesh, err := distributed.NewDeviceMesh([]int{c.Devices}, []string{batchAxis})
	if err != nil {
		return nil, fmt.Errorf("train: %d devices: %w", c.Devices, err)
	}
	p := &split{mesh: mesh, whole: distributed.NewReplicatedShardingSpec(mesh)}
	for i := range c.Devices {
		p.devices = append(p.devices, compute.DeviceNum(i))
	}
	for _, f := range inputs {
		spec := p.whole
		if f.Shape.Rank() > 0 && f.Shape.Dim(0) == c.BatchSize {
			axes := make([]distributed.AxisSpec, f.Shape.Rank())
			axes[0] = distributed.AxisSpec{batchAxis}
			if spec, err = distributed.NewShardingSpec(mesh, axes...); err != nil {
				return nil, fmt.Errorf("train: %s on %d devices: %w", f.Name, c.Devices, err)
			}
		}
		p.inputs = append(p.inputs, spec)
	}
	// GoMLX v0.28.8 forgets it of this one; see docs/upstream/gomlx-random-sharded.md.
	if state := store.GetVariable("/" + model.RNGStateVariableName); state != nil && state.ShardingSpec() == nil {
		if err := state.SetShardingSpec(p.whole); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	return p, nil
}

// splittable says why an engine cannot have the mini-batch on as many devices.
func (c Config) splittable(backend compute.Backend) error {
	if c.Devices < 2 {
		return nil
	}
	if has := backend.NumDevices(); has < c.Devices {
		return fmt.Errorf("train: devices=%d, and %s has %d; set devices=%[3]d, or use an engine that has as many, "+
			"such as XLA on a machine with %[1]d GPUs",
			c.Devices, backend.Name(), has)
	}
	mesh := compute.Mesh{Name: distributed.DefaultMeshName, AxesSizes: []int{c.Devices}, AxesNames: []string{batchAxis}}
	if err := backend.Builder("devices").DistributedAutoSharding(mesh); err != nil {
		return fmt.Errorf("train: %s cannot divide a step among devices: %w; set devices=1, or use XLA", backend.Name(), err)
	}
	return nil
}

// over lays a step out. Results are on every device: what the engine chose by itself might be in parts.
func (p *split) over(exec *model.Exec) {
	exec.AutoSharding(p.mesh).WithDeviceAssignment(p.devices).WithInputShardingSpecs(p.inputs...).WithOutputShardingSpecs(p.whole)
}

// shapes are those that a step is compiled for, of the fields that it reads: of each device in turn its parts.
func (p *split) shapes(inputs []field.Field) (all []shapes.Shape) {
	for range p.devices {
		for k, f := range inputs {
			all = append(all, p.inputs[k].ShardShape(f.Shape))
		}
	}
	return all
}

// run calls a step on the fields of a mini-batch, which stay, and returns the results as the first device has them.
func (p *split) run(s *Step, exec *model.Exec, inputs []*tensors.Tensor) ([]*tensors.Tensor, error) {
	parts := make([]*tensors.Tensor, len(inputs)*len(p.devices))
	for k, x := range inputs {
		divided, err := dtensor.ShardTensor(p.inputs[k], x)
		if err != nil {
			return nil, err
		}
		defer framework.Release(divided.Shards())
		for i, part := range divided.Shards() {
			parts[i*len(inputs)+k] = part
		}
	}
	if _, err := exec.Compile(p.shapes(s.inputs)...); err != nil {
		return nil, err
	}
	// First values, such as those of moments, are computed on one device: GoMLX would not say how several should have them.
	if err := s.store.InitializeVariables(s.backend, nil); err != nil {
		return nil, err
	}
	results, err := framework.Run(exec, parts...)
	if err != nil {
		return nil, err
	}
	each := len(results) / len(p.devices)
	framework.Release(results[each:])
	return results[:each], nil
}
