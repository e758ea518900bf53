package run

import (
	"bytes"
	"fmt"
	"regexp"

	"vlpx.internal/vlpx/source"
)

// Orphans says why nothing is likely to ask again for runs, by their identities: finished runs with parts, frameworks or tasks of other
// modules whose code has changed since, so that another run has the same settings and was finished later. Only the given runs are compared,
// so give all of a store's.
func Orphans(all []Kept) map[string]string {
	why, latest, settings := map[string]string{}, map[string]Kept{}, newSettings(all)
	for _, k := range all {
		key := settings.of(k.ID)
		if last, is := latest[key]; k.Done && (!is || k.Result.Finished.After(last.Result.Finished)) {
			latest[key] = k
		}
	}
	for _, k := range all {
		if last := latest[settings.of(k.ID)]; k.Done && last.ID != k.ID {
			why[k.ID] = fmt.Sprintf("its own code has changed since: %s is of the same settings and later code", last.ID)
		}
	}
	return why
}

// settings are runs' configurations without the hashes of foreign code, by the runs' identities.
type settings map[string]string

func newSettings(all []Kept) settings {
	s := settings{}
	for _, k := range all {
		s[k.ID] = string(source.Without(k.JSON))
	}
	return s
}

// identities are those of runs that another one names.
var identities = regexp.MustCompile(`"[0-9a-f]{16}"`)

// of returns a run's settings, with those of the runs that it names in the place of their identities.
func (s settings) of(id string) string {
	return string(identities.ReplaceAllFunc([]byte(s[id]), func(quoted []byte) []byte {
		if named := string(bytes.Trim(quoted, `"`)); s[named] != "" && named != id {
			return []byte(s.of(named))
		}
		return quoted
	}))
}
