package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Curves are what a run has told of its training so far.
type Curves struct {
	Points []Point  // every few steps
	Epochs []Record // one an epoch that is finished
}

// ReadCurves reads the curves in a run's folder, those of a run that is still training included, whichever process trains it: a
// line that is being written is left out. Without a file there are none.
func ReadCurves(dir string) (Curves, error) {
	path := filepath.Join(dir, CurvesName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Curves{}, nil
	}
	if err != nil {
		return Curves{}, fmt.Errorf("train: %w", err)
	}
	return parseCurves(path, text)
}

func parseCurves(path string, text []byte) (Curves, error) {
	var c Curves
	for number := 1; ; number++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return c, nil
		}
		text = rest
		var kind struct{ Step *int }
		err := json.Unmarshal(line, &kind)
		switch {
		case err != nil:
		case kind.Step != nil:
			var p Point
			if err = json.Unmarshal(line, &p); err == nil {
				c.Points = append(c.Points, p)
			}
		default:
			var r Record
			if err = json.Unmarshal(line, &r); err == nil {
				c.Epochs = append(c.Epochs, r)
			}
		}
		if err != nil {
			return Curves{}, fmt.Errorf("train: %s: line %d: %w", path, number, err)
		}
	}
}
