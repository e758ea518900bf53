package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/vlpx/train"
)

// Description is a run as its canonical JSON tells it. Its Run lacks what that does not give back: the parts and the name of the method,
// the runs that it needs, where its data and checkpoints lie, and what these are called. So the Run's own ID is not the description's.
type Description struct {
	ID   string
	Run  Run
	JSON []byte // canonical
}

// longestSettings bounds a run's JSON, in bytes, of which it has some thousand.
const longestSettings = 4 << 20

// Describe reads a run's JSON, in whatever way its lines are broken.
func Describe(text []byte) (Description, error) {
	if len(text) > longestSettings {
		return Description{}, fmt.Errorf("run: settings of %d bytes; a run's have at most %d", len(text), longestSettings)
	}
	var told struct {
		Format int
		Run
		Train struct {
			train.Config
			Method json.RawMessage
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var version struct{ Format int }
	if err := json.Unmarshal(text, &version); err == nil && version.Format > 0 && version.Format < format {
		return Description{}, fmt.Errorf("run: settings of format %d, of an older version; this one knows format %d, so use the version "+
			"that made the run, "+
			"or delete it", version.Format, format)
	}
	if err := d.Decode(&told); err != nil {
		return Description{}, fmt.Errorf("run: no run's settings, or those of a newer version: %w", plainjson.InText(text, err))
	}
	if told.Format != format {
		return Description{}, fmt.Errorf("run: settings of format %d; this version knows format %d, so use the version that made the run",
			told.Format, format)
	}
	var line, canonical bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return Description{}, fmt.Errorf("run: no run's settings: %w", err)
	}
	if err := json.Indent(&canonical, line.Bytes(), "", "  "); err != nil {
		return Description{}, fmt.Errorf("run: no run's settings: %w", err)
	}
	sum := sha256.Sum256(canonical.Bytes())
	described := Description{hex.EncodeToString(sum[:8]), told.Run, canonical.Bytes()}
	described.Run.Train = told.Train.Config
	return described, nil
}
