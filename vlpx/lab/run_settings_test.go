package lab

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A run's settings are its JSON's fields by their paths; a list of plain values is one of them.
func TestSettingsOf(t *testing.T) {
	got, err := settingsOf([]byte(`{"Format": 2, "Train": {"Method": {"Batches": {"negative.Uniform": {}}}, "Rate": 1e-3, "Quantiles": [0.5, 1], "Name": "a b"},
		"Tasks": [{"eval.Retrieval": {"Rerank": 2}}, {"eval.Neighbours": {}}], "None": null, "Empty": []}`))
	want := []Setting{
		{"Format", "2"}, {"Train.Method.Batches.negative.Uniform", "{}"}, {"Train.Rate", "1e-3"}, {"Train.Quantiles", "[0.5 1]"},
		{"Train.Name", "a b"},
		{"Tasks[0].eval.Retrieval.Rerank", "2"}, {"Tasks[1].eval.Neighbours", "{}"}, {"None", "none"}, {"Empty", "[]"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if got, err := settingsOf(nil); got != nil || err != nil {
		t.Errorf("got %v (%v) of no JSON", got, err)
	}
}

// FuzzSettingsOf reads what is no JSON, or strange JSON: an error, or settings of every object that is one.
func FuzzSettingsOf(f *testing.F) {
	for _, text := range []string{`{"a": [1, [2], {}]}`, `[`, `{"a"`, `{"": {"": []}}`, `1`, `{"a": "\u0000"}`, `{} {}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := settingsOf(text)
		if json.Valid(text) && (err != nil || len(got) == 0) {
			t.Errorf("%q: got %v (%v), want settings", text, got, err)
		}
	})
}
