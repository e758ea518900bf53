package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
)

// Profile is what a session of ONNX Runtime took, run by run. The profiler adds some microseconds to each operation, of which most are
// between operations.
type Profile struct {
	Runs       []float64 // seconds of each run
	Operations []ProfiledOperation
}

// ProfiledOperation is an operation of a profiled graph.
type ProfiledOperation struct {
	Name, Type      string // as in the graph
	Inputs, Outputs []ProfiledTensor
	// Seconds are those of each run. The profiler cuts them to whole microseconds, half of one is added.
	Seconds []float64
}

// ProfiledTensor is what an operation reads or writes.
type ProfiledTensor struct {
	Type string // such as "float" or "int64"
	Dims []int
}

// Size is the number of values.
func (t ProfiledTensor) Size() int {
	n := 1
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// errNoProfile says which engine can tell what operations take.
func errNoProfile(backend compute.Backend) error {
	return fmt.Errorf("engine: %s does not tell what its operations take; ONNX Runtime on a processor does: get it by vlpx doctor -fix, "+
		"and take it by %s=%s", backend.Name(), compute.ConfigEnvVar, onnxEngine)
}

// LongestProfile reads the largest of the profiles in a folder, which is that of the session that did most. Only sessions that were
// released have written theirs.
func LongestProfile(dir string) (p Profile, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return p, fmt.Errorf("engine: profiles: %w", err)
	}
	path, most := "", int64(0)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Size() > most {
			path, most = filepath.Join(dir, entry.Name()), info.Size()
		}
	}
	if path == "" {
		return p, fmt.Errorf("engine: no session of ONNX Runtime has written a profile into %s", dir)
	}
	file, err := os.Open(path)
	if err != nil {
		return p, fmt.Errorf("engine: profiles: %w", err)
	}
	defer file.Close()
	if p, err = ReadProfile(file); err != nil {
		return p, fmt.Errorf("%w (%s)", err, path)
	}
	return p, nil
}

// What a profile may have at most. ONNX Runtime's own has a million events.
const (
	mostProfileBytes      = 1 << 30
	mostProfileOperations = 1 << 17
)

// event is an entry of a profile.
type event struct {
	Category string `json:"cat"`
	Name     string `json:"name"`
	Duration int64  `json:"dur"` // µs
	Args     struct {
		Type    string         `json:"op_name"`
		Index   string         `json:"node_index"`
		Inputs  []eventTensors `json:"input_type_shape"`
		Outputs []eventTensors `json:"output_type_shape"`
	} `json:"args"`
}

// eventTensors are one tensor, its dimensions by its type.
type eventTensors map[string][]int

// ReadProfile reads what ONNX Runtime's profiler has written, up to a GB. Each run must have timed each operation once: a graph with loops
// or branches is refused, and so is a profile that was full before its end.
func ReadProfile(r io.Reader) (p Profile, err error) {
	in := &io.LimitedReader{R: r, N: mostProfileBytes}
	events, number := json.NewDecoder(in), 0
	refuse := func(err error) (Profile, error) {
		if in.N == 0 {
			err = errors.New("it is larger than a GB")
		} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends before its end; the session must be released first")
		}
		return Profile{}, fmt.Errorf("engine: profile, event %d: %w", number, err)
	}
	if opening, err := events.Token(); err != nil || opening != json.Delim('[') {
		if err == nil {
			err = errors.New("it is no list of events")
		}
		return refuse(err)
	}
	found := map[int]*ProfiledOperation{}
	for ; events.More(); number++ {
		var e event
		if err := events.Decode(&e); err != nil {
			return refuse(err)
		}
		if err := p.take(e, found); err != nil {
			return refuse(err)
		}
	}
	if _, err := events.Token(); err != nil {
		return refuse(err)
	}
	return p.finished(found)
}

// take takes in an event.
func (p *Profile) take(e event, found map[int]*ProfiledOperation) error {
	const microsecond = 1e-6
	name, timed := strings.CutSuffix(e.Name, "_kernel_time")
	switch {
	case e.Duration < 0:
		return fmt.Errorf("%q took %d microseconds", e.Name, e.Duration)
	case e.Category == "Session" && e.Name == "model_run":
		p.Runs = append(p.Runs, microsecond*float64(e.Duration))
		for _, o := range found {
			if len(o.Seconds) != len(p.Runs) {
				return fmt.Errorf("operation %q was timed %d times in %d runs; make fewer", o.Name, len(o.Seconds), len(p.Runs))
			}
		}
		return nil
	case e.Category != "Node" || !timed:
		return nil
	}
	index, err := strconv.Atoi(e.Args.Index)
	if err != nil || index < 0 || index >= mostProfileOperations {
		return fmt.Errorf("%q has the place %q in its graph; it must be a number below %d", name, e.Args.Index, mostProfileOperations)
	}
	o := found[index]
	if o == nil {
		o = &ProfiledOperation{Name: name, Type: e.Args.Type}
		if o.Inputs, err = profiledTensors(e.Args.Inputs); err == nil {
			o.Outputs, err = profiledTensors(e.Args.Outputs)
		}
		if err != nil {
			return fmt.Errorf("operation %q: %w", name, err)
		}
		found[index] = o
	}
	if o.Name != name || o.Type != e.Args.Type {
		return fmt.Errorf("operation %d is %q of type %q, and was %q of type %q", index, name, e.Args.Type, o.Name, o.Type)
	}
	o.Seconds = append(o.Seconds, microsecond*(float64(e.Duration)+0.5))
	return nil
}

// profiledTensors are those of an event.
func profiledTensors(of []eventTensors) (all []ProfiledTensor, err error) {
	const most = 1 << 40 // numbers
	for _, one := range of {
		if len(one) > 1 {
			return nil, fmt.Errorf("a tensor of %d types", len(one))
		}
		for name, dims := range one {
			size := 1
			for _, d := range dims {
				if d < 0 || d > most/size {
					return nil, fmt.Errorf("a tensor of the dimensions %d", dims)
				}
				size *= max(d, 1)
			}
			all = append(all, ProfiledTensor{Type: name, Dims: dims})
		}
	}
	return all, nil
}

// finished has the operations in their graph's order. Runs that timed nothing are no profile of operations.
func (p Profile) finished(found map[int]*ProfiledOperation) (Profile, error) {
	indices := make([]int, 0, len(found))
	for index := range found {
		indices = append(indices, index)
	}
	slices.Sort(indices)
	for _, index := range indices {
		o := found[index]
		if len(o.Seconds) != len(p.Runs) {
			return Profile{}, fmt.Errorf("engine: profile: operation %q was timed %d times in %d runs; make fewer", o.Name, len(o.Seconds),
				len(p.Runs))
		}
		p.Operations = append(p.Operations, *o)
	}
	if len(p.Operations) == 0 {
		return Profile{}, errors.New("engine: profile: it has no run with operations")
	}
	return p, nil
}
