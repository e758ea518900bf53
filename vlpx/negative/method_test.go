package negative

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

func TestWithDefaults(t *testing.T) {
	plain := Method{Batches: Uniform{}, Contrast: InfoNCE{}, Matching: Hardest{}, Masking: 0.5}
	for _, c := range []struct {
		name      string
		got, want Method
	}{
		{"nothing set", Method{}, plain},
		{"a part set", Method{Contrast: Consistency{Weight: 1}, Masking: 0.15},
			Method{Batches: Uniform{}, Contrast: Consistency{Weight: 1}, Matching: Hardest{}, Masking: 0.15}},
		{"all set", ALBEF(64), ALBEF(64)},
	} {
		if got := c.got.WithDefaults(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// The JSON of a method is part of a run's identity: changing it orphans stored results. Its name is not.
func TestMethodJSON(t *testing.T) {
	for _, c := range []struct {
		method Method
		want   string
	}{
		{Plain(), `{"Batches":{"negative.Uniform":{}},"Contrast":{"negative.InfoNCE":{}},"Masking":0.5,` +
			`"Matching":{"negative.Hardest":{}}}`},
		{ALBEF(64), `{"Batches":{"negative.Uniform":{}},"Contrast":{"negative.Distilled":{"Alpha":0.4,"Decay":0.995,"Queue":64}},` +
			`"Masking":0.15,"Matching":{"negative.Sampled":{}}}`},
		{DiHT(), `{"Batches":{"negative.Uniform":{}},"Contrast":{"negative.HNNCE":{"Alpha":1,"Beta":0.25,"WeightGradient":true}},` +
			`"Masking":0.15,"Matching":{"negative.Sampled":{}}}`},
		{GRITVLP(8, 16),
			`{"Batches":{"negative.Grouped":{"SearchSpace":8,"Queue":16}},"Contrast":{"negative.Consistency":{"Weight":0.2}},` +
				`"Masking":0.5,"Matching":{"negative.Hardest":{}}}`},
		{Quantile("easy", 0.2, 8, 16), `{"Batches":{"negative.FixedQuantile":{"Quantile":0.2,"SearchSpace":8,"Queue":16}},` +
			`"Contrast":{"negative.Consistency":{"Weight":0.2}},"Masking":0.5,"Matching":{"negative.Hardest":{}}}`},
		{ProgressiveQuantile("softening", 1, 0.8, 8, 16),
			`{"Batches":{"negative.Progressive":{"From":1,"To":0.8,"SearchSpace":8,"Queue":16}},` +
				`"Contrast":{"negative.Consistency":{"Weight":0.2}},"Masking":0.5,"Matching":{"negative.Hardest":{}}}`},
	} {
		got, err := json.Marshal(c.method)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, error %v; want %s", c.method.Name, got, err, c.want)
		}
	}
}

// A combination that no paper tried: GRIT-VLP's mini-batches under ALBEF's contrast. The parts left out are the plain ones.
func ExampleMethod() {
	m := Method{
		Name:     "grouped ALBEF",
		Batches:  Grouped{SearchSpace: 1920, Queue: 9600},
		Contrast: Distilled{Alpha: 0.4, Decay: 0.995, Queue: 1024},
	}.WithDefaults()
	fmt.Printf("%T, %T, %T, masking %.2f\n", m.Batches, m.Contrast, m.Matching, m.Masking)
	// Output: negative.Grouped, negative.Distilled, negative.Hardest, masking 0.50
}
