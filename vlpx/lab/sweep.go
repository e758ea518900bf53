package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/sweep"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/watchdog"
)

// Sweep is some artifacts' runs as one sweep.
type Sweep struct {
	Grids []*Grid
	*sweep.Sweep

	worker  sweep.Worker
	silence time.Duration // see Options
}

// OpenSweep plans a sweep over the runs of artifacts; it runs nothing. Its workers are this program, started again with the same arguments,
// since only that has the parts that it defines, unless [Sweep.UseCommand] says how the vlpx command does a task.
func OpenSweep(ids []string, o Options) (*Sweep, error) {
	if len(ids) == 0 {
		return nil, errors.New("a sweep needs artifacts, such as falcon/table1; vlpx list names them")
	}
	worker, err := sweep.NewWorker()
	if err != nil {
		return nil, err
	}
	s := &Sweep{worker: worker, silence: o.silence}
	o.known = new(plan.Known)
	tasks := &sweep.Plan{Artifacts: ids}
	for k, id := range ids {
		grid, err := Open(id, o)
		if err != nil {
			return nil, err
		}
		if err := grid.addTasks(tasks, k); err != nil {
			return nil, err
		}
		s.Grids = append(s.Grids, grid)
	}
	tasks.Sort()
	if tasks.Options, err = json.Marshal(o.absolute()); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	s.Sweep = sweep.New(s.Grids[0].Home, tasks)
	return s, nil
}

// addTasks puts the jobs of a grid into a plan, as those of its artifact with the number of.
func (g *Grid) addTasks(p *sweep.Plan, of int) error {
	at := map[string]int{}
	for _, j := range g.Plan.All() {
		file, err := j.File(g.Store)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(g.Home, file)
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
		t := sweep.Task{ID: j.ID(), Of: of, Result: filepath.ToSlash(below), What: fmt.Sprintf("%s, seed %d", j.Run.Train.Method.Name,
			j.Run.Train.Seed)}
		if j.Task != nil {
			t.What, t.Run = "a question to "+t.What, j.Run.ID()
		}
		for _, need := range j.Needs() {
			if i := at[need.ID()]; !slices.Contains(t.Needs, i) {
				t.Needs = append(t.Needs, i)
			}
		}
		at[t.ID] = p.Add(t)
	}
	return nil
}

// Run makes what is missing, and returns once all is there, or has failed. listen, if not nil, hears where the sweep stands, again and
// again. A cancelled context stops the workers of this machine with checkpoints, and leaves Slurm's jobs alone: the error is then
// [Stopped].
func (s *Sweep) Run(ctx context.Context, how Sweeping, listen func(sweep.Progress)) error {
	err := s.run(ctx, how, listen)
	if errors.Is(err, context.Canceled) {
		return s.stopped(how)
	}
	return err
}

