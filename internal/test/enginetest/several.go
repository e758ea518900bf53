package enginetest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// Several is an engine of several devices made of another one's first: their memories are apart, and a program that is laid out over them
// is run as the one that it stands for, on what the devices' parts make together. So it means what it does on XLA, and tells nothing of how
// XLA divides the work. It is strict where XLA would do something: what each device is said to have must be the same on all, and results
// need a layout.
type Several struct {
	compute.Backend
	Devices int
}

// NumDevices implements compute.Backend.
func (s *Several) NumDevices() int { return s.Devices }

// HasSharedBuffers implements compute.DataInterface.
func (*Several) HasSharedBuffers() bool { return false }

// BufferFromFlatData implements compute.DataInterface.
func (s *Several) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	if device < 0 || int(device) >= s.Devices {
		return nil, fmt.Errorf("device %d of %d", device, s.Devices)
	}
	b, err := s.Backend.BufferFromFlatData(0, flat, shape)
	if err != nil {
		return nil, err
	}
	return severalBuffer{b, s, device}, nil
}

// Builder implements compute.Backend.
func (s *Several) Builder(name string) compute.Builder {
	return &severalBuilder{Builder: s.Backend.Builder(name), of: s, devices: 1}
}

// severalBuffer is memory of one of the devices.
type severalBuffer struct {
	compute.Buffer
	of     *Several
	device compute.DeviceNum
}

func (b severalBuffer) Backend() compute.Backend { return b.of }

func (b severalBuffer) DeviceNum() (compute.DeviceNum, error) { return b.device, nil }

// CopyToDevice implements compute.Buffer.
func (b severalBuffer) CopyToDevice(device compute.DeviceNum) (compute.Buffer, error) {
	flat, shape, err := numbersOf(b.Buffer)
	if err != nil {
		return nil, err
	}
	return b.of.BufferFromFlatData(device, flat.Interface(), shape)
}

// numbersOf are a copy of those of a buffer, a slice of the type that it has in Go.
func numbersOf(b compute.Buffer) (reflect.Value, shapes.Shape, error) {
	shape, err := b.Shape()
	if err != nil {
		return reflect.Value{}, shape, err
	}
	flat := reflect.MakeSlice(reflect.SliceOf(shape.DType.GoType()), shape.Size(), shape.Size())
	return flat, shape, b.ToFlatData(flat.Interface())
}

// severalBuilder notes how a program is laid out.
type severalBuilder struct {
	compute.Builder
	of         *Several
	main       *severalMain
	devices    int
	in, out    []*compute.ShardingSpec
	bare       bool // a result has no layout
	distribute bool
}

// DistributedAutoSharding implements compute.Builder.
func (b *severalBuilder) DistributedAutoSharding(meshes ...compute.Mesh) error {
	if len(meshes) != 1 || len(meshes[0].AxesSizes) != 1 {
		return fmt.Errorf("%d meshes; only one of one axis is understood", len(meshes))
	}
	if b.devices = meshes[0].AxesSizes[0]; b.devices > b.of.Devices {
		return fmt.Errorf("%d devices of %d", b.devices, b.of.Devices)
	}
	b.distribute = true
	return nil
}

// DeviceAssignment implements compute.Builder.
func (b *severalBuilder) DeviceAssignment(devices ...compute.DeviceNum) error {
	for i, d := range devices {
		if int(d) != i || len(devices) != b.devices {
			return fmt.Errorf("devices %v for a program of %d; only the first in order are understood", devices, b.devices)
		}
	}
	return nil
}

// Main implements compute.Builder.
func (b *severalBuilder) Main() compute.Function {
	if b.main == nil {
		b.main = &severalMain{b.Builder.Main(), b}
	}
	return b.main
}

// Compile implements compute.Builder.
func (b *severalBuilder) Compile() (compute.Executable, error) {
	if b.bare {
		return nil, fmt.Errorf("a result of a program for %d devices has no layout", b.devices)
	}
	e, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	return severalExecutable{e, *b}, nil
}

