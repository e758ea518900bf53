package run

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	gomlx "github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// Problem is what verifying finds of a run or of the store.
type Problem struct {
	ID   string // of the run; empty for the store
	What string // with what to do
	// Harmless is what changes no number and stops no run, such as a run that is needed and is not there any more.
	Harmless bool
}

// Verify reads everything that the store has of runs as those do who need it: settings, results, weights, curves, tokenizers, what tasks
// gave and what models mined. told, if not nil, hears of each run before. Runs at work are left out.
func (s *Store) Verify(ctx context.Context, told func(Entry)) ([]Problem, error) {
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	var found []Problem
	there := map[string]bool{}
	for _, e := range all {
		there[e.ID] = true
	}
	for _, e := range all {
		if ctx.Err() != nil {
			return found, context.Cause(ctx)
		}
		if told != nil {
			told(e)
		}
		found = append(found, s.problems(e)...)
		for _, need := range e.Needs() {
			if !there[need.ID] {
				found = append(found, Problem{e.ID, fmt.Sprintf("run %s, %s, is not there; it is made again where it is needed",
					Short(need.ID), need.For), true})
			}
		}
	}
	left, err := s.folders.Leftovers()
	for _, dir := range left {
		found = append(found, Problem{"", fmt.Sprintf("%s was left by a process that was killed; vlpx prune orphans removes it", dir),
			true})
	}
	return found, err
}

// problems are what is wrong with a run's files.
func (s *Store) problems(e Entry) (found []Problem) {
	add := func(harmless bool, err error, todo string) {
		if err != nil {
			what := err.Error()
			if todo != "" {
				what += "; " + todo
			}
			found = append(found, Problem{e.ID, what, harmless})
		}
	}
	switch {
	case e.State == AtWork:
		return nil
	case e.State == Stale:
		add(true, errors.New(e.outdated()), "vlpx prune stale removes it")
		return found
	}
	add(false, e.Err, "")
	again := fmt.Sprintf("vlpx rm %s removes the run, to be trained again", Short(e.ID))
	for _, name := range modelNames {
		add(false, present(train.LoadCheckpoint(filepath.Join(e.Dir, name), gomlx.NewStore(), new(json.RawMessage))), again)
	}
	if e.Done {
		_, err := train.ReadCurves(e.Dir)
		add(false, cmp.Or(e.Unchanged(train.CurvesName), err), "delete the file; the result has the epochs")
	}
	_, err := text.FromTokenizerJSON(filepath.Join(e.Dir, tokenizerName))
	add(false, cmp.Or(e.Unchanged(tokenizerName), present(err)), again)
	files, err := disk.ReadDir(e.Dir)
	add(false, err, "")
	for _, file := range files {
		switch name := file.Name(); {
		case strings.HasPrefix(name, minedPrefix):
			add(false, verifyMined(e, name), "delete the file to mine again")
		case strings.HasPrefix(name, taskPrefix):
			add(false, verifyEvaluation(e, name), "delete the file to measure again")
		}
	}
	for _, name := range e.left {
		add(true, fmt.Errorf("%s was left by a process that was killed", filepath.Join(e.Dir, name)), "vlpx prune orphans removes it")
	}
	return found
}

// sound is the first thing that is wrong with a run's files and not harmless.
func (s *Store) sound(e Entry) error {
	for _, p := range s.problems(e) {
		if !p.Harmless {
			return fmt.Errorf("run %s: %s", e.ID, p.What)
		}
	}
	return nil
}

// present is an error but that a file is not there.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// verifyMined reads pairs that the run mined.
func verifyMined(e Entry, name string) error {
	path := filepath.Join(e.Dir, name)
	text, err := store.ReadList(path)
	if err != nil {
		return fmt.Errorf("run: %s: %w", path, err)
	}
	var kept minedPairs
	if err := json.Unmarshal(text, &kept); err != nil {
		return fmt.Errorf("run: %s: %w", path, err)
	}
	if kept.By != e.ID || (Added{Mining: kept.Mining}).name() != name {
		return fmt.Errorf("run: %s: these are pairs that another run mined, or in another way", path)
	}
	return nil
}

// verifyEvaluation reads what a task gave of the run.
func verifyEvaluation(e Entry, name string) error {
	path := filepath.Join(e.Dir, name)
	text, err := store.Read(path)
	if err != nil {
		return fmt.Errorf("run: %s: %w", path, err)
	}
	var kept struct {
		ID      string
		Of      json.RawMessage
		Metrics map[string]float64
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		return fmt.Errorf("run: %s: %w", path, err)
	}
	var of bytes.Buffer
	if err := json.Compact(&of, kept.Of); err != nil {
		return fmt.Errorf("run: %s: %w", path, err)
	}
	sum := sha256.Sum256(of.Bytes())
	if kept.ID != e.ID || kept.Metrics == nil || taskPrefix+hex.EncodeToString(sum[:8])+".json" != name {
		return fmt.Errorf("run: %s: this is no evaluation of run %s, or what another task gave", path, e.ID)
	}
	return nil
}
