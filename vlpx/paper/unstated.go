package paper

import "strings"

// Unstated is what a paper concludes from an artifact and no claim states.
type Unstated struct {
	What, Source string
	Why          string // why no claim can
}

// Reasons of an Unstated that recur.
const (
	Alike     = "a t-test can tell two rows apart, not that they are alike"
	DrawnOnly = "it compares points of one row's curve; see the figure"
)

// Remarks end the note of the artifact's table: what there is to know of the paper's numbers, and what it concludes beyond the claims.
func (a Artifact) Remarks() string {
	var b strings.Builder
	if a.Note != "" {
		b.WriteString(" " + a.Note)
	}
	for i, u := range a.Unstated {
		if i == 0 {
			b.WriteString(" The paper says more than the claims test:")
		} else {
			b.WriteString(";")
		}
		b.WriteString(" " + u.What + " (" + u.Source + "): " + u.Why)
	}
	if len(a.Unstated) > 0 {
		b.WriteString(".")
	}
	return b.String()
}
