package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// answersFile is the file descriptor on which a process of this program answers, as its output is what its caller prints.
const answersFile = 3

// Serve makes a step of a run for each line of standard input, which names a part of it, and answers with its seconds and losses, as
// peer/main.py does, until there are no more lines. It is what the processes of [Settings].Again do.
func Serve(ctx context.Context, executor *run.Executor, r run.Run) error {
	answers := os.NewFile(answersFile, "answers")
	defer answers.Close()
	return serve(ctx, executor, r, os.Stdin, answers)
}

// serve is Serve on other files.
func serve(ctx context.Context, executor *run.Executor, r run.Run, asks io.Reader, answers io.Writer) error {
	probe, err := executor.Probe(ctx, r, engine.Operations)
	if err != nil {
		return err
	}
	defer probe.Close()
	in, err := probe.Load(ctx)
	if err != nil {
		return err
	}
	defer in.Release()
	named := map[string]train.Part{}
	for part, word := range asked {
		named[word] = part
	}
	out := json.NewEncoder(answers)
	lines := bufio.NewScanner(asks)
	for lines.Scan() {
		part, ok := named[lines.Text()]
		if !ok {
			return fmt.Errorf("benchmark: asked for %q; a step has the parts %v", lines.Text(), slices.Sorted(maps.Keys(named)))
		}
		made, took, err := (&step{probe: probe, part: part, in: in}).once()
		if err != nil {
			return err
		}
		a := answer{Seconds: took.Seconds(), Losses: map[string]float64{}, Improvement: made.improvement}
		for name, loss := range made.losses {
			a.Losses[string(name)] = loss
		}
		if err := out.Encode(a); err != nil {
			return fmt.Errorf("benchmark: %w", err)
		}
	}
	return lines.Err()
}

// startOurs starts a process that serves, on some processors, or any where none are named.
func startOurs(ctx context.Context, command *exec.Cmd, cpus []int) (*peer, error) {
	answers, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("benchmark: %w", err)
	}
	defer theirs.Close()
	command.ExtraFiles = []*os.File{theirs}
	p := &peer{way: way{mode: ours}, ctx: ctx, command: command, reading: answers}
	if err := p.begin(answers, cpus); err != nil {
		answers.Close()
		return nil, err
	}
	return p, nil
}
