package lab

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// RunFilter says which runs to list; the zero value lists all.
type RunFilter struct {
	Since      time.Duration // those finished, or last written to, at most so long ago; 0 for all
	Method     string        // those whose method's name, settings included, has this in it
	Unfinished bool          // those that are not finished
	// Scale is that of runs, such as "tiny"; Engine and Data are in the names of their engine and their data. Empty for all.
	Scale, Engine, Data string
}

// Empty reports whether the filter lets every run pass.
func (f RunFilter) Empty() bool { return f == RunFilter{} }

// RunInfo is a run of the store as lists tell it. What a run of an older version does not tell is empty.
type RunInfo struct {
	ID        string    `json:"id"`
	Method    string    `json:"method"` // with its settings
	Framework string    `json:"framework"`
	Scale     string    `json:"scale"`
	Set       []string  `json:"set,omitempty"` // what the request changed of the scale
	Data      string    `json:"data"`
	DataHash  string    `json:"data_hash"`
	Images    int       `json:"images,omitempty"` // of training; 0 for all of the data
	Seed      uint64    `json:"seed"`
	State     run.State `json:"state"`
	OtherCode bool      `json:"other_code,omitempty"` // than this program's made it, or a run that it goes on from
	Problem   string    `json:"problem,omitempty"`    // what is damaged, with what to do
	Epochs    int       `json:"epochs"`               // that it is to have
	Done      int       `json:"epochs_done"`
	Time      time.Time `json:"time"`              // when it was finished, else last written to
	Seconds   float64   `json:"seconds,omitempty"` // of training, of a finished run
	Bytes     int64     `json:"bytes"`             // of all its files
	Model     int64     `json:"model_bytes"`       // of these, the files with weights
	Engine    string    `json:"engine,omitempty"`
	Commit    string    `json:"commit,omitempty"`
	Needs     []string  `json:"needs,omitempty"`     // identities of runs
	NeededBy  []string  `json:"needed_by,omitempty"` // likewise, of those that the store has
	Dir       string    `json:"dir"`
}

// RunList is a list of runs. It shows itself on a page and in a terminal.
type RunList struct {
	Runs []RunInfo
	Home string
	Of   int // runs that the store has in all
	// Sweeps are those that are not done, where the list is of unfinished runs.
	Sweeps Sweeps

	short int // digits of an identity that tell it from all others of the store
}

// Runs lists runs of the store, the latest first.
func (s *Store) Runs(f RunFilter) (*RunList, error) {
	all, err := s.Entries()
	if err != nil {
		return nil, err
	}
	l := &RunList{Home: s.Home, Of: len(all), short: shortest(all)}
	by, byID := run.NeededBy(all), identified(all)
	for _, e := range all {
		info := about(e, by[e.ID])
		info.OtherCode = otherCode(e, byID)
		if f.has(info) {
			l.Runs = append(l.Runs, info)
		}
	}
	slices.SortStableFunc(l.Runs, func(a, b RunInfo) int { return b.Time.Compare(a.Time) })
	if f.Unfinished {
		sweeps, err := s.Sweeps()
		if err != nil {
			return nil, err
		}
		for _, one := range sweeps {
			if one.Progress.Done < one.Progress.Of {
				l.Sweeps = append(l.Sweeps, one)
			}
		}
	}
	return l, nil
}

func (f RunFilter) has(r RunInfo) bool {
	return (f.Since == 0 || time.Since(r.Time) <= f.Since) && (!f.Unfinished || r.State != run.Finished) &&
		within(r.Method, f.Method) && within(r.Engine, f.Engine) && within(r.Data, f.Data) &&
		(f.Scale == "" || strings.EqualFold(r.Scale, f.Scale))
}

