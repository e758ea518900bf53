package paper

import "testing"

// Every method fits together at every preset of every framework.
func TestMethodsAreValidAtEveryScale(t *testing.T) {
	for _, name := range ScaleNames() {
		for _, k := range Frameworks() {
			s, err := Preset(name, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Set("framework=" + k.Name); err != nil {
				t.Fatal(err)
			}
			for _, m := range Methods() {
				if err := m.Parts(s).WithDefaults().Validate(); err != nil {
					t.Errorf("%s at %s on %s: %v", m.Name, name, k.Name, err)
				}
			}
		}
	}
}
