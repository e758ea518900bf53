package run

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// stale tells whether a run is of a version whose numbers this one's are not: nothing asks for it any more.
func (s *Store) stale(id string) bool {
	text, err := os.ReadFile(filepath.Join(s.dir, id, runName))
	var version struct{ Format int }
	return err == nil && json.Unmarshal(text, &version) == nil && version.Format > 0 && version.Format < format
}

// outdated tells why the run's numbers are not those of today's program; empty where nothing says so.
func (e Entry) outdated() string {
	switch {
	case e.State == Stale:
		return "of an older version, whose numbers this one's are not"
	case e.Kept.Stale():
		return "of other code than today's"
	}
	return ""
}