type severalMain struct {
	compute.Function
	of *severalBuilder
}

func (m *severalMain) Parameter(name string, shape shapes.Shape, sharding *compute.ShardingSpec) (compute.Value, error) {
	if m.of.distribute && sharding == nil {
		return nil, fmt.Errorf("parameter %s has no layout", name)
	}
	m.of.in = append(m.of.in, sharding)
	return m.Function.Parameter(name, shape, nil)
}

func (m *severalMain) Return(outputs []compute.Value, shardings []*compute.ShardingSpec) error {
	m.of.out, m.of.bare = shardings, m.of.distribute && (len(shardings) != len(outputs) || slices.Contains(shardings, nil))
	return m.Function.Return(outputs, nil)
}

type severalExecutable struct {
	compute.Executable
	program severalBuilder
}

// Execute implements compute.Executable.
func (e severalExecutable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
	p, of := e.program, e.program.of
	if !p.distribute {
		inner := make([]compute.Buffer, len(inputs))
		for i, b := range inputs {
			if got := b.(severalBuffer).device; got != device {
				return nil, fmt.Errorf("parameter %d is on device %d, the program on %d", i, got, device)
			}
			inner[i] = b.(severalBuffer).Buffer
		}
		results, err := e.Executable.Execute(inner, donate, 0)
		for i, b := range results {
			results[i] = severalBuffer{b, of, device}
		}
		return results, err
	}
	if len(inputs) != len(p.in)*p.devices {
		return nil, fmt.Errorf("%d buffers for %d parameters on %d devices", len(inputs), len(p.in), p.devices)
	}
	whole, free := make([]compute.Buffer, len(p.in)), make([]bool, len(p.in))
	for k, spec := range p.in {
		var parts []severalBuffer
		for d := range p.devices {
			b := inputs[d*len(p.in)+k].(severalBuffer)
			if int(b.device) != d {
				return nil, fmt.Errorf("parameter %d of device %d is on device %d", k, d, b.device)
			}
			parts = append(parts, b)
		}
		var err error
		if whole[k], err = together(parts, spec); err != nil {
			return nil, fmt.Errorf("parameter %d: %w", k, err)
		}
		free[k] = true
		for d, b := range parts {
			if len(donate) > 0 && donate[d*len(p.in)+k] {
				if err := b.Buffer.Finalize(); err != nil {
					return nil, err
				}
			}
		}
	}
	results, err := e.Executable.Execute(whole, free, 0)
	if err != nil {
		return nil, err
	}
	all := make([]compute.Buffer, len(results)*p.devices)
	for k, b := range results {
		if divides(p.out[k]) {
			return nil, fmt.Errorf("result %d is in parts; only whole ones are understood", k)
		}
		for d := range p.devices {
			if all[d*len(results)+k], err = (severalBuffer{b, of, 0}).CopyToDevice(compute.DeviceNum(d)); err != nil {
				return nil, err
			}
		}
		if err := b.Finalize(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// divides tells whether the first axis is in parts, one a device.
func divides(spec *compute.ShardingSpec) bool { return len(spec.Axes) > 0 && len(spec.Axes[0]) > 0 }

// together is what the devices' parts stand for, on the engine beneath.
func together(parts []severalBuffer, spec *compute.ShardingSpec) (compute.Buffer, error) {
	flat, shape, err := numbersOf(parts[0].Buffer)
	if err != nil {
		return nil, err
	}
	for _, part := range parts[1:] {
		more, _, err := numbersOf(part.Buffer)
		switch {
		case err != nil:
			return nil, err
		case divides(spec):
			flat = reflect.AppendSlice(flat, more)
		case !reflect.DeepEqual(flat.Interface(), more.Interface()):
			return nil, fmt.Errorf("%s is another one on device %d than on the first", shape, part.device)
		}
	}
	if divides(spec) {
		shape = shape.Clone()
		shape.Dimensions[0] *= len(parts)
	}
	return parts[0].of.Backend.BufferFromFlatData(0, flat.Interface(), shape)
}
