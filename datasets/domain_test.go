package datasets

import "testing"

// domained is a set whose images are all out of domain.
type domained struct{ fake }

func (domained) Domain(int) string { return OutOfDomain }

// A view has the domains of its set, and a set that knows none has none.
func TestWithDomains(t *testing.T) {
	set := domained{fake{{"1"}, {"2"}}}
	for _, s := range []Set{set, First(set, 1, 0), Uncaptioned(First(set, 1, 1))} {
		if view := WithDomains(s); view == nil || view.Domain(0) != OutOfDomain {
			t.Errorf("%T has the domains %v", s, view)
		}
	}
	if view := WithDomains(fake{{"1"}}); view != nil {
		t.Errorf("a set without domains has %v", view)
	}
}
