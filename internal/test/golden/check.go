package golden

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"vlpx.internal/internal/test/must"
)

// Elsewhere are the cases that the tests of other packages recompute, where what they need can be reached. Check holds these packages
// to it.
var Elsewhere = map[string][]string{
	"negative": {"grit_epoch_pipeline", "grit_grouping", "grit_grouping_from_matrix"},
	"schedule": {"falcon_batch_construction", "falcon_quantile1_equals_grit_like_chain", "falcon_state_features"},
}

// Check recomputes the cases that a package claims, one subtest a case, by checks of the cases' names. Of the shipped cases each
// name must have been met and not skipped.
func Check(t *testing.T, in string, checks map[string]func(*testing.T, Case)) {
	t.Helper()
	claimed := slices.Sorted(maps.Keys(checks))
	if of, is := Elsewhere[in]; is && !slices.Equal(claimed, of) {
		t.Errorf("package %s checks the cases %q, but golden.Elsewhere says %q", in, claimed, of)
	}
	cases := must.Get(Cases())(t)
	met := map[string]bool{}
	for _, c := range cases {
		if check := checks[c.Name]; check != nil {
			t.Run(c.Title(), func(t *testing.T) {
				defer func() { met[c.Name] = met[c.Name] || !t.Skipped() }()
				check(t, c)
			})
		}
	}
	if !Shipped() || strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // other cases, or only those that somebody asks for
	}
	for _, name := range claimed {
		if !met[name] {
			t.Errorf("no shipped case %s was recomputed, though package %s claims to; ship it, or claim less", name, in)
		}
	}
}
