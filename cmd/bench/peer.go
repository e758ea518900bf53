package bench

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/train"
)

// scripts are PyTorch's step, of which main.py is the program.
//
//go:embed peer/*.py
var scripts embed.FS

// ErrNoTorch is that there is no PyTorch to race.
var ErrNoTorch = errors.New("no python3 here has PyTorch and NumPy; on Debian or Ubuntu apt install python3-torch python3-numpy " +
	"libopenblas0-pthread, elsewhere pip install torch numpy, or leave -peer out")

// python is an interpreter that has PyTorch.
type python struct {
	path     string
	version  string // of PyTorch
	compiles bool   // it has torch.compile
	cuda     bool   // it sees a GPU
}

// importLimit is what an interpreter may take to import PyTorch from a cold disk; one that takes longer is passed over.
const importLimit = 2 * time.Minute

// tell is what a program prints that ends in time.
func tell(ctx context.Context, limit time.Duration, path string, arguments ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := exec.CommandContext(ctx, path, arguments...)
	command.WaitDelay = time.Second
	return command.Output()
}

// findTorch finds one among programs, the first that serves, on a GPU if gpu is set.
func findTorch(ctx context.Context, gpu bool, programs ...string) (python, error) {
	const ask = "import torch, numpy; print(torch.__version__, hasattr(torch, 'compile'), torch.cuda.is_available())"
	blind := ""
	for _, path := range programs {
		told, err := tell(ctx, importLimit, path, "-c", ask)
		if err != nil {
			continue
		}
		words := strings.Fields(string(told))
		if len(words) != 3 {
			continue
		}
		found := python{path, words[0], words[1] == "True", words[2] == "True"}
		if gpu && !found.cuda {
			blind = fmt.Sprintf("PyTorch %s of %s sees no GPU, which the engine is on", found.version, path)
			continue
		}
		return found, nil
	}
	if ctx.Err() != nil {
		return python{}, context.Cause(ctx)
	}
	if blind != "" {
		return python{}, fmt.Errorf("benchmark: %s; install one that is built for CUDA (pip install torch), set $GOMLX_BACKEND to an "+
			"engine of the processor, such as "+
			"onnx:cpu, or leave -peer out", blind)
	}
	return python{}, fmt.Errorf("benchmark: %w", ErrNoTorch)
}

// Modes of PyTorch, and that of this program.
const (
	eager    = "eager"
	compiled = "compile"
	replayed = "reduce-overhead" // torch.compile by graphs of CUDA
	ours     = ""
)

// Modes are all of them.
func Modes() []string { return []string{eager, compiled, replayed} }

// way is how PyTorch runs: its mode and its threads.
type way struct {
	mode    string
	threads int // 0 on a GPU: as many as it likes
	// asleep lets GNU OpenMP's threads sleep while they wait. By itself it lets them spin, and where the cores have other work, too, a step
	// of more than one thread has been seen to take a hundred times as long by it.
	asleep bool
}

// ways are those that race, of which the fastest counts, of some modes or of all if none is named.
func (p python) ways(gpu bool, modes []string) []way {
	if len(modes) == 0 {
		modes = Modes()
	}
	var all []way
	for _, mode := range Modes() {
		switch {
		case !slices.Contains(modes, mode) || mode != eager && !p.compiles || mode == replayed && !gpu:
			continue
		case gpu:
			all = append(all, way{mode, 0, false})
			continue
		}
		all = append(all, way{mode, 1, false})
		if cores := runtime.GOMAXPROCS(0); cores > 1 {
			all = append(all, way{mode, cores, false}, way{mode, cores, true})
		}
	}
	return all
}

// peer is a process that makes steps when it is asked for: PyTorch, with one number of threads for all of its libraries, or this program.
type peer struct {
	way
	command   *exec.Cmd
	ctx       context.Context
	asks      io.WriteCloser
	answers   *json.Decoder
	complaint bytes.Buffer
	reading   io.Closer               // what answers are read from, where that is not the command's; else nil
	end       context.CancelCauseFunc // of ctx; nil where it ends by itself
}