// within reports whether a text has another one in it, in any case.
func within(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// about is what a list shows of a run.
func about(e run.Entry, by []run.Entry) RunInfo {
	r := RunInfo{
		ID: e.ID, Method: e.Method(), Scale: e.Label.Scale, Set: e.Label.Set, Data: e.Run.Data.Name, DataHash: e.Run.Data.Hash,
		Images: e.Run.Data.Images,
		Seed:   e.Run.Train.Seed, State: e.State, Epochs: e.Run.Train.Epochs, Done: e.Epochs, Time: e.Time, Seconds: e.Result.Seconds,
		Bytes: e.Bytes,
		Model: e.Model, Engine: e.Result.Engine, Commit: e.Result.Commit, Dir: e.Dir,
	}
	if f := e.Run.Train.Framework.Framework; f != nil {
		r.Framework = f.Name()
	}
	if s := e.Run.Data.Scenes; s != nil {
		r.Images = s.Train
	}
	if e.Err != nil {
		r.Problem = strings.TrimPrefix(e.Err.Error(), "run: ")
	}
	for _, need := range e.Needs() {
		r.Needs = append(r.Needs, need.ID)
	}
	for _, other := range by {
		r.NeededBy = append(r.NeededBy, other.ID)
	}
	return r
}

// shortest is how many digits tell the identities of a store apart, at least those that a short one has.
func shortest(all []run.Entry) int {
	n := len(run.Short(strings.Repeat("0", 16)))
	for i := 1; i < len(all); i++ { // they are sorted
		one, next, same := all[i-1].ID, all[i].ID, 0
		for same < len(one) && one[same] == next[same] {
			same++
		}
		n = max(n, min(same+1, len(one)))
	}
	return n
}

// label is the method's name, with the framework where that is not the usual one and the name does not say so.
func (r RunInfo) label() string {
	method := cmp.Or(r.Method, "–")
	kind, _, _ := strings.Cut(r.Framework, " ") // of "BLIP-2 captions"
	if kind == "" || kind == scale.Usual().Name || strings.Contains(method, kind) {
		return method
	}
	return fmt.Sprintf("%s on %s", method, r.Framework)
}

// scale is the scale with what was changed of it, if that is short, else with how much was.
func (r RunInfo) scale() string {
	const short = 24
	if text := r.wholeScale(); len(text) <= short {
		return text
	}
	return fmt.Sprintf("%s, %s", cmp.Or(r.Scale, "–"), counted(len(r.Set), "setting"))
}

// wholeScale is the scale with what was changed of it.
func (r RunInfo) wholeScale() string {
	return strings.Join(append([]string{cmp.Or(r.Scale, "–")}, r.Set...), ", ")
}

// data is the data's name with the number of training images.
func (r RunInfo) data() string {
	if r.Images == 0 {
		return cmp.Or(r.Data, "–")
	}
	return fmt.Sprintf("%s (%d)", r.Data, r.Images)
}

// progress is the state, with the epochs that an unfinished run has of those that it is to have.
func (r RunInfo) progress() string {
	switch {
	case r.State == run.Finished:
		text := string(r.State)
		if r.OtherCode {
			text += ", other code"
		}
		if r.Model == 0 {
			text += ", no model"
		}
		return text
	case (r.State == run.Stopped || r.State == run.AtWork) && r.Epochs > 0:
		return strings.Replace(fmt.Sprintf("%s at %d/%d", r.State, r.Done, r.Epochs), "at work at", "at work,", 1)
	}
	return string(r.State)
}

// took is how long training took.
func (r RunInfo) took() string {
	if r.State != run.Finished {
		return "–"
	}
	return time.Duration(r.Seconds * float64(time.Second)).Round(time.Second).String()
}

// when is a time in a list.
func when(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	if t.Local().Year() == time.Now().Year() {
		return t.Local().Format("01-02 15:04")
	}
	return t.Local().Format("2006-01-02")
}

// megabytes is a size in MB.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

// counted is a number of things: "1 run", "2 runs".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Table lays the list out.
func (l *RunList) Table() tables.Table {
	t := tables.Table{
		Title: "Runs of the store", Heading: "run",
		Columns: []tables.Column{{Name: "method"}, {Name: "scale"}, {Name: "data"}, {Name: "seed"}, {Name: "state"}, {Name: "when"},
			{Name: "took"}, {Name: "MB"}},
	}
	var bytes int64
	var damaged []string
	for _, r := range l.Runs {
		t.Rows = append(t.Rows, words(r.ID[:l.short], r.label(), r.scale(), r.data(), fmt.Sprint(r.Seed), r.progress(),
			when(r.Time), r.took(),
			megabytes(r.Bytes)))
		bytes += r.Bytes
		if r.Problem != "" {
			damaged = append(damaged, r.Problem)
		}
	}
	of := ""
	if len(l.Runs) < l.Of {
		of = fmt.Sprintf(" of %d", l.Of)
	}
	t.Title += fmt.Sprintf(": %s%s, %s MB, in %s", counted(len(l.Runs), "run"), of, megabytes(bytes), l.Home)
	var notes []string
	for _, sweep := range l.Sweeps {
		notes = append(notes, fmt.Sprintf("Sweep %s: %s.", sweep.Name, sweep.Progress))
	}
	if len(damaged) > 0 {
		notes = append(notes, fmt.Sprintf("Damaged: %s.", strings.Join(damaged, "; ")))
	}
	t.Note = strings.Join(notes, " ")
	return t
}

// HTML writes the list for a page.
func (l *RunList) HTML(w io.Writer) error { return l.Table().HTML(w) }

// Text writes the list for a terminal.
func (l *RunList) Text(w io.Writer, terminal tables.Terminal) error {
	return l.Table().Text(w, terminal)
}

// JSON writes the runs.
func (l *RunList) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(slices.Concat([]RunInfo{}, l.Runs)) // none is a list, too
}
