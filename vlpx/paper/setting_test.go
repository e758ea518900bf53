package paper

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every field of a scale has a setting with a sentence of its own, or a reason among noSettings; and every setting has a field.
func TestSettingsAreTheFields(t *testing.T) {
	var s Scale
	left := map[string]bool{}
	var walk func(prefix string, of reflect.Type)
	walk = func(prefix string, of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			name := prefix + strings.ToLower(f.Name)
			switch {
			case !f.IsExported():
			case f.Type.Kind() == reflect.Struct:
				walk(name+".", f.Type)
			default:
				left[name] = true
			}
		}
	}
	walk("", reflect.TypeOf(s))
	fields := len(left)
	names, says := map[string]bool{}, map[string]string{}
	for _, x := range Settings() {
		if names[x.Name] || x.Name != plainly(x.Name) {
			t.Errorf("%s is there twice, or is not written as it is looked for", x.Name)
		}
		if other := says[x.Says]; other != "" || x.Says == "" || strings.HasSuffix(x.Says, ".") || len(x.Says) > 200 {
			t.Errorf("%s says %q, as %q does: want a sentence of its own, without a full stop", x.Name, x.Says, other)
		}
		names[x.Name], says[x.Says] = true, x.Name
		if !left[x.path()] {
			t.Errorf("%s has no field %s, or has it twice", x.Name, x.path())
		}
		delete(left, x.path())
		x.of(&s) // panics where there is none
	}
	for name, instead := range noSettings {
		if !left[name] {
			t.Errorf("%s is no field without a setting", name)
		}
		if delete(left, name); instead != "" && !names[instead] {
			t.Errorf("%s is said to be set by %s, which is no setting", name, instead)
		}
	}
	if len(left) > 0 || fields < 150 {
		t.Errorf("of %d fields have no sentence: %v", fields, left)
	}
}

// What the field calls a setting finds it; what could be several, or is none, says what there is.
func TestFindSetting(t *testing.T) {
	for key, want := range map[string]string{
		"epochs": "epochs", "lr": "schedule.rate", "Learning rate": "schedule.rate", "tau": "temperature", "temperature": "temperature", "batch": "batchsize",
		"batch_size": "batchsize", "scheduler.shared": "falcon.shared", "scheduler.open": "falcon.openbeta", "density": "scenes.density", "scale.width": "width",
		"scenes.captionnoise": "captionnoise", "views.size": "image", "hard": "hard", "falcon.probe": "falcon.probequantiles", "Writing.Hard": "",
	} {
		x, err := FindSetting(key)
		if x.Name != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, error %v; want %q", key, x.Name, err, want)
		}
	}
	for key, want := range map[string][]string{
		"seed":           {"-seeds 1,2,3", "scenes.seed"},
		"scheduler.rate": {"schedule.rate", "falcon.rate", "FALCON's scheduler"},
		"soft":           {"may be smoothing", "weight of the soft targets", "progressive"},
		"weight decay":   {"optimiser.weightdecay", "lars.weightdecay"},
		"queue":          {"groupqueue", "momentumqueue", "tuning.queue"},
		"dim":            {"embed", "width"},
		"rate":           {"schedule.rate", "falcon.rate", "vqa.rate", "write the one that is meant"},
		"epohcs":         {`did you mean "epochs"?`, "how often training passes over the pairs", "vlpx show settings"},
		"serchspace":     {`did you mean "searchspace"?`, "pairs"},
		"learningrat":    {`did you mean "schedule.rate"?`},
		"vqa.queue":      {`no setting "vqa.queue"`},
		"":               {`no setting ""`},
	} {
		_, err := FindSetting(key)
		for _, words := range want {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%q: got %v, want %q in it", key, err, words)
			}
		}
	}
}

// Values that a text can have are told; all of them can be planned or say what they need.
func TestValuesOfTexts(t *testing.T) {
	for _, x := range Settings() {
		v := x.of(new(Scale))
		if text := v.Kind() == reflect.String; text != (x.Values != nil) && x.Name != "falcon.objectives" {
			t.Errorf("%s is a text: %t, and its values are %q", x.Name, text, x.Values)
		}
	}
	density, err := FindSetting("density")
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range density.Values {
		q := Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"density=" + value}}
		p, err := NewPlan(Artifact{ID: "test/density", Rows: []Row{MethodRow("InfoNCE")}}, q)
		if err != nil || p.Data.Scenes.Density != value || !slices.Equal(p.Settings(), []string{"scenes.density=" + value}) {
			t.Errorf("density %s: %v, of settings %v", value, err, p.Settings())
		}
	}
}

// A zero that stands for the usual value is no value to set, and nowhere shown as one.
func TestSettingWhoseZeroIsItsUsualValue(t *testing.T) {
	s, err := Preset("tiny", false)
	if err != nil {
		t.Fatal(err)
	}
	temperature, err := FindSetting("tau")
	if err != nil {
		t.Fatal(err)
	}
	if got := temperature.Value(s); got != "0.07" {
		t.Errorf("got %q, want 0.07", got)
	}
	for _, zero := range []string{"temperature=0", "tau=0.0", "temperature=-0"} {
		if err := s.Set(zero); err == nil || !strings.Contains(err.Error(), "temperature cannot be zero; leave it out for the usual 0.07") {
			t.Errorf("%s: got %v", zero, err)
		}
	}
	if err := s.Set("temperature=.2"); err != nil || temperature.Value(s) != "0.2" {
		t.Errorf("got %q (%v), want 0.2", temperature.Value(s), err)
	}
}
