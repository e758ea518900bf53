package scale_test

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/scale"
)

// What the field calls a setting finds it; what could be several, or is none, says what there is.
func TestFindSetting(t *testing.T) {
	for key, want := range map[string]string{
		"epochs": "epochs", "lr": "schedule.rate", "Learning rate": "schedule.rate", "tau": "temperature", "temperature": "temperature",
		"batch":      "batchsize",
		"batch_size": "batchsize", "scheduler.shared": "falcon.shared", "scheduler.open": "falcon.openbeta", "density": "scenes.density",
		"scale.width":         "width",
		"scenes.captionnoise": "captionnoise", "views.size": "image", "hard": "hard", "falcon.probe": "falcon.probequantiles",
		"Writing.Hard": "",
	} {
		x, err := scale.FindSetting(key)
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
		_, err := scale.FindSetting(key)
		for _, words := range want {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%q: got %v, want %q in it", key, err, words)
			}
		}
	}
}

// A zero that stands for the usual value is no value to set, and nowhere shown as one.
func TestSettingWhoseZeroIsItsUsualValue(t *testing.T) {
	s := must.Get(scale.Preset("tiny", false))(t)
	temperature := must.Get(scale.FindSetting("tau"))(t)
	if got := temperature.Value(s); got != "0.07" {
		t.Errorf("got %q, want 0.07", got)
	}
	for _, zero := range []string{"temperature=0", "tau=0.0", "temperature=-0"} {
		must.Fail(t, s.Set(zero), "temperature cannot be zero; leave it out for the usual 0.07", "%s", zero)
	}
	if err := s.Set("temperature=.2"); err != nil || temperature.Value(s) != "0.2" {
		t.Errorf("got %q (%v), want 0.2", temperature.Value(s), err)
	}
}
