package plan

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

// Request is what a user asks of an artifact.
type Request struct {
	Scale   string   // a preset; "mini" if empty
	Data    string   // "scenes" or empty for generated scenes, else a folder in a layout that datasets/layout knows
	Seeds   []uint64 // 1, 2 and 3 if empty
	Methods []string // rows to run; all if empty
	Set     []string // changes of the preset, key=value
	// Own are methods of one's own: further rows, which are always run.
	Own []negative.Method
	// Vocabulary is a BERT vocab.txt, a tokenizer.json, CLIP's list of merges (see text.IsMerges) or GPT-2's; empty for one built from the
	// training captions.
	Vocabulary string
	// Weights are the published ones that runs start from, "vision=NAME" and "text=NAME", or "model=NAME" for all of a model, each with the
	// name of a known checkpoint, a path or "none"; what is not named here is as the scale has it.
	Weights []string
	Places  weights.Places // of the known ones
	// Regions is a folder of files of regions, one a picture (docs/REGIONS.md), for a framework that reads regions; empty for none.
	Regions string
	// Graphs is a file of scene graphs of training captions, as FACTUAL or SPICE's parser write them, in the place of those that are
	// parsed; empty for none.
	Graphs string
	// Second is a folder of captioned images in the place of the second data (see [Second]); empty for other scenes, where Data is scenes.
	Second string
	// Without names downstream tasks to leave out, each by its name; see Artifact.Downstream.
	Without []string
	// Model makes a framework of one's own for a vocabulary of the given size, 0 where it reads no captions; every run has it in the place
	// of the scale's. nil for none. It is asked more than once, also with a vocabulary of 1.
	Model func(s scale.Scale, vocab int) framework.Framework
	// Tasks are what runs are measured by besides retrieval, which is left out where the framework is one of images alone.
	Tasks []eval.Task
	// Known is shared by the plans of several requests; nil for the plan's own.
	Known *Known

	folders map[string]run.Data // those that a plan has opened, whose content takes time to read; nil to open them each time
}

// Experiment is what is planned: the rows of an artifact, or those of a comparison that a user put together.
type Experiment struct {
	ID   string
	Rows []Row
	// Downstream are tasks that each row's model is put to besides.
	Downstream []Downstream
}

// Names of experiments that a user put together, of several rows and of one.
const (
	Comparison = "vlpx/compare"
	Single     = "vlpx/run"
)

// compared tells of an experiment that a user put together.
func (e Experiment) Compared() bool { return e.ID == Comparison || e.ID == Single }

// Plan is an experiment with the runs that a request comes to.
type Plan struct {
	Experiment Experiment
	Scale      scale.Scale
	Data       run.Data // of the first seed, where Blocks
	Blocks     bool     // each seed has scenes of its own; see scale.Scale.BlockScenes
	Seeds      []uint64
	// Rows are the runs of each row, one a seed; nil where the method is not there yet or was not asked for.
	Rows [][]run.Run
	// Jobs are all that each row comes to, [rows][seeds][jobs]: its run first, then what it asks, then those of the downstream tasks; nil
	// where a row has no runs.
	Jobs [][][]Job
	// Requested says of each row whether the request includes it. Where it names no rows, those that the framework cannot have are left out.
	Requested []bool

	Planner planner
	left    []leftOut
	undone  []leftOut // downstream tasks that no row's runs can be put to, each once, by their names
	taken   takenOf   // images of the data, where that is a folder
}

// mostSeeds bounds the seeds of a plan, which keeps all of their runs in memory.
const mostSeeds = 1000

// New works a request out: it reads the captions (for the vocabulary) but runs nothing.
func New(e Experiment, q Request) (*Plan, error) {
	if q.Scale == "" {
		q.Scale = "mini"
	}
	e, err := e.withOwn(q.Own)
	if err != nil {
		return nil, err
	}
	q.Set, q.folders = slices.Clone(q.Set), map[string]run.Data{}
	for i, assignment := range q.Set {
		if q.Set[i], err = scale.Canonical(assignment); err != nil {
			return nil, ofPart(assignment, err)
		}
	}
	scale, err := q.Preset()
	if err != nil {
		return nil, err
	}
	if err := scale.SetAll(q.Set); err != nil {
		return nil, err
	}
	p := &Plan{Experiment: e, Scale: scale, Seeds: q.Seeds}
	if len(p.Seeds) == 0 {
		p.Seeds = []uint64{1, 2, 3}
	}
	if len(p.Seeds) > mostSeeds {
		return nil, fmt.Errorf("%d seeds; use at most %d", len(p.Seeds), mostSeeds)
	}
	for i, seed := range p.Seeds {
		if slices.Contains(p.Seeds[:i], seed) {
			return nil, fmt.Errorf("seed %d is there twice in %v; the same run counts once", seed, p.Seeds)
		}
	}
	if p.Data, err = q.data(scale); err != nil {
		return nil, err
	}
	if err := p.countTaken(); err != nil {
		return nil, err
	}
	if err := q.checkWithout(); err != nil {
		return nil, err
	}
	if p.Requested, err = requested(e, q.Methods); err != nil {
		return nil, err
	}
	for i := range q.Own {
		p.Requested[len(p.Requested)-1-i] = true
	}
	if err := p.rows(q); err != nil {
		return p, err
	}
	if p.Blocks {
		if p.Data, err = q.data(scale.Block(p.Seeds[0])); err != nil {
			return p, err
		}
	}
	return p, p.repeated()
}

