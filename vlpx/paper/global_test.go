package paper

import (
	"testing"
	"vlpx.internal/vlpx/scale"
)

// Every method fits together at every preset of every framework.
func TestMethodsAreValidAtEveryScale(t *testing.T) {
	for _, name := range scale.ScaleNames() {
		for _, k := range scale.Frameworks() {
			s, err := scale.Preset(name, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Set("framework=" + k.Name); err != nil {
				t.Fatal(err)
			}
			for _, m := range scale.Methods() {
				if err := m.Parts(s).WithDefaults().Validate(); err != nil {
					t.Errorf("%s at %s on %s: %v", m.Name, name, k.Name, err)
				}
			}
		}
	}
}
