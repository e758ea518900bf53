package plan_test

import (
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/scale"
)

// Every method fits together at every preset of every framework.
func TestMethodsAreValidAtEveryScale(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, k := range scale.Frameworks() {
			s := must.Get(scale.Preset(name, false))(t)
			must.Do(t, s.Set("framework="+k.Name))
			for _, m := range scale.Methods() {
				if err := m.Parts(s).WithDefaults().Validate(); err != nil {
					t.Errorf("%s at %s on %s: %v", m.Name, name, k.Name, err)
				}
			}
		}
	}
}