func (s *Sweep) run(ctx context.Context, how Sweeping, listen func(sweep.Progress)) error {
	l, err := how.launcher()
	if err != nil {
		return err
	}
	var one sync.Mutex // a message may come from any goroutine
	tell := func(p sweep.Progress) {
		one.Lock()
		defer one.Unlock()
		if listen != nil {
			listen(p)
		}
	}
	say := func(line string) { tell(sweep.Progress{Message: line}) }
	ctx, end := watchdog.Work(ctx, s.silence, s.Dir(), say, s.Name+": the sweep has not moved on")
	defer end()
	if len(s.Undone()) > 0 {
		space, err := s.check()
		if err != nil {
			return err
		}
		say(space.String())
		if hosts, ok := l.(*sweep.SSH); ok {
			hosts.Say = say
		}
		here, ok := l.(*sweep.Local)
		if ok {
			if here.GPUs, err = together(here.GPUs, s.devicesEach()); err != nil {
				return err
			}
		}
		if ok && here.Jobs == 0 && len(here.GPUs) == 0 {
			if here.Jobs, err = s.jobs(ctx, say); err != nil {
				return err
			}
		}
		stop, err := s.events()
		if err != nil {
			return err
		}
		err = s.Follow(ctx, l, s.worker, s.Grids[0].Store.Busy, tell)
		if failed := stop(); err == nil {
			err = failed
		}
		if err != nil {
			return err
		}
		if err := s.Tidy(); err != nil {
			return err
		}
	}
	for _, g := range s.Grids { // nothing is left to make; the store's labels and event files become right
		if err := g.Make(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// Submit hands what is missing to Slurm, but for what has a job.
func (s *Sweep) Submit(ctx context.Context, how Sweeping) (Submitted, error) {
	if err := how.check(); err != nil {
		return Submitted{}, err
	}
	l, err := sweep.NewSlurm(how.Slurm)
	if err != nil {
		return Submitted{}, err
	}
	space, err := s.check()
	if err != nil {
		return Submitted{}, err
	}
	n, err := l.Submit(ctx, s.Sweep, s.worker)
	return Submitted{Sweep: s.Name, Tasks: n, Done: len(s.Tasks) - len(s.Undone()), Of: len(s.Tasks), Space: space}, err
}

// Submitted is what a scheduler has got of a sweep.
type Submitted struct {
	Sweep           string // its name
	Tasks, Done, Of int    // how many tasks were submitted, are done, and are there in all
	Space           Space
}

func (s Submitted) String() string {
	if s.Tasks == 0 {
		return fmt.Sprintf("nothing to submit: of %s %d are done, and the others have jobs", counted(s.Of, "task"), s.Done)
	}
	return fmt.Sprintf("submitted %s as %s; the same call, without submitting, follows them (%v)", counted(s.Tasks, "task"), s.Sweep, s.Space)
}

// Script is what Submit would hand to sbatch, a script for each call, or the YAML of a job of Kubernetes; but in a dry run the plan that
// this reads is put in the store.
func (s *Sweep) Script(how Sweeping) (string, error) {
	if err := how.check(); err != nil {
		return "", err
	}
	if how.Launcher == slurm {
		l, err := sweep.NewSlurm(how.Slurm)
		if err != nil {
			return "", err
		}
		return strings.Join(l.Scripts(s.Sweep, s.worker), "\n"), nil
	}
	k, err := sweep.NewKubernetes(how.K8s)
	if err != nil {
		return "", err
	}
	text, err := k.YAML(s.Sweep, s.worker)
	if err != nil || how.DryRun {
		return text, err
	}
	if _, err := s.check(); err != nil {
		return "", err
	}
	return text, s.WritePlan()
}

// check says why a run that is missing cannot be made, or not all of them for want of space on disk. It returns what they take.
func (s *Sweep) check() (Space, error) {
	for _, g := range s.Grids {
		missing, err := g.Missing()
		if err != nil {
			return Space{}, err
		}
		if err := guard(func() error { return checkRuns(missing) }); err != nil {
			return Space{}, err
		}
	}
	space, err := s.space()
	if err != nil {
		return Space{}, err
	}
	return space, space.short()
}

// UseCommand has the workers of a sweep be the vlpx command, of which this process is one, by its sub-command.
func (s *Sweep) UseCommand(args ...string) { s.worker.Args = args }

// Details has a line for each task at work, with the epochs that are done.
func (s *Sweep) Details(p sweep.Progress) []string {
	var lines []string
	for i, state := range p.Tasks {
		t := s.Tasks[i]
		if state != sweep.Running {
			continue
		}
		line := t.What
		for _, r := range s.Grids[t.Of].Plan.Runs() {
			if r.ID() != t.ID {
				continue
			}
			if curves, err := train.ReadCurves(s.Grids[t.Of].Store.Dir(r)); err == nil {
				line += fmt.Sprintf(": %d of %s", len(curves.Epochs), counted(r.Train.Epochs, "epoch"))
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// stopped is what a sweep that was stopped keeps.
func (s *Sweep) stopped(how Sweeping) Stopped {
	rest := "what was begun is kept as checkpoints"
	if how.Launcher == slurm {
		rest = "the others' jobs stay in Slurm's queue"
	}
	return Stopped(fmt.Sprintf("stopped: %d of %s done, and %s", len(s.Tasks)-len(s.Undone()), counted(len(s.Tasks), "task"), rest))
}

// events writes event files of all grids; see [Grid.events].
func (s *Sweep) events() (stop func() error, err error) {
	var all []func() error
	stop = func() error {
		var failed []error
		for _, one := range all {
			failed = append(failed, one())
		}
		return errors.Join(failed...)
	}
	for _, g := range s.Grids {
		one, err := g.events()
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		all = append(all, one)
	}
	return stop, nil
}
