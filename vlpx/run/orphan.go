package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"vlpx.internal/vlpx/identity"
)

// Orphans tells of runs of one's own parts, frameworks and tasks that nothing is likely to ask for again, by their identities, in words: those that
// were identified by a whole program, as older versions did, and finished ones whose code is another one in a run with the same settings that was
// finished later: an attempt that failed or was stopped takes nobody's place. Of the later ones only what the given runs have is known, so give all
// of a store's.
func Orphans(all []Kept) map[string]string {
	why := map[string]string{}
	settings := newSettings(all)
	latest := map[string]Kept{}
	for _, k := range all {
		key := settings.of(k.ID)
		if last, is := latest[key]; !k.Done || is && !k.Result.Finished.After(last.Result.Finished) {
			continue
		}
		latest[key] = k
	}
	for _, k := range all {
		switch last := latest[settings.of(k.ID)]; {
		case byProgram.Match(k.JSON):
			why[k.ID] = "it was identified by the whole program that made it, which no other program is"
		case k.Done && last.ID != k.ID:
			why[k.ID] = fmt.Sprintf("its own code has changed since: %s is of the same settings and later code", last.ID)
		}
	}
	return why
}

// Stale tells whether a finished run is of another code than this program's; see [Description.OtherCode].
func (k Kept) Stale() bool { return k.Done && k.Description.OtherCode(k.Result) }

// settings are the runs' configurations without the code of what is one's own.
type settings struct {
	runs map[string]Kept
	keys map[string]string
}

func newSettings(all []Kept) settings {
	s := settings{map[string]Kept{}, map[string]string{}}
	for _, k := range all {
		s.runs[k.ID] = k
	}
	return s
}

// identities are those of runs that another one names.
var identities = regexp.MustCompile(`"[0-9a-f]{16}"`)

// of identifies the settings of a run, with those of the runs that it names in the place of their identities.
func (s settings) of(id string) string {
	if known, is := s.keys[id]; is {
		return known
	}
	s.keys[id] = id // of a run that names itself, which none does
	var told any
	if err := json.Unmarshal(s.runs[id].JSON, &told); err != nil {
		return id
	}
	text, err := json.Marshal(uncoded(told))
	if err != nil {
		return id
	}
	text = identities.ReplaceAllFunc(text, func(quoted []byte) []byte {
		named := string(bytes.Trim(quoted, `"`))
		if _, is := s.runs[named]; !is || named == id {
			return quoted
		}
		return []byte(`"` + s.of(named) + `"`)
	})
	sum := sha256.Sum256(text)
	s.keys[id] = hex.EncodeToString(sum[:])
	return s.keys[id]
}

// codes are the keys under which a run's JSON has the code of what is one's own.
var codes = []string{identity.Source, identity.Executable, identity.Program}

// uncoded is a JSON value without code.
func uncoded(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if sum, is := value.(string); is && slices.Contains(codes, key) && hashes.MatchString(sum) {
				v[key] = ""
				continue
			}
			v[key] = uncoded(value)
		}
	case []any:
		for k := range v {
			v[k] = uncoded(v[k])
		}
	}
	return v
}

// hashes are what a code is told by; a setting of the same name holds something else.
var hashes = regexp.MustCompile(`^[0-9a-f]{64}$`)

// byProgram finds in a run's JSON that it was identified by a program.
var byProgram = regexp.MustCompile(`"` + identity.Program + `": "[0-9a-f]{64}"`)
