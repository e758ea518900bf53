package plan_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Values that a text can have are told; all of them can be planned or say what they need.
func TestValuesOfTexts(t *testing.T) {
	for _, x := range scale.Settings() {
		v := x.Of(scale.Scale{})
		free := x.Name == "falcon.objectives" || x.Name == "select"
		if text := v.Kind() == reflect.String; text != (x.Values != nil) && !free {
			t.Errorf("%s is a text: %t, and its values are %q", x.Name, text, x.Values)
		}
	}
	density := must.Get(scale.FindSetting("density"))(t)
	for _, value := range density.Values {
		q := plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"density=" + value}}
		p, err := plan.New(plan.Experiment{ID: "test/density", Rows: []plan.Row{plan.MethodRow("InfoNCE")}}, q)
		if err != nil || p.Data.Scenes.Density != value || !slices.Equal(p.Settings(), []string{"scenes.density=" + value}) {
			t.Errorf("density %s: %v, of settings %v", value, err, p.Settings())
		}
	}
}

// What is one of a part's is none of all methods, and says where it stands.
func TestFieldForAll(t *testing.T) {
	_, err := plan.New(plan.Experiment{ID: "test/parts", Rows: []plan.Row{plan.MethodRow("GRIT-VLP")}},
		plan.Request{Scale: "tiny", Set: []string{"contrast.weight=.3"}})
	if err == nil || !strings.Contains(err.Error(), `no setting "contrast.weight"`) ||
		!strings.Contains(err.Error(), `"METHOD, contrast.weight=.3"`) {
		t.Errorf("got %v", err)
	}
}