// checkBlocks refuses scenes that cannot be each seed's own.
func (q Request) checkBlocks(s scale.Scale, seeds []uint64) error {
	switch {
	case q.Folder():
		return fmt.Errorf("blockscenes=true on %s, which is there once; leave it out", q.Data)
	case s.Scenes.Seed != 0:
		return fmt.Errorf("scenes.seed=%d, and each seed has scenes of its own; set blockscenes=false for one world", s.Scenes.Seed)
	case slices.Contains(seeds, 0):
		return errors.New("seed 0 has no scenes of its own; use seeds from 1, or set blockscenes=false")
	}
	return nil
}

func requested(e Experiment, methods []string) ([]bool, error) {
	rows := make([]bool, len(e.Rows))
	var names []string
	for i, row := range e.Rows {
		rows[i] = len(methods) == 0
		names = append(names, row.Name)
	}
	for _, method := range methods {
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(method)) })
		if i < 0 {
			return nil, fmt.Errorf("%s has %w", e.ID, scale.Unknown("row", method, names))
		}
		rows[i] = true
	}
	return rows, nil
}

// rows fills in the runs.
func (p *Plan) rows(q Request) error {
	p.Rows = make([][]run.Run, len(p.Experiment.Rows))
	published, err := q.published(p.Scale)
	if err != nil {
		return err
	}
	p.Jobs = make([][][]Job, len(p.Experiment.Rows))
	p.Planner = planner{Request: q, seeds: p.Seeds, published: published, on: new(memo[string, bool]), known: cmp.Or(q.Known, new(Known))}
	if q.Regions != "" {
		of, err := regions.Folder(q.Regions)
		if err != nil {
			return err
		}
		p.Planner.files = &of
	}
	for i, row := range p.Experiment.Rows {
		if row.Method == nil || !p.Requested[i] {
			continue
		}
		of, err := p.RunsOf(row, p.Seeds)
		if lacking := new(framework.Lacking); errors.As(err, &lacking) && !p.named(i) {
			p.Requested[i], p.left = false, append(p.left, leftOut{row.Name, lacking})
			continue
		}
		if err != nil {
			return err
		}
		p.Rows[i], p.Jobs[i], p.Blocks = of.Runs, of.Jobs, p.Blocks || of.blocks
		for _, l := range of.left {
			if !slices.ContainsFunc(p.undone, func(u leftOut) bool { return u.row == l.row }) {
				p.undone = append(p.undone, l)
			}
		}
	}
	p.undone = slices.DeleteFunc(p.undone, func(u leftOut) bool { return p.has(u.row) })
	if len(p.left) > 0 && !slices.ContainsFunc(p.Rows, func(runs []run.Run) bool { return runs != nil }) {
		return fmt.Errorf("%s: no row suits the framework; the first says: %w", p.Experiment.ID, p.left[0].lacking)
	}
	on := slices.Sorted(p.Planner.on.keys())
	if q.Model != nil {
		on = append(on, p.Framework())
	}
	if err := scale.Foreign(q.Set, on...); err != nil {
		return err
	}
	return p.unused()
}

// has tells whether some row has a job of a downstream task.
func (p *Plan) has(task string) bool {
	return slices.ContainsFunc(p.Jobs, func(seeds [][]Job) bool {
		return len(seeds) > 0 && slices.ContainsFunc(seeds[0], func(j Job) bool { return j.Downstream == task })
	})
}

// seeded is a row with seeds: its runs, one a seed, and all its jobs, [seeds][jobs].
type seeded struct {
	Runs []run.Run
	Jobs [][]Job
	left []leftOut // downstream tasks that the runs cannot be put to

	blocks bool // each seed has scenes of its own
}

