package paper

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/negative"
)

// MethodRow is the row of a registered method, with the paper's numbers. A method that is not registered is a mistake of the program, and
// so panics.
func MethodRow(method string, numbers ...float64) Row {
	m := registered(method)
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
func (row Row) At(s Scale) (negative.Method, error) {
	s, err := row.changing(s)
	if err != nil {
		return negative.Method{}, err
	}
	return row.Method(s), nil
}

// changing is a scale with what the row changes of it.
func (row Row) changing(s Scale) (Scale, error) {
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
	return row.With(func(_ Scale, m *negative.Method) { m.Name = name })
}

// With is the row with a change of its method's parts. The reference model stays as it is.
func (row Row) With(change func(Scale, *negative.Method)) Row {
	method := row.Method
	row.Method = func(s Scale) negative.Method {
		m := method(s)
		change(s, &m)
		return m
	}
	return row
}

// Tuned is the row fine-tuned for retrieval after its pre-training.
func (row Row) Tuned(tune func(Scale) negative.Method) Row {
	row.Tune = tune
	return row
}

// Varying is the row with a change of the scale for it and what it needs.
func (row Row) Varying(change func(*Scale)) Row {
	row.Vary = change
	return row
}

// On is the row on a framework, with changes of the scale for the row and what it needs, which come after the framework's preset.
func (row Row) On(framework string, changes ...func(*Scale)) Row {
	row.Framework = framework
	return row.Varying(func(s *Scale) {
		for _, change := range changes {
			change(s)
		}
	})
}

// Mining is the row with connection mining besides, whose Con-D is MAFA's unless the relation judges.
func (row Row) Mining(e negative.ECM) Row {
	row = row.With(func(_ Scale, m *negative.Method) { m.Positives = e })
	if e.JudgedBy == negative.ConD {
		row = row.informedBy("Con-D")
	}
	return row
}

// LeavingOut is the row without the negatives that a registered method leaves out.
func (row Row) LeavingOut(method string) Row {
	return row.With(func(s Scale, m *negative.Method) { m.LeftOut = registered(method).Parts(s).LeftOut })
}

// Thresholded is a change of a method's thresholds, for Row.With.
func Thresholded(change func(*negative.Thresholds)) func(Scale, *negative.Method) {
	return func(_ Scale, m *negative.Method) {
		t := m.LeftOut.(negative.Thresholds)
		change(&t)
		m.LeftOut = t
	}
}

// Connections are MAFA's thresholds of Con-D (MAFA, section 4.1), judged by Con-D itself.
func Connections() negative.ECM { return negative.ECM{Low: 0.5, High: 0.8} }

// Scheduled is a row of FALCON with a change of its scheduler.
func (row Row) Scheduled(change func(Scale, *negative.Scheduled)) Row {
	return row.With(func(s Scale, m *negative.Method) {
		b := m.Batches.(negative.Scheduled)
		change(s, &b)
		m.Batches = b
	})
}

// Searching is the row at another search space than the scale's; the queue holds as many pairs as ever, in whole search spaces. The reference
// model stays as it is.
func (row Row) Searching(space func(Scale) int) Row {
	method := row.Method
	row.Method = func(s Scale) negative.Method {
		size := space(s)
		s.SearchSpace, s.GroupQueue = size, max(s.GroupQueue/size, 1)*size
		return method(s)
	}
	return row
}

// WebNoise is the share of captions that do not belong to their image on what the papers call noisy captions from the web, MAFA's "4M-Noisy"
// and the noisy half of FALCON's table 2. Web captions have no such number; ours is a choice.
const WebNoise = 0.3

// OnWebCaptions is the row on captions of which the share WebNoise is another image's.
func (row Row) OnWebCaptions() Row {
	return row.Varying(func(s *Scale) { s.CaptionNoise = WebNoise })
}

// QuantileLevels are the fixed levels of hardness of our sweep. They stand in for those of FALCON's figure 2, too, which are lost.
func QuantileLevels() []float64 { return []float64{0.5, 0.8, 0.9, 0.95, 1} }

// QuantileRows are GRIT-VLP's grouping at fixed quantiles; at 1 it is GRIT-VLP.
func QuantileRows(levels []float64) []Row {
	var rows []Row
	for _, q := range levels {
		name := fmt.Sprintf("q = %g", q)
		if q == 1 {
			rows = append(rows, MethodRow("GRIT-VLP").As(name))
			continue
		}
		rows = append(rows, MethodRow("Hard quantile").As(name).With(func(_ Scale, m *negative.Method) {
			b := m.Batches.(negative.FixedQuantile)
			b.Quantile = q
			m.Batches = b
		}))
	}
	return rows
}

// WithoutNumbers are the rows without the paper's numbers.
func WithoutNumbers(rows []Row) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Paper = nil
	}
	return rows
}

// RowNamed is the row of that name; it is there.
func RowNamed(rows []Row, name string) Row {
	return rows[slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })]
}
