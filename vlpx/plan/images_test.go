package plan

import (
	"testing"

	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// What a scale leaves out of a folder is told with what takes it, and nothing where nothing is left out.
func TestTaken(t *testing.T) {
	of := run.Data{Name: "photos", Images: 32}
	for _, c := range []struct {
		taken takenOf
		set   []string
		want  string
	}{
		{takenOf{32, 1234, 32, 200}, nil, "32 of 1,234 training images and 32 of 200 test images of photos (scale tiny; -set images=0, " +
			"or -scale mini, takes all)."},
		{takenOf{32, 1234, 20, 20}, nil, "32 of 1,234 training images of photos (scale tiny; -set images=0, or -scale mini, takes all)."},
		{takenOf{32, 40, 0, 0}, []string{"epochs=2", "scale.images=32"}, "32 of 40 training images of photos (images=32; images=0 " +
			"takes all)."},
		{takenOf{16, 16, 4, 4}, nil, ""}, {takenOf{}, nil, ""},
	} {
		p := Plan{Scale: scale.Scale{Name: "tiny"}, Data: of, taken: c.taken, Planner: planner{Request: Request{Set: c.set}}}
		if got := p.Taken(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.taken, got, c.want)
		}
	}
}
