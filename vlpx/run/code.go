package run

import (
	"encoding/json"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/source"
)

// Code identifies the code of this module that computes what the run gives (see [source.Code]). Where format and pinned losses say that a
// change of code changed the numbers of all, this says of a single result that they may have changed.
func (r Run) Code() string { return source.Code(r.Train.Framework.Framework) }

// OtherCode reports whether a result is of other code than this program's. So is one of an older version, which does not say of which it
// is.
func (r Run) OtherCode(of Result) bool { return of.Code != r.Code() }

// Stale reports whether a finished run is of other code than this program's.
func (k Kept) Stale() bool { return k.Done && k.Run.OtherCode(k.Result) }

// AnsweredByOther reports whether other code than this program's measured a run, as far as what the store has of it says by which it was
// measured.
func (s *Store) AnsweredByOther(r Run, of Measure) (bool, error) {
	kept, done, err := s.evaluation(r, of)
	return done && r.OtherCode(Result{Code: kept.Code}), err
}

// stale tells whether a run is of a version whose numbers this one's are not: nothing asks for it any more.
func (s *Store) stale(id string) bool {
	text, err := disk.ReadFile(s.folders.Path(id, runName))
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
