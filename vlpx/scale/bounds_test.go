package scale_test

import (
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/vlpx/scale"
)

// A setting of absurd size is refused with its bound and changes nothing; so is one in a list.
func TestBounds(t *testing.T) {
	for _, set := range []string{"maxlen=1000000000", "scenes.train=1000000000", "batchsize=100000000", "image=100000", "width=10000000",
		"visionlayers=1000000", "bottlenecks=[3,4,100000,3]", "searchspace=-1000000000", "epochs=1000000000",
		"views.randaugment.ops=1000"} {
		s := scale.Scales()[0]
		before := s
		err := s.Set(set)
		if name, _, _ := strings.Cut(set, "="); err == nil || !strings.Contains(err.Error(), "use at most ") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error with the bound", set, err)
		}
		if !reflect.DeepEqual(s, before) {
			t.Errorf("%s changed the scale", set)
		}
	}
	for _, s := range scale.Scales() {
		for _, x := range scale.Settings() {
			if v := x.Of(s); v.CanInt() {
				if err := s.Set(x.Name + "=" + x.Value(s)); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
			}
		}
	}
}
