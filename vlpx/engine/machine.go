package engine

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// Machine is what a run's speed depends on beside its engine. What the system does not tell is zero.
type Machine struct {
	System          string // operating system and architecture, such as "linux/amd64"
	CPU             string // the processor's model
	Cores           int    // logical cores that this process may use
	MemoryTotal     uint64 // bytes
	MemoryAvailable uint64 // bytes that a new program could take without swapping
	GPUs            []GPU
	Go              string // version of the Go release this program was built with
}

// GPU is one NVIDIA device.
type GPU struct {
	Name   string
	Memory uint64 // bytes
	Driver string // the driver's version
}

// smiLimit bounds the wait for nvidia-smi, which hangs when a driver does.
const smiLimit = 5 * time.Second

// Describe looks at the machine this program runs on. Memory is the machine's, not a container's limit.
func Describe() Machine {
	m := Machine{
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Cores:  runtime.NumCPU(),
		GPUs:   gpus(context.Background()),
		Go:     runtime.Version(),
	}
	m.ask()
	return m
}

// gpus asks nvidia-smi; nil when it is missing, fails or does not answer in time.
func gpus(ctx context.Context) []GPU {
	ctx, cancel := context.WithTimeout(ctx, smiLimit)
	defer cancel()
	command := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits")
	command.WaitDelay = time.Second
	out, err := command.Output()
	if err != nil {
		return nil
	}
	table := csv.NewReader(strings.NewReader(string(out)))
	table.TrimLeadingSpace = true
	table.FieldsPerRecord = 3
	rows, err := table.ReadAll()
	if err != nil {
		return nil
	}
	var found []GPU
	for _, row := range rows {
		mebibytes, _ := strconv.ParseUint(row[1], 10, 64) // "[N/A]" on devices that share the machine's memory
		found = append(found, GPU{Name: row[0], Memory: mebibytes << 20, Driver: row[2]})
	}
	return found
}

// GPUMemory is what a process of this machine has of its GPUs' memory, in bytes, as nvidia-smi tells; 0 where it does not, as in a
// container whose processes have other numbers.
func GPUMemory(ctx context.Context, process int) uint64 {
	ctx, cancel := context.WithTimeout(ctx, smiLimit)
	defer cancel()
	command := exec.CommandContext(ctx, "nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
	command.WaitDelay = time.Second
	out, err := command.Output()
	if err != nil {
		return 0
	}
	sum := uint64(0)
	for line := range strings.Lines(string(out)) {
		of, used, _ := strings.Cut(line, ",")
		mebibytes, err := strconv.ParseUint(strings.TrimSpace(used), 10, 64)
		if id, wrong := strconv.Atoi(strings.TrimSpace(of)); wrong == nil && err == nil && id == process {
			sum += mebibytes << 20
		}
	}
	return sum
}

// PeakMemory is the largest resident size of a process of this machine since it began, or was reset, in bytes; 0 where the system does
// not tell, as all but Linux.
func PeakMemory(process int) uint64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " kB")
	kilobytes, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}

// Versions returns the versions of GoMLX and of the engines' libraries in this program, by the last element of the
// module's path: gomlx, compute, compute-onnx, go-xla. A library that is not linked in is absent; a test program, in
// which Go records no modules, has none.
func Versions() map[string]string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return map[string]string{}
	}
	return versionsIn(info.Deps)
}

func versionsIn(modules []*debug.Module) map[string]string {
	versions := map[string]string{}
	for _, module := range modules {
		switch module.Path {
		case "github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/compute-onnx", "github.com/gomlx/go-xla":
			version := module.Version
			if module.Replace != nil {
				version = strings.TrimSpace(module.Replace.Path + " " + module.Replace.Version)
			}
			versions[path.Base(module.Path)] = version
		}
	}
	return versions
}
