package lab

import (
	"encoding/json"
	"fmt"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/run"
)

// Space is about what a sweep is to write, and what is free where its store is, in bytes.
type Space struct {
	Runs  int // those that are missing
	Needs int64
	// Program is how much of that is for a copy of this program; 0 where it is there.
	Program int64
	Free    uint64 // 0 where the system does not tell
	Store   string
	// Unknown is why nothing can be said of what they need, such as operations of another engine; nil where it can.
	Unknown error
}

func (s Space) String() string {
	if s.Unknown != nil {
		return fmt.Sprintf("what %s will take on disk is not known: %v", counted(s.Runs, "run"), s.Unknown)
	}
	what := counted(s.Runs, "run")
	if s.Program > 0 {
		what += " and a copy of this program"
	}
	text := fmt.Sprintf("%s will take about %s MB on disk", what, megabytes(s.Needs))
	if s.Free > 0 {
		text += fmt.Sprintf("; %s MB are free at %s", megabytes(int64(s.Free)), s.Store)
	}
	return text
}

// short is the error of a disk without enough space.
func (s Space) short() error {
	if s.Unknown != nil || s.Free == 0 || s.Needs <= int64(s.Free) {
		return nil
	}
	return fmt.Errorf("sweep: %v: make room (vlpx prune lists what can go), choose another store with VLPX_HOME, -home or Options.Home, "+
		"or sweep fewer rows or seeds", s)
}

// space predicts what the missing runs take on disk: what each keeps, and once more the largest, since a checkpoint is written beside the
// one before it, with the copy of the program that workers are. Runs that differ in their seeds alone are equally large. Caches that runs
// share, such as a locked encoder's tokens, and pairs that are yet to be mined are not counted.
func (s *Sweep) space() (Space, error) {
	home := s.Grids[0].Home
	space := Space{Free: disk.Free(home), Store: home}
	backend, err := engine.Open(engine.Choice{Name: engine.PureGo}) // it builds graphs, and runs none
	if err != nil {
		return space, err
	}
	defer backend.Finalize()
	of, seen, largest := map[string]int64{}, map[string]bool{}, int64(0)
	for _, g := range s.Grids {
		missing, err := g.Missing()
		if err != nil {
			return space, err
		}
		for _, r := range missing {
			if seen[r.ID()] {
				continue
			}
			seen[r.ID()] = true
			alike := r.Train
			alike.Seed = 0
			key, err := json.Marshal(alike)
			if err != nil {
				return space, fmt.Errorf("sweep: %w", err)
			}
			bytes, known := of[string(key)]
			if !known {
				err = guard(func() error {
					bytes, err = kept(backend, r)
					return err
				})
				if err != nil {
					space.Unknown = err
				}
				of[string(key)] = bytes
			}
			space.Runs, space.Needs, largest = space.Runs+1, space.Needs+bytes, max(largest, bytes)
		}
	}
	if space.Runs > 0 {
		if space.Program, err = s.worker.Needs(s.Sweep); err != nil {
			return space, err
		}
	}
	space.Needs += largest + space.Program
	return space, nil
}

// kept is about how many bytes a run keeps.
func kept(backend compute.Backend, r run.Run) (int64, error) {
	r.Data.Added = nil // its miner may be missing, too
	set, err := r.Data.TrainingSet()
	if err != nil {
		return 0, err
	}
	return r.Train.Space(backend, len(datasets.Pairs(set)))
}
