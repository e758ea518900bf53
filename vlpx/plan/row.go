package plan

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// MethodRow is the row of a registered method, with the paper's numbers. A method that is not registered is a mistake of the program, and
// so panics.
func MethodRow(method string, numbers ...float64) Row {
	m := scale.Registered(method)
	row := Row{Method: m.Parts, Tune: m.Tune, Paper: numbers}
	if m.Reference != "" {
		row = row.informedBy(m.Reference)
	}
	return row.As(m.Name)
}

// informedBy is the row with the run of a registered method as its reference model.
func (row Row) informedBy(method string) Row {
	reference := MethodRow(method)
	row.Reference = &reference
	return row
}

// At is the row's method at a scale, with what the row changes of that.
func (row Row) At(s scale.Scale) (negative.Method, error) {
	s, err := row.Changing(s)
	if err != nil {
		return negative.Method{}, err
	}
	return row.Method(s.Resolved()), nil
}

// changing is a scale with what the row changes of it.
func (row Row) Changing(s scale.Scale) (scale.Scale, error) {
	if row.Vary != nil {
		row.Vary(&s)
	}
	if err := s.SetAll(row.Set); err != nil {
		return s, fmt.Errorf("%s: %w", row.Name, err)
	}
	return s, nil
}

// As is the row under another name.
func (row Row) As(name string) Row {
	row.Name = name
	return row.With(func(_ scale.Scale, m *negative.Method) { m.Name = name })
}

// With is the row with a change of its method's parts. The reference model stays as it is.
func (row Row) With(change func(scale.Scale, *negative.Method)) Row {
	method := row.Method
	row.Method = func(s scale.Scale) negative.Method {
		m := method(s)
		change(s, &m)
		return m
	}
	return row
}

// Tuned is the row fine-tuned for retrieval after its pre-training.
func (row Row) Tuned(tune func(scale.Scale) negative.Method) Row {
	row.Tune = tune
	return row
}

// OnScenes is the row for generated scenes alone.
func (row Row) OnScenes() Row {
	row.Scenes = true
	return row
}

// Varying is the row with a change of the scale for it and what it needs.
func (row Row) Varying(change func(*scale.Scale)) Row {
	row.Vary = change
	return row
}

// On is the row on a framework, with changes of the scale for the row and what it needs, which come after the framework's preset.
func (row Row) On(framework string, changes ...func(*scale.Scale)) Row {
	row.Framework = framework
	return row.Varying(func(s *scale.Scale) {
		for _, change := range changes {
			change(s)
		}
	})
}

// Mining is the row with connection mining besides, whose Con-D is MAFA's unless the relation judges.
func (row Row) Mining(by negative.Positives) Row {
	row = row.With(func(_ scale.Scale, m *negative.Method) { m.Positives = by })
	if by.Judge() == negative.ConD {
		row = row.informedBy("Con-D")
	}
	return row
}

// LeavingOut is the row without the negatives that a registered method leaves out.
func (row Row) LeavingOut(method string) Row {
	return row.With(func(s scale.Scale, m *negative.Method) { m.LeftOut = scale.Registered(method).Parts(s).LeftOut })
}

// Part is a change of the part of type T that a method has, for [Row.With]. A method without one is a mistake of the program, and so
// panics.
func Part[T any](change func(scale.Scale, *T)) func(scale.Scale, *negative.Method) {
	return func(s scale.Scale, m *negative.Method) {
		for _, role := range negative.Roles() {
			if part, is := role.Of(*m).(T); is {
				change(s, &part)
				role.Put(m, part)
				return
			}
		}
		panic(fmt.Sprintf("plan: %s has no %T", m.Name, *new(T)))
	}
}

// Searching is the row at another search space than the scale's; the queue holds as many pairs as ever, in whole search spaces. The
// reference model stays as it is.
func (row Row) Searching(space func(scale.Scale) int) Row {
	method := row.Method
	row.Method = func(s scale.Scale) negative.Method {
		s = s.Resolved()
		size := space(s)
		s.SearchSpace, s.GroupQueue = size, max(s.GroupQueue/size, 1)*size
		return method(s)
	}
	return row
}