// start starts the script on a folder of export, on some processors, or any where none are named.
func start(ctx context.Context, in python, w way, dir string, cpus ...int) (*peer, error) {
	program, mode := filepath.Join(dir, "peer", "main.py"), w.mode
	if mode == compiled {
		mode = "default"
	}
	if err := unpack(dir); err != nil {
		return nil, err
	}
	p := &peer{way: w, ctx: ctx, command: exec.CommandContext(ctx, in.path, "-B", program, dir, mode)}
	p.command.Env = os.Environ()
	if w.threads > 0 {
		for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
			p.command.Env = append(p.command.Env, fmt.Sprintf("%s=%d", name, w.threads))
		}
	}
	if w.asleep {
		p.command.Env = append(p.command.Env, "OMP_WAIT_POLICY=PASSIVE")
	}
	answers, err := p.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("benchmark: %w", err)
	}
	return p, p.begin(answers, cpus)
}

// begin starts the process.
func (p *peer) begin(answers io.Reader, cpus []int) (err error) {
	p.command.WaitDelay = time.Second
	p.command.Stderr = &p.complaint
	p.answers = json.NewDecoder(bufio.NewReader(answers))
	if p.asks, err = p.command.StdinPipe(); err == nil {
		err = engine.StartOn(p.command, cpus)
	}
	if err != nil {
		return fmt.Errorf("benchmark: starting %s: %w", p.name(), err)
	}
	return nil
}

// unpack writes the scripts into a folder, where they are not there yet.
func unpack(dir string) error {
	at := filepath.Join(dir, "peer")
	if _, err := os.Stat(at); err == nil {
		return nil
	}
	of, err := fs.Sub(scripts, "peer")
	if err == nil {
		err = os.CopyFS(at, of)
	}
	if err != nil {
		return fmt.Errorf("benchmark: %w", err)
	}
	return nil
}

// name is how tables call it.
func (w way) name() string {
	switch {
	case w.mode == ours:
		return "a process of this program"
	case w.threads == 0 && w.mode == replayed:
		return "PyTorch compile, reduce-overhead"
	case w.threads == 0:
		return "PyTorch " + w.mode
	case w.threads == 1:
		return fmt.Sprintf("PyTorch %s, 1 thread", w.mode)
	case w.asleep:
		return fmt.Sprintf("PyTorch %s, %d threads asleep between", w.mode, w.threads)
	}
	return fmt.Sprintf("PyTorch %s, %d threads", w.mode, w.threads)
}

// answer is what a step of PyTorch tells.
type answer struct {
	Seconds float64            `json:"seconds"`
	Losses  map[string]float64 `json:"losses"` // in nats, by the names of ours
	// Improvement is by how much a whole step lowered the losses that the method is rewarded by, in nats; nil where it is not.
	Improvement *float64 `json:"improvement"`
	Bytes       uint64   `json:"bytes"` // on a GPU the most that its tensors have taken
}

// words of parts that the script knows.
var asked = map[train.Part]string{train.Forward: "forward", train.Backward: "backward", train.Whole: "whole"}

// step has it make a step as far as a part.
func (p *peer) step(part train.Part) (a answer, err error) {
	if _, err = fmt.Fprintln(p.asks, asked[part]); err == nil {
		err = p.answers.Decode(&a)
	}
	if err == nil {
		return a, nil
	}
	cause := context.Cause(p.ctx)
	if p.close(); cause != nil {
		return a, cause
	}
	lines := strings.Split(strings.TrimSpace(p.complaint.String()), "\n")
	why := lines[len(lines)-1]
	switch {
	case why == "": // as where the system was out of memory
		why = p.command.ProcessState.String()
	case strings.Contains(p.complaint.String(), "\ngoroutine "): // Go's trace of a crash, which says first what happened
		why = lines[0]
	}
	return a, fmt.Errorf("benchmark: %s ended: %s", p.name(), why)
}

// close ends the process.
func (p *peer) close() {
	p.asks.Close()
	p.command.Wait()
	if p.reading != nil {
		p.reading.Close()
	}
	if p.end != nil {
		p.end(context.Canceled)
	}
}
