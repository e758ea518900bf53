package plan

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// withOwn returns the experiment with further rows, one for each method of one's own. A method without a name, or with that of
// another row, is an error, and so is an experiment without rows.
func (e Experiment) withOwn(methods []negative.Method) (Experiment, error) {
	if len(methods) > 0 && len(e.Rows) == 0 {
		return e, fmt.Errorf("%s compares no methods, so it has no place for %q", e.ID, methods[0].Name)
	}
	e.Rows = slices.Clone(e.Rows)
	for i, m := range methods {
		m = m.WithDefaults()
		switch {
		case m.Name == "" || strings.TrimSpace(m.Name) != m.Name:
			return e, fmt.Errorf("%s: method %d of your own is called %q; give it a Name without space around it", e.ID, i+1, m.Name)
		case slices.ContainsFunc(e.Rows, func(r Row) bool { return strings.EqualFold(r.Name, m.Name) }):
			return e, fmt.Errorf("%s has a row %q already; give your method another Name", e.ID, m.Name)
		}
		e.Rows = append(e.Rows, Row{Name: m.Name, Method: func(s scale.Scale) negative.Method { return s.Sized(m) }})
	}
	return e, nil
}