// WebNoise is the share of captions that do not belong to their image on what the papers call noisy captions from the web, MAFA's
// "4M-Noisy" and the noisy half of FALCON's table 2. Web captions have no such number; ours is a choice.
const WebNoise = 0.3

// OnWebCaptions is the row on captions of which the share WebNoise is another image's.
func (row Row) OnWebCaptions() Row {
	return row.Varying(func(s *scale.Scale) { s.CaptionNoise = WebNoise })
}

// UniformRow is the control of hard mini-batches: uniform ones under the losses of GRIT-VLP, which are those of the quantiles and FALCON.
func UniformRow() Row {
	return MethodRow("GRIT-VLP").As("Uniform (same losses)").With(func(s scale.Scale, m *negative.Method) {
		m.Batches = scale.Registered("InfoNCE").Parts(s).Batches
	})
}

// WithoutNumbers are the rows without the paper's numbers.
func WithoutNumbers(rows []Row) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Paper = nil
	}
	return rows
}

// Row is one method of a comparison.
type Row struct {
	Name string
	Base string // the method's name without the settings that a text gave behind it; empty where it gave none
	// Method gives the method at a scale; nil while it is not there yet.
	Method func(scale.Scale) negative.Method
	// Paper holds the numbers the paper reports, one a column of the artifact, NaN where its text has lost one or has none; none for a
	// row of our own.
	Paper []float64
	// Tune gives the method of retrieval fine-tuning after Method's pre-training, whose results are then the row's; nil for none.
	Tune func(scale.Scale) negative.Method
	// Reference is the row whose run of the same seed is the frozen reference model of Method, at this row's scale; nil for none.
	Reference *Row
	// From is the row whose run of the same seed this one goes on from, in the place of the scale's warm start; nil for none.
	From *Row
	// Added is what the training captions of the row's second stage get besides; nothing for none.
	Added Added
	// Framework is the name of the one that the row is on, whatever the scale's; empty for the scale's. Another one that is asked for
	// leaves the row out.
	Framework string
	// Vary changes the scale for this row and what it needs, such as its data; nil for nothing. Set are further such changes,
	// "key=value".
	Vary func(*scale.Scale)
	Set  []string
	// Fields are what Method has set of its parts for a row that names it so, "key=value".
	Fields []string
	// Tasks are what the row's runs are measured by besides those of the framework.
	Tasks eval.Tasks
	// Scenes is set of a row that asks what only generated scenes tell: which captions are true of which images. On other data it is left out.
	Scenes bool
	// Measure is what the row measures of finished runs; nil for nothing. Such a row is named after it.
	Measure *Measure
}

// Writing is the row with TAGS' written negatives besides, beside its method's own matching: of each caption the hardest of four.
func (row Row) Writing() Row {
	return row.With(func(s scale.Scale, m *negative.Method) {
		t := s.Writing.TAGS()
		t.Masks, t.Refills, t.Keep = 2, 2, 1
		m.Writing = t
	})
}

// Further is the second stage of TAGS-DC: it goes on from the row's run with another method, for Writing.Further epochs.
func (row Row) Further(method string) Row {
	first := row
	second := MethodRow(method)
	second.From = &first
	return second.On(row.Framework, func(s *scale.Scale) {
		if row.Vary != nil {
			row.Vary(s)
		}
		s.Epochs = s.Writing.Further
		s.Linear(s.Writing.FurtherRate)
	})
}

// Added is what the training captions of a second stage get besides (MAFA, Table 20).
type Added string

// What a second stage may learn from besides.
const (
	MinedPairs    Added = "mined"    // pairs that the first stage finds to match, among the hardest of grouped mini-batches
	RepeatedPairs Added = "repeated" // as many of its own pairs again
)
