package scale_test

import (
	"reflect"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/scale"
)

// A setting out of its bounds is refused with its bound and changes nothing; so is one in a list.
func TestBounds(t *testing.T) {
	for _, set := range []string{"maxlen=1000000000", "scenes.train=1000000000", "batchsize=100000000", "image=100000", "width=10000000",
		"visionlayers=1000000", "bottlenecks=[3,4,100000,3]", "searchspace=-1", "epochs=1000000000", "views.randaugment.ops=1000",
		"writing.rate=1e300", "writing.rate=-.1", "schedule.rate=1e300", "rampshare=-1e300", "views.crop=[-1,5]", "views.jitter.hue=2",
		"temperature=1e300", "optimiser.epsilon=-1", "scenes.noise=2", "captionnoise=1.5", "locked.side=-2", "mincount=-1"} {
		s := scale.Scales()[0]
		before := s
		err := s.Set(set)
		if name, _, _ := strings.Cut(set, "="); err == nil || !strings.Contains(err.Error(), "; use at ") ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error with the bound", set, err)
		}
		if !reflect.DeepEqual(s, before) {
			t.Errorf("%s changed the scale", set)
		}
	}
	s := scale.Scales()[0]
	must.Fail(t, s.Set("writing.rate=1e300"), "1e+300 is too large; use at most 1;")
	must.Fail(t, s.Set("regions.source=pixels"), `regions.source=pixels: "pixels" is none of boxes, files, grid`)
	for _, s := range scale.Scales() {
		for _, x := range scale.Settings() {
			if v := x.Of(s); v.CanInt() || v.CanFloat() {
				if err := s.Set(x.Name + "=" + x.Value(s)); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
			}
		}
	}
}

// Whatever a setting of a number, a list or a choice cannot be is refused by its name.
func TestNoSetting(t *testing.T) {
	for _, x := range scale.Settings() {
		for _, value := range []string{"NaN", "Inf", "1e300", "-1e300", "-2", "words", "[1,[2]]", "{}", "null"} {
			s := scale.Scales()[0]
			if x.Of(s).Kind() == reflect.String && x.Values == nil || x.Name == "scenes.noise" && value == "-2" {
				continue
			}
			must.Fail(t, s.Set(x.Name+"="+value), x.Name, value)
		}
	}
}
