package scheduler

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// header stands before the weights and AdamW's two moments of them in the binary form of a policy; all is little-endian.
type header struct {
	Inputs, Hidden, Blocks int64
	Open                   bool
	Steps                  int64 // updates made so far
}

func (p *Policy) header() header {
	n := p.network
	return header{Inputs: int64(n.Inputs), Hidden: int64(n.Hidden), Blocks: int64(n.Blocks), Open: n.Open, Steps: p.optimiser.steps}
}

// MarshalBinary returns the network's shape, the weights and the optimiser's state: its moments and number of steps, not its
// rate.
func (p *Policy) MarshalBinary() ([]byte, error) {
	var data []byte
	for _, part := range []any{p.header(), p.weights, p.optimiser.first, p.optimiser.second} {
		var err error
		if data, err = binary.Append(data, binary.LittleEndian, part); err != nil {
			return nil, fmt.Errorf("scheduler: policy: %w", err)
		}
	}
	return data, nil
}

// UnmarshalBinary takes over what MarshalBinary of a policy with the same network returned. It refuses another network, data
// that is cut or overlong, numbers that are not finite, weights beyond 1,000 and moments that no update leaves; the policy is then as
// before.
func (p *Policy) UnmarshalBinary(data []byte) error {
	want := p.header()
	var got header
	n, err := binary.Decode(data, binary.LittleEndian, &got)
	if err != nil {
		return fmt.Errorf("scheduler: policy: %d bytes end within the header; they are cut", len(data))
	}
	if want.Steps = got.Steps; got != want {
		return fmt.Errorf("scheduler: policy: the data is of %+v, want %+v; give it a policy with that network", got, want)
	}
	numbers := data[n:]
	if length := 3 * 4 * len(p.weights); len(numbers) != length {
		return fmt.Errorf("scheduler: policy: %d bytes of weights and moments, want %d; they are cut or overlong", len(numbers), length)
	}
	var parts [3][]float32
	for i := range parts {
		parts[i] = make([]float32, len(p.weights))
		if n, err = binary.Decode(numbers, binary.LittleEndian, parts[i]); err != nil {
			return fmt.Errorf("scheduler: policy: %w", err)
		}
		if at := slices.IndexFunc(parts[i], notFinite); at >= 0 {
			name := []string{"weight", "first moment", "second moment"}[i]
			return fmt.Errorf("scheduler: policy: %s %d is %v; the data is spoilt", name, at, parts[i][at])
		}
		numbers = numbers[n:]
	}
	if at := slices.IndexFunc(parts[0], func(w float32) bool { return math.Abs(float64(w)) > largestWeight }); at >= 0 {
		return fmt.Errorf("scheduler: policy: weight %d is %v, and training leaves none beyond %v; the data is spoilt", at, parts[0][at],
			largestWeight)
	}
	if got.Steps < 0 || slices.Min(parts[2]) < 0 {
		return fmt.Errorf("scheduler: policy: %d steps, second moments from %v, none may be negative; the data is spoilt",
			got.Steps, slices.Min(parts[2]))
	}
	p.optimiser.steps = got.Steps
	copy(p.weights, parts[0])
	copy(p.optimiser.first, parts[1])
	copy(p.optimiser.second, parts[2])
	return nil
}

// largestWeight is beyond what training comes to. With larger ones the network's outputs could leave the numbers, and no quantile be drawn.
const largestWeight = 1e3

func notFinite(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }
