package benchmark

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/train"
)

//go:embed peer.py
var script []byte

// ErrNoTorch is that there is no PyTorch to race.
var ErrNoTorch = errors.New("no python3 here has PyTorch and NumPy; on Debian or Ubuntu apt install python3-torch python3-numpy libopenblas0-pthread, " +
	"elsewhere pip install torch numpy, or leave -peer out")

// python is an interpreter that has PyTorch.
type python struct {
	path     string
	version  string // of PyTorch
	compiles bool   // it has torch.compile
}

// findTorch finds one among programs, the first that serves.
func findTorch(ctx context.Context, programs ...string) (python, error) {
	const ask = "import torch, numpy; print(torch.__version__, hasattr(torch, 'compile'))"
	for _, path := range programs {
		told, err := exec.CommandContext(ctx, path, "-c", ask).Output()
		if err != nil {
			continue
		}
		version, compiles, _ := strings.Cut(strings.TrimSpace(string(told)), " ")
		return python{path, version, compiles == "True"}, nil
	}
	if ctx.Err() != nil {
		return python{}, context.Cause(ctx)
	}
	return python{}, fmt.Errorf("benchmark: %w", ErrNoTorch)
}

// Modes of PyTorch, as the script knows them, and that of this program.
const (
	eager    = "eager"
	compiled = "compile"
	ours     = ""
)

// way is how PyTorch runs: its mode and its threads.
type way struct {
	mode    string
	threads int
	// asleep lets GNU OpenMP's threads sleep while they wait. By itself it lets them spin, and where the cores have other work, too, a step of more
	// than one thread has been seen to take a hundred times as long by it.
	asleep bool
}

// ways are those that race, of which the fastest counts.
func (p python) ways() []way {
	modes := []string{eager}
	if p.compiles {
		modes = append(modes, compiled)
	}
	var all []way
	for _, mode := range modes {
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
	reading   io.Closer // what answers are read from, where that is not the command's; else nil
}

// start starts the script on a folder of export, on some processors, or any where none are named.
func start(ctx context.Context, in python, w way, dir string, cpus ...int) (*peer, error) {
	program := filepath.Join(dir, "peer.py")
	if err := os.WriteFile(program, script, 0o644); err != nil {
		return nil, fmt.Errorf("benchmark: %w", err)
	}
	p := &peer{way: w, ctx: ctx, command: exec.CommandContext(ctx, in.path, "-B", program, dir, w.mode)}
	p.command.Env = os.Environ()
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		p.command.Env = append(p.command.Env, fmt.Sprintf("%s=%d", name, w.threads))
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

// name is how tables call it.
func (w way) name() string {
	switch {
	case w.mode == ours:
		return "a process of this program"
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
	p.close()
	if p.ctx.Err() != nil {
		return a, context.Cause(p.ctx)
	}
	lines := strings.Split(strings.TrimSpace(p.complaint.String()), "\n")
	return a, fmt.Errorf("benchmark: %s ended: %s", p.name(), lines[len(lines)-1])
}

// close ends the process.
func (p *peer) close() {
	p.asks.Close()
	p.command.Wait()
	if p.reading != nil {
		p.reading.Close()
	}
}
