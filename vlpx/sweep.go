package vlpx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/sweep"
	"vlpx.internal/vlpx/train"
)

// Sweeping says where the tasks of a sweep are worked at.
type Sweeping struct {
	// Launcher is "local" (the default) for processes beside each other on this machine, "slurm" for job arrays, or "k8s" for the YAML of an Indexed
	// Job, which is printed.
	Launcher string
	// Jobs are the processes of "local" at once; 0 for one a GPU where the engine uses these, else one a processor.
	Jobs int
	// Slurm are settings of "slurm", "key=value", by submitit's names; see sweep.SlurmSettings.
	Slurm []string
	// K8s are settings of "k8s", "key=value"; see sweep.K8sSettings.
	K8s []string
	// Submit returns as soon as Slurm has the jobs.
	Submit bool
	// DryRun only tells what would be submitted.
	DryRun bool
}

// Swept is some artifacts' runs as one sweep.
type Swept struct {
	Grids []*Grid
	*sweep.Sweep

	worker sweep.Worker
}

// OpenSweep plans a sweep over the runs of artifacts; it runs nothing. What o has of one's own is known to this program alone, so its workers are
// this program, started again with the same arguments: its call of Sweep then does one task and ends the program.
func OpenSweep(ids []string, o Options) (*Swept, error) {
	if len(ids) == 0 {
		return nil, errors.New("a sweep needs artifacts, such as falcon/table1; vlpx list names them")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	s := &Swept{worker: sweep.Worker{Program: program, Own: os.Args[1:]}}
	plan := &sweep.Plan{Artifacts: ids}
	for k, id := range ids {
		grid, err := Open(id, o)
		if err != nil {
			return nil, err
		}
		if err := grid.addTasks(plan, k); err != nil {
			return nil, err
		}
		s.Grids = append(s.Grids, grid)
	}
	plan.Sort()
	if plan.Options, err = json.Marshal(o); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	if plan.Cwd, err = os.Getwd(); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	s.Sweep = sweep.New(s.Grids[0].Home, plan)
	return s, nil
}

// addTasks puts the runs of a grid, and what finished ones are asked, into a plan, as those of its artifact with the number of.
func (g *Grid) addTasks(p *sweep.Plan, of int) error {
	at := map[string]int{}
	add := func(t sweep.Task, file string, needs ...run.Run) error {
		below, err := filepath.Rel(g.Home, file)
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
		t.Of, t.Result = of, filepath.ToSlash(below)
		for _, need := range needs {
			if i := at[need.ID()]; !slices.Contains(t.Needs, i) {
				t.Needs = append(t.Needs, i)
			}
		}
		at[t.ID] = p.Add(t)
		return nil
	}
	named := func(r run.Run) string { return fmt.Sprintf("%s, seed %d", r.Train.Method.Name, r.Train.Seed) }
	for _, r := range g.Plan.Runs() {
		var needs []run.Run
		for _, need := range r.Needs() {
			needs = append(needs, *need)
		}
		if err := add(sweep.Task{ID: r.ID(), What: named(r)}, g.Store.ResultFile(r), needs...); err != nil {
			return err
		}
	}
	ask := func(id string, of run.Run, by run.Measure, needs ...run.Run) error {
		file, err := g.Store.EvaluationFile(of, by)
		if err != nil {
			return err
		}
		return add(sweep.Task{ID: id, What: "a question to " + named(of), Run: of.ID()}, file, append(needs, of)...)
	}
	for _, questions := range g.Plan.Questions {
		for _, q := range questions {
			if err := ask(q.ID(), q.Asked, q.Measure(), q.Of); err != nil {
				return err
			}
		}
	}
	for _, seeds := range g.Plan.Outcomes {
		for _, o := range slices.Concat(seeds...) {
			if o.Task != nil {
				if err := ask(o.ID(), o.Run, o.Measure()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// launcher is the one that is asked for.
func (how Sweeping) launcher() (sweep.Launcher, error) {
	if how.Launcher != "slurm" && len(how.Slurm) > 0 {
		return nil, errors.New("settings of Slurm are for the launcher slurm; choose it, or leave them out")
	}
	if how.Launcher != "k8s" && len(how.K8s) > 0 {
		return nil, errors.New("settings of Kubernetes are for the launcher k8s; choose it, or leave them out")
	}
	switch how.Launcher {
	case "", "local":
		if how.Submit || how.DryRun {
			return nil, errors.New("workers on this machine end with this process, and have no script: submitting and dry runs are for the launcher slurm")
		}
		if how.Jobs < 0 {
			return nil, fmt.Errorf("%d processes at once; use 1 or more, or 0 for one a processor", how.Jobs)
		}
		l := &sweep.Local{Jobs: how.Jobs}
		if choice, _ := engine.Choose(engine.Cache()); strings.Contains(choice.Name, "cuda") {
			l.GPUs = devices()
		}
		return l, nil
	case "slurm":
		return sweep.NewSlurm(how.Slurm)
	}
	return nil, fmt.Errorf("no launcher %q; there are local, slurm and k8s", how.Launcher)
}

// devices are the GPUs that this process may use.
func devices() []string {
	if named, set := os.LookupEnv("CUDA_VISIBLE_DEVICES"); set {
		return slices.DeleteFunc(strings.Split(named, ","), func(name string) bool { return name == "" })
	}
	var all []string
	for k := range engine.Describe().GPUs {
		all = append(all, fmt.Sprint(k))
	}
	return all
}

// Run makes what is missing, and returns once all is there, or has failed. listen, if not nil, hears where the sweep stands, again and again. A cancelled context stops
// the workers of this machine with checkpoints, and leaves Slurm's jobs alone; the same call goes on.
func (s *Swept) Run(ctx context.Context, how Sweeping, listen func(sweep.Progress)) error {
	l, err := how.launcher()
	if err != nil {
		return err
	}
	if len(s.Undone()) > 0 {
		if err := s.check(); err != nil {
			return err
		}
		if err := s.Follow(ctx, l, s.worker, s.Grids[0].Store.Busy, listen); err != nil {
			return err
		}
	}
	for _, g := range s.Grids { // which has the store's labels right
		if err := g.Make(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// Submit hands what is missing to Slurm, but for what has a job, and returns how many tasks that are.
func (s *Swept) Submit(ctx context.Context, how Sweeping) (int, error) {
	l, err := how.launcher()
	if err != nil {
		return 0, err
	}
	if err := s.check(); err != nil {
		return 0, err
	}
	return l.(*sweep.Slurm).Submit(ctx, s.Sweep, s.worker)
}

// Scripts are what Submit would hand to sbatch, or the YAML that is for Kubernetes.
func (s *Swept) Scripts(how Sweeping) ([]string, error) {
	l, err := how.launcher()
	if err != nil {
		return nil, err
	}
	return l.(*sweep.Slurm).Scripts(s.Sweep, s.worker), nil
}

// check tells why a run that is missing cannot be made.
func (s *Swept) check() error {
	for _, g := range s.Grids {
		missing, err := g.Missing()
		if err != nil {
			return err
		}
		if err := guard(func() error { return checkRuns(missing) }); err != nil {
			return err
		}
	}
	return nil
}

// Work does a task of the sweep in this process, as its worker; listen, if not nil, hears of training.
func (s *Swept) Work(ctx context.Context, task sweep.Task, listen func(Progress)) error {
	sweep.Pin(ctx)
	g := s.Grids[task.Of]
	runs, questions, err := g.named(task)
	if err != nil {
		return err
	}
	if err := g.work(ctx, runs, questions, listen); err != nil {
		if errors.Is(err, run.ErrDisplaced) {
			return fmt.Errorf("%w: %w", sweep.ErrAgain, err)
		}
		return err
	}
	if len(runs) > 0 {
		_, done, err := g.Store.Find(runs[0])
		if err == nil && !done {
			err = errors.New("it was left out, for what is told above")
		}
		return err
	}
	return nil
}

// named is what a task is: a run, or a question.
func (g *Grid) named(t sweep.Task) ([]run.Run, []asking, error) {
	for _, r := range g.Plan.Runs() {
		if r.ID() == t.ID {
			return []run.Run{r}, nil, nil
		}
	}
	for _, questions := range g.Plan.Questions {
		for _, q := range questions {
			if q.ID() == t.ID {
				return nil, []asking{{q.Asked, q.Measure()}}, nil
			}
		}
	}
	for _, seeds := range g.Plan.Outcomes {
		for _, o := range slices.Concat(seeds...) {
			if o.Task != nil && o.ID() == t.ID {
				return nil, []asking{{o.Run, o.Measure()}}, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("the plan has %s as %s, which this program does not plan: it is another version, or the data have changed; start the sweep again",
		t.What, run.Short(t.ID))
}

// WorkAt is a worker of the vlpx command: it does the task of a plan's file that the environment names, and returns the status to exit with.
func WorkAt(ctx context.Context, planFile string, from int, listen func(Progress)) int {
	told := func(err error) int {
		fmt.Fprintf(os.Stderr, "vlpx: %v\n", err)
		return 1
	}
	plan, err := sweep.Open(planFile)
	if err != nil {
		return told(err)
	}
	index, err := sweep.Index(from)
	if err != nil {
		return told(err)
	}
	return plan.Work(ctx, index, sweep.Behind(), os.Stderr, func(ctx context.Context, t sweep.Task) error {
		var o Options
		if err := json.Unmarshal(plan.Options, &o); err != nil {
			return fmt.Errorf("sweep: %s: %w", planFile, err)
		}
		if err := os.Chdir(plan.Cwd); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("sweep: %w", err)
		}
		o.Home = plan.Home
		grid, err := Open(plan.Artifacts[t.Of], o)
		if err != nil {
			return err
		}
		one := &Swept{Grids: make([]*Grid, len(plan.Artifacts)), Sweep: plan}
		one.Grids[t.Of] = grid
		return one.Work(ctx, t, listen)
	})
}

// UseCommand has the workers of a sweep be the vlpx command, of which this process is one, by its sub-command.
func (s *Swept) UseCommand(args ...string) { s.worker.Args = args }

// Details tells of a sweep's progress a line each of what is at work, with the epochs that are done.
func (s *Swept) Details(p sweep.Progress) []string {
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

// Stopped tells what a sweep that was stopped keeps.
func (s *Swept) Stopped() string {
	return fmt.Sprintf("stopped: %d of %s done, and what was begun is kept as checkpoints", len(s.Tasks)-len(s.Undone()), counted(len(s.Tasks), "task"))
}

// Submitted tells of what was submitted.
func (s *Swept) Submitted(n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("nothing to submit: of %s %d are done, and the others have jobs", counted(len(s.Tasks), "task"), len(s.Tasks)-len(s.Undone()))
	}
	return fmt.Sprintf("submitted %s as %s; the same call, without submitting, follows them", counted(n, "task"), s.Name)
}
