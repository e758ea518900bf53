package catalogue

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/paper"
)

// A primary claim is one of its artifact's, named once, and there are six at most.
func TestPrimaryClaims(t *testing.T) {
	for id, claims := range primary() {
		a := must.Get(Find(id))(t)
		if n := len(claims); n == 0 || n > 6 {
			t.Errorf("%s: %d primary claims, want one to six", id, n)
		}
		for k, text := range claims {
			if !slices.ContainsFunc(a.Claims, func(c paper.Claim) bool { return c.String() == text }) {
				t.Errorf("%s: no claim %q", id, text)
			}
			if slices.Contains(claims[:k], text) {
				t.Errorf("%s: %q is there twice", id, text)
			}
		}
		for k, c := range a.Claims {
			if slices.ContainsFunc(a.Claims[:k], func(other paper.Claim) bool { return other.String() == c.String() }) {
				t.Errorf("%s claims %q twice", id, c)
			}
		}
	}
}
