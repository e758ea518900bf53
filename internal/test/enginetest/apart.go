package enginetest

import (
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
)

// Apart is an engine whose memory is apart from the host's, as a GPU's is, made of another one: it notes what crosses between the two.
type Apart struct {
	compute.Backend
	mutex    sync.Mutex
	up, down []shapes.Shape
}

// Crossed returns the shapes of what went to the engine and of what came back since it was asked last, in order.
func (a *Apart) Crossed() (up, down []shapes.Shape) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	up, down, a.up, a.down = a.up, a.down, nil, nil
	return up, down
}

// HasSharedBuffers implements compute.DataInterface.
func (*Apart) HasSharedBuffers() bool { return false }

// BufferFromFlatData implements compute.DataInterface.
func (a *Apart) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	a.mutex.Lock()
	a.up = append(a.up, shape)
	a.mutex.Unlock()
	b, err := a.Backend.BufferFromFlatData(device, flat, shape)
	return apartBuffer{b, a}, err
}

// Builder implements compute.Backend.
func (a *Apart) Builder(name string) compute.Builder { return apartBuilder{a.Backend.Builder(name), a} }

// apartBuffer is memory of the engine.
type apartBuffer struct {
	compute.Buffer
	of *Apart
}

func (b apartBuffer) Backend() compute.Backend { return b.of }

func (b apartBuffer) ToFlatData(flat any) error {
	shape, err := b.Shape()
	b.of.mutex.Lock()
	b.of.down = append(b.of.down, shape)
	b.of.mutex.Unlock()
	if err != nil {
		return err
	}
	return b.Buffer.ToFlatData(flat)
}

type apartBuilder struct {
	compute.Builder
	of *Apart
}

func (b apartBuilder) Compile() (compute.Executable, error) {
	e, err := b.Builder.Compile()
	if err != nil {
		return nil, err
	}
	return apartExecutable{e, b.of}, nil
}

type apartExecutable struct {
	compute.Executable
	of *Apart
}

func (e apartExecutable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
	inner := make([]compute.Buffer, len(inputs))
	for i, b := range inputs {
		inner[i] = b.(apartBuffer).Buffer
	}
	results, err := e.Executable.Execute(inner, donate, device)
	if err != nil {
		return nil, err
	}
	for i, b := range results {
		results[i] = apartBuffer{b, e.of}
	}
	return results, nil
}
