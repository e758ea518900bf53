package paper

import (
	"fmt"
	"slices"
	"testing"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// Each part of each method can be chosen alone.
func TestEveryMethodsPartsCanBeChosen(t *testing.T) {
	s := scale.Scales()[0]
	for _, m := range scale.Methods() {
		whole := m.Parts(s).WithDefaults()
		for _, role := range negative.Roles() {
			wanted := role.Of(whole)
			if !slices.ContainsFunc(Parts(role), func(p negative.Part) bool {
				var alone negative.Method
				fill(role, p, s, PlainAblation(s), &alone)
				return fmt.Sprintf("%T", role.Of(alone)) == fmt.Sprintf("%T", wanted)
			}) {
				t.Errorf("%s: no choice of %s is %T", m.Name, role.Name, wanted)
			}
		}
	}
}
