package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
)

// withOwn returns the artifact with further rows, one for each method of one's own. A method without a name, or with that of
// another row, is an error, and so is an artifact that compares no methods.
func (a Artifact) withOwn(methods []negative.Method) (Artifact, error) {
	if len(methods) > 0 && len(a.Rows) == 0 {
		return a, fmt.Errorf("%s compares no methods, so it has no place for %q", a.ID, methods[0].Name)
	}
	a.Rows = slices.Clone(a.Rows)
	for i, m := range methods {
		m = m.WithDefaults()
		switch {
		case m.Name == "" || strings.TrimSpace(m.Name) != m.Name:
			return a, fmt.Errorf("%s: method %d of your own is called %q; give it a Name without space around it", a.ID, i+1, m.Name)
		case slices.ContainsFunc(a.Rows, func(r Row) bool { return strings.EqualFold(r.Name, m.Name) }):
			return a, fmt.Errorf("%s has a row %q already; give your method another Name", a.ID, m.Name)
		}
		a.Rows = append(a.Rows, Row{Name: m.Name, Method: func(Scale) negative.Method { return m }})
	}
	return a, nil
}
