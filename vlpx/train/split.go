package train

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
)

// split is how a step lies on several devices of an engine: each has an equal part of the mini-batch, or of a chunk of it, and all
// variables. The programs are those of one device, and the engine divides their work (GoMLX's AutoSharding): contrasts see the embeddings
// of all pairs, which the engine gathers, and losses and gradients are those of the whole mini-batch.
type split struct {
	backend compute.Backend
	store   *model.Store
	mesh    *distributed.DeviceMesh
	devices []compute.DeviceNum
	whole   *distributed.ShardingSpec // of what every device has
}

// layout is how a graph's inputs lie on the devices.
type layout struct {
	*split
	shapes []shapes.Shape
	inputs []*distributed.ShardingSpec
}

// batchAxis is the name of the only axis of the devices.
const batchAxis = "batch"

// newSplit prepares a step on the first devices of an engine. The variables that the store has are on all of them.
func newSplit(backend compute.Backend, store *model.Store, c Config) (*split, error) {
	if err := c.splittable(backend); err != nil {
		return nil, err
	}
	mesh, err := distributed.NewDeviceMesh([]int{c.Devices}, []string{batchAxis})
	if err != nil {
		return nil, fmt.Errorf("train: %d devices: %w", c.Devices, err)
	}
	p := &split{backend: backend, store: store, mesh: mesh, whole: distributed.NewReplicatedShardingSpec(mesh)}
	for i := range c.Devices {
		p.devices = append(p.devices, compute.DeviceNum(i))
	}
	// GoMLX v0.28.8 forgets it of this one; see docs/upstream/gomlx-random-sharded.md.
	if state := store.GetVariable("/" + model.RNGStateVariableName); state != nil && state.ShardingSpec() == nil {
		if err := state.SetShardingSpec(p.whole); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	return p, nil
}

// layout lays a graph out that reads inputs of some shapes: those with so many rows, one a pair, are divided.
func (p *split) layout(rows int, of []shapes.Shape) (*layout, error) {
	l := &layout{split: p, shapes: of}
	for _, shape := range of {
		spec := p.whole
		if shape.Rank() > 0 && shape.Dim(0) == rows {
			axes := make([]distributed.AxisSpec, shape.Rank())
			axes[0] = distributed.AxisSpec{batchAxis}
			var err error
			if spec, err = distributed.NewShardingSpec(p.mesh, axes...); err != nil {
				return nil, fmt.Errorf("train: %s on %d devices: %w", shape, len(p.devices), err)
			}
		}
		l.inputs = append(l.inputs, spec)
	}
	return l, nil
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

// over lays the graph out. Results are on every device: what the engine chose by itself might be in parts.
func (l *layout) over(exec *model.Exec) {
	exec.AutoSharding(l.mesh).WithDeviceAssignment(l.devices).WithInputShardingSpecs(l.inputs...).WithOutputShardingSpecs(l.whole)
}

// parts are the shapes that the graph is compiled for: of each device in turn its parts of the inputs.
func (l *layout) parts() (all []shapes.Shape) {
	for range l.devices {
		for k, shape := range l.shapes {
			all = append(all, l.inputs[k].ShardShape(shape))
		}
	}
	return all
}

// run calls the graph on inputs, which stay, and returns the results as the first device has them.
func (l *layout) run(exec *model.Exec, inputs []*tensors.Tensor) ([]*tensors.Tensor, error) {
	parts := make([]*tensors.Tensor, len(inputs)*len(l.devices))
	for k, x := range inputs {
		divided, err := dtensor.ShardTensor(l.inputs[k], x)
		if err != nil {
			return nil, err
		}
		defer framework.Release(divided.Shards())
		for i, part := range divided.Shards() {
			parts[i*len(inputs)+k] = part
		}
	}
	if _, err := exec.Compile(l.parts()...); err != nil {
		return nil, err
	}
	// First values, such as those of moments, are computed on one device: GoMLX would not say how several should have them.
	if err := l.store.InitializeVariables(l.backend, nil); err != nil {
		return nil, err
	}
	results, err := framework.Run(exec, parts...)
	if err != nil {
		return nil, err
	}
	each := len(results) / len(l.devices)
	framework.Release(results[each:])
	return results[:each], nil
}
