package sweep

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vlpx.internal/vlpx/disk"
)

// Task is what one worker does: a run, or a question to finished ones.
type Task struct {
	ID    string `json:"id"`              // of the run, or of the question
	Of    int    `json:"of,omitempty"`    // which of Plan.Artifacts asks for it first
	What  string `json:"what"`            // for a person: "GRIT-VLP, seed 1"
	Run   string `json:"run,omitempty"`   // the identity of the run that a question asks; empty where the task is a run
	Level int    `json:"level"`           // 0 where it needs none, else one more than the highest that it needs
	Needs []int  `json:"needs,omitempty"` // indices of tasks that are finished before
	// Result is the file that is there once the task is finished, below the store's place, with slashes.
	Result string `json:"result"`
}

// Plan is all tasks of a sweep, by their indices. Tasks of a lower level come first. It does not change while the sweep goes on.
type Plan struct {
	Artifacts []string `json:"artifacts"` // for a person, and for the worker
	// Options are how the worker finds the tasks' runs again, with absolute paths.
	Options json.RawMessage `json:"options,omitempty"`
	Tasks   []Task          `json:"tasks"`

	at map[string]int // where tasks were added, until they are sorted
}

// Files and folders of a sweep's folder.
const (
	sweepsName    = "sweeps" // in the store's place
	planName      = "plan.json"
	programPrefix = "program-" // and a hash
	logsName      = "logs"
	failedName    = "failed"
)

// Add puts a task behind those that are there, with its level, unless one of its identity is; it returns the task's index.
func (p *Plan) Add(t Task) int {
	if i, ok := p.at[t.ID]; ok {
		return i
	}
	for _, need := range t.Needs {
		t.Level = max(t.Level, p.Tasks[need].Level+1)
	}
	if p.at == nil {
		p.at = map[string]int{}
	}
	p.at[t.ID] = len(p.Tasks)
	p.Tasks = append(p.Tasks, t)
	return p.at[t.ID]
}

// Sort puts the tasks in the order of their levels, and within a level in the order in which they were added.
func (p *Plan) Sort() {
	order := make([]int, len(p.Tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Tasks[a].Level, p.Tasks[b].Level) })
	place := make([]int, len(order))
	sorted := make([]Task, len(order))
	for to, from := range order {
		place[from], sorted[to] = to, p.Tasks[from]
	}
	for i := range sorted {
		needs := slices.Clone(sorted[i].Needs)
		for k, need := range needs {
			needs[k] = place[need]
		}
		slices.Sort(needs)
		sorted[i].Needs = needs
	}
	p.Tasks, p.at = sorted, nil
}

// Name is the sweep's, which the same request has again: the first artifact's, and a hash of all that is planned.
func (p *Plan) Name() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("sweep: a plan does not marshal: %v", err))
	}
	sum := sha256.Sum256(text)
	first := "runs"
	if len(p.Artifacts) > 0 {
		first = p.Artifacts[0]
	}
	slug := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(first), "-"), "-")
	return fmt.Sprintf("%.32s-%s", slug, hex.EncodeToString(sum[:4]))
}

// notInNames is what names of jobs, of files and of Kubernetes' objects do not all take.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// check says what is wrong with a plan.
func (p *Plan) check() error {
	seen := map[string]bool{}
	for i, t := range p.Tasks {
		wrong := func(what string) error { return fmt.Errorf("task %d (%s): %s", i, t.What, what) }
		switch {
		case t.ID == "" || seen[t.ID]:
			return wrong("its id is empty, or another task's too")
		case t.Of < 0 || t.Of >= len(p.Artifacts):
			return wrong(fmt.Sprintf("it is of artifact %d, and there are %d", t.Of, len(p.Artifacts)))
		case !fs.ValidPath(t.Result):
			return wrong(fmt.Sprintf("its result %q is no path below the store's place", t.Result))
		}
		seen[t.ID] = true
		level := 0
		for _, need := range t.Needs {
			if need < 0 || need >= i {
				return wrong(fmt.Sprintf("it needs task %d, which does not come before it", need))
			}
			level = max(level, p.Tasks[need].Level+1)
		}
		if t.Level != level || i > 0 && t.Level < p.Tasks[i-1].Level {
			return wrong(fmt.Sprintf("its level is %d", t.Level))
		}
	}
	return nil
}

// parsePlan reads a plan.
func parsePlan(text []byte) (*Plan, error) {
	p := new(Plan)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, err
	}
	return p, p.check()
}

// Sweep is a plan in its folder of the store.
type Sweep struct {
	*Plan
	Name string
	Home string // the store's place
}

// New is a sweep of a plan in a store; it writes nothing yet.
func New(home string, p *Plan) *Sweep { return &Sweep{p, p.Name(), home} }

// Dir is the sweep's folder.
func (s *Sweep) Dir() string { return filepath.Join(s.Home, sweepsName, s.Name) }

// PlanFile is where the plan lies.
func (s *Sweep) PlanFile() string { return filepath.Join(s.Dir(), planName) }

// Open reads the sweep whose plan is in a file.
func Open(planFile string) (*Sweep, error) {
	text, err := disk.ReadFile(planFile)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w; vlpx sweep ID makes the plan", err)
	}
	p, err := parsePlan(text)
	if err != nil {
		return nil, fmt.Errorf("sweep: %s: %w; delete the file and start the sweep again", planFile, err)
	}
	whole, err := filepath.Abs(planFile)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	dir := filepath.Dir(whole)
	return &Sweep{p, filepath.Base(dir), filepath.Dir(filepath.Dir(dir))}, nil
}

// All are the sweeps of a store, by their names; one that cannot be read is told by the error.
func All(home string) (all []*Sweep, err error) {
	files, err := filepath.Glob(filepath.Join(home, sweepsName, "*", planName))
	var wrong []error
	for _, file := range files {
		s, err := Open(file)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, s)
	}
	return all, errors.Join(append(wrong, err)...)
}

// noRoom is an error of writing a sweep's folder.
func noRoom(err error) error {
	return fmt.Errorf("sweep: %w; make room, or choose another place with VLPX_HOME, -home or Options.Home", err)
}

// Write makes the sweep's folder, with the plan and a copy of the worker's program.
func (s *Sweep) Write(w Worker) error {
	if err := s.WritePlan(); err != nil {
		return err
	}
	if err := w.copyTo(s); err != nil {
		return noRoom(err)
	}
	return nil
}

// WritePlan makes the sweep's folder, with the plan.
func (s *Sweep) WritePlan() error {
	for _, dir := range []string{logsName, failedName} {
		if err := disk.MkdirAll(filepath.Join(s.Dir(), dir)); err != nil {
			return noRoom(err)
		}
	}
	text, err := json.MarshalIndent(s.Plan, "", " ")
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	if err := disk.WriteFile(s.PlanFile(), text, 0o644); err != nil {
		return noRoom(err)
	}
	return nil
}
