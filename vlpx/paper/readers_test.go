package paper

import (
	"slices"
	"strings"
	"testing"
)

func TestReaders(t *testing.T) {
	reading := NewReading()
	for name, want := range map[string]string{
		"epochs":                "every method",
		"scenes.density":        "every method",
		"hard":                  "Hard quantile",
		"progressive":           "Progressive-Hardening and Progressive-Softening",
		"momentumqueue":         "ALBEF, MAFA and Con-D",
		"falcon.shared":         "FALCON",
		"tuning.rate":           "MAFA and Con-D",
		"queries":               "every method on BLIP-2",
		"optimiser.weightdecay": "every method but on SimCLR",
		"global.alpha":          "every method on SimCLR; GloFND and FNC",
		"global.begin":          "GloFND, FNC and SogCLR (Oracle)",
		"regions.source":        "every method on UNITER",
		"vqa.warmup":            "the downstream task VQA",
		"asked":                 "the downstream tasks generation and captioning",
		"assignment.batchsize":  "the downstream task NLVR2",
		"images":                "a folder of photographs (-data FOLDER)",
	} {
		x, err := FindSetting(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := reading.Of(x).String(); got != want {
			t.Errorf("%s is read by %q, want %q", name, got, want)
		}
	}
	all := Settings()
	for i, readers := range AllReaders(all) {
		if readers.String() == "" {
			t.Errorf("nothing reads %s", all[i].Name)
		}
		if got, want := readers.String(), reading.Of(all[i]).String(); got != want {
			t.Errorf("%s is read by %q, and by %q where one worker asks", all[i].Name, got, want)
		}
	}
}

// The slow way: a whole plan of every method with another value, compared by the identities of its runs.
func TestReadersAgainstPlans(t *testing.T) {
	a := Artifact{ID: "test/readers"}
	for _, m := range Methods() {
		if !strings.Contains(m.Name, "TAGS") && !strings.Contains(m.Name, "UNITER") { // which need another framework
			a.Rows = append(a.Rows, MethodRow(m.Name))
		}
	}
	q := Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"warmstart=1"}}
	was, err := NewPlan(a, q)
	if err != nil {
		t.Fatal(err)
	}
	reading := NewReading()
	for _, assignment := range []string{
		"searchspace=80", "groupqueue=160", "momentumqueue=32", "smoothing=.3", "easy=.1", "hard=.7", "progressive=.6", "tuning.epochs=3", "global.gamma=.5",
		"global.rho=2", "global.frombatch=false", "falcon.hidden=32", "temperature=.2", "stem=2", "vqa.epochs=4", "optimiser.beta1=.5",
	} {
		x, _, err := assigned(assignment)
		if err != nil {
			t.Fatal(err)
		}
		now, err := was.with(append(slices.Clone(q.Set), assignment))
		if err != nil {
			t.Fatal(err)
		}
		readers := reading.Of(x)
		for i, row := range a.Rows {
			got := slices.Contains(readers.Methods, row.Name) || readers.Everything || slices.Contains(readers.Frameworks, "ALBEF")
			if want := !slices.Equal(was.identity(i), now.identity(i)); got != want {
				t.Errorf("%s is read by %s: %t, want %t", x.Name, row.Name, got, want)
			}
		}
	}
}
