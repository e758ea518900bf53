package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/run/store"
)

// Answer is what a task gave of a run, as the store has it, whether or not this program knows the task.
type Answer struct {
	By       string             // the tasks with their settings, as JSON on one line
	Metrics  map[string]float64 // by name, with the split behind it where that is not the test split, and with what is of the first model
	Finished time.Time
	// OtherCode says that other code than this program's has measured it.
	OtherCode bool
}

// AnswersOf are all that tasks gave of a run of the store, whose code today is known (see [Run.Code]). What cannot be read is missing, and
// told by the error.
func (s *Store) AnswersOf(id, code string) (all []Answer, err error) {
	files, err := disk.ReadDir(s.folders.Folder(id))
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	var failed []error
	for _, file := range files {
		if !strings.HasPrefix(file.Name(), taskPrefix) {
			continue
		}
		path := s.folders.Path(id, file.Name())
		text, err := store.Read(path)
		var kept struct {
			Of struct {
				Split string
				First bool
				Tasks json.RawMessage
			}
			Metrics  map[string]float64
			Code     string
			Finished time.Time
		}
		var by bytes.Buffer
		if err == nil {
			err = json.Unmarshal(text, &kept)
		}
		if err == nil {
			err = json.Compact(&by, kept.Of.Tasks)
		}
		if err != nil {
			failed = append(failed, &Damaged{ID: id, Path: path, Err: err, Again: "measure"})
			continue
		}
		one := Answer{By: by.String(), Metrics: map[string]float64{}, Finished: kept.Finished, OtherCode: kept.Code != code}
		for name, v := range kept.Metrics {
			if kept.Of.Split != "test" {
				name += ", " + kept.Of.Split
			}
			if kept.Of.First {
				name += ", before training"
			}
			one.Metrics[name] = v
		}
		all = append(all, one)
	}
	return all, errors.Join(failed...)
}