// RunsOf works a row out with seeds, which may be none of the plan's.
func (p *Plan) RunsOf(row Row, seeds []uint64) (all seeded, err error) {
	s, err := p.Planner.ScaleOf(row, p.Scale)
	if err != nil {
		return all, err
	}
	if !s.BlockScenes {
		w := p.Planner
		w.seeds = seeds
		return p.block(w, row, p.Scale, p.Data)
	}
	if err := p.Planner.checkBlocks(s, seeds); err != nil {
		return all, err
	}
	all.blocks = true
	worlds, errs := make([]seeded, len(seeds)), make([]error, len(seeds))
	p.atOnce(len(seeds), func(k int) { worlds[k], errs[k] = p.world(row, seeds[k]) })
	for k, of := range worlds {
		if errs[k] != nil {
			return all, errs[k]
		}
		all.Runs, all.Jobs, all.left = append(all.Runs, of.Runs...), append(all.Jobs, of.Jobs...), of.left
	}
	return all, nil
}

// atOnce calls a function with each number below n, as many at a time as there are processors; one after the other where it calls what a
// user wrote, which may not bear it, and whose panics the caller explains.
func (p *Plan) atOnce(n int, do func(k int)) {
	if p.Planner.Model != nil || len(p.Planner.Own) > 0 {
		for k := range n {
			do(k)
		}
		return
	}
	var work sync.WaitGroup
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		work.Go(func() {
			for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
				do(int(k))
			}
		})
	}
	work.Wait()
}

// world works a row out with a seed whose scenes are its own.
func (p *Plan) world(row Row, seed uint64) (seeded, error) {
	w, s := p.Planner, p.Scale.Block(seed)
	w.seeds, w.Set = []uint64{seed}, append(slices.Clone(w.Set), fmt.Sprint("scenes.seed=", seed))
	data, err := w.data(s)
	if err != nil {
		return seeded{}, err
	}
	return p.block(w, row, s, data)
}

// block works a row out with seeds that share their data.
func (p *Plan) block(w planner, row Row, scale scale.Scale, data run.Data) (of seeded, err error) {
	t, err := w.trained(row, scale, data)
	if err != nil {
		return of, err
	}
	of.Runs = t.Own
	measures, err := w.measures(row, t.Own, scale, data)
	if err != nil {
		return of, err
	}
	downstream, left, err := p.downstream(t)
	if err != nil {
		return of, err
	}
	of.left = left
	shared := map[*run.Run]*Job{}
	for k, j := range Made(t.Own) {
		all := []Job{j}
		if measures != nil {
			all = append(all, measures[k])
		}
		all = append(all, downstream[k]...)
		for i := range all {
			all[i] = all[i].identified(shared)
		}
		of.Jobs = append(of.Jobs, all)
	}
	return of, nil
}

// All lists the jobs of all rows with those that they need, each once. Runs come first, each after those that it needs. Their order is seed
// by seed, so that an interrupted grid has whole comparisons first: the rows' own, then those that the rows ask. Those of downstream tasks
// come behind all seeds, and measures of finished runs last.
func (p *Plan) All() []Job {
	var runs, measures []Job
	listed := map[string]bool{}
	var add func(Job)
	add = func(j Job) {
		if listed[j.ID()] {
			return
		}
		listed[j.ID()] = true
		for _, needed := range j.Needs() {
			add(*needed)
		}
		if j.Task == nil {
			runs = append(runs, j)
		} else {
			measures = append(measures, j)
		}
	}
	pass := func(seed int, takes func(Job) bool) {
		for _, seeds := range p.Jobs {
			if seeds != nil {
				for _, j := range seeds[seed] {
					if takes(j) {
						add(j)
					}
				}
			}
		}
	}
	for s := range p.Seeds {
		pass(s, func(j Job) bool { return j.Downstream == "" && !j.Question() })
		pass(s, Job.Question)
	}
	for s := range p.Seeds {
		pass(s, func(j Job) bool { return j.Downstream != "" })
	}
	return append(runs, measures...)
}

// Runs lists the runs among All.
func (p *Plan) Runs() []run.Run {
	var runs []run.Run
	for _, j := range p.All() {
		if j.Task == nil {
			runs = append(runs, j.Run)
		}
	}
	return runs
}

// framework names the plan's framework; empty for the usual one.
func (p *Plan) Framework() string {
	if own := p.Planner.Model; own != nil {
		return own(p.Scale.Resolved(), 1).Name()
	}
	if p.Scale.Framework == scale.Usual().Name {
		return ""
	}
	return p.Scale.Framework
}

// measures are the metrics that the plan's jobs give.
func (p *Plan) Measures() map[string]bool {
	all := map[string]bool{}
	for _, j := range p.All() {
		if j.Task == nil {
			for _, info := range j.Run.Tasks.Metrics() {
				all[string(info.Metric)] = true
			}
			continue
		}
		for _, info := range j.Task.Metrics() {
			all[j.Prefix+string(info.Metric)] = true
		}
	}
	return all
}
