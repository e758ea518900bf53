package train

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// A run that mines by the relation knows everything: what it finds is true, and it misses nothing. The examples are of the last
// two epochs.
func TestOracleIsRight(t *testing.T) {
	oracle := negative.MAFA(8, 16)
	oracle.Positives = negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}
	found := 0
	for e, record := range finish(t, smallest(t, oracle)).Epochs {
		c := record.Observed.Judgements()
		if c == nil {
			t.Fatalf("epoch %d: no connections", e)
		}
		for _, v := range []negative.Verdicts{c.Images, c.Texts} {
			if v.False[2]+v.True[0]+v.True[1] > 0 {
				t.Errorf("epoch %d: got %+v, want all true pairs found and no other", e, v)
			}
		}
		counted := record.Counted()
		if counted[negative.ConDOfImages] != counted[FalseOfImages] || counted[negative.ConDOfTexts] != counted[FalseOfTexts] {
			t.Errorf("epoch %d: got %v, want as many positives as false negatives on either side", e, counted)
		}
		if len(c.NewTexts)+len(c.NewImages) > 0 && e < 1 {
			t.Errorf("epoch %d shows examples", e)
		}
		found += c.Images.True[2] + c.Texts.True[2]
	}
	if found == 0 {
		t.Error("no positive in three epochs: the test says nothing")
	}
}

// Momentum distillation has labels beyond the mini-batch, InfoNCE none that are soft.
func TestLabelsOfContrasts(t *testing.T) {
	if l := finish(t, smallest(t, negative.ALBEF(8))).Epochs[2].Observed.SoftLabels(); l == nil || l.Beyond.N != 20 || l.Beyond.Mean <= 0 {
		t.Errorf("ALBEF: got %+v, want all 20 anchors of the epoch with labels beyond the mini-batch", l)
	}
	if l := finish(t, smallest(t, plain)).Epochs[2].Observed.SoftLabels(); l != nil {
		t.Errorf("InfoNCE: got %+v, want none", l)
	}
}

// What is counted of false negatives comes with the metrics of observers.
func TestCounted(t *testing.T) {
	r := Record{False: FalseNegatives{Batch: 8, BatchTrue: 2, Hops: 5}}
	if got, want := r.Counted(), map[string]float64{FalseInBatch: 25, FalseChosen: 0}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r.Observed = negative.Observations{"found": &negative.Found{Negatives: 4, Found: 1}}
	want := map[string]float64{FalseInBatch: 25, FalseChosen: 0, negative.FoundShare: 25, negative.FoundPrecision: 0,
		negative.FoundRecall: 0,
		negative.FoundF1:     0}
	if got := r.Counted(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// An epoch's record has what was observed beside its other fields, and reads it back: what this program knows as its type, the rest as
// JSON.
func TestRecordsKeepWhatWasObserved(t *testing.T) {
	type mine struct{ Pairs []int }
	written := Record{Epoch: 1, Losses: Losses{negative.ITC: 0.5}, Metrics: map[string]float64{"IR@1": 20}, Observed: negative.Observations{
		"found": &negative.Found{Negatives: 4, Found: 1}, "mine": mine{[]int{1, 2}},
	}}
	text := must.Get(json.MarshalIndent(written, "", "\t"))(t)
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil || keys["found"] == nil || keys["mine"] == nil || keys["metrics"] == nil {
		t.Errorf("got %s (%v), want the keys found, mine and metrics", text, err)
	}
	var got Record
	must.Do(t, json.Unmarshal(text, &got))
	if !reflect.DeepEqual(got.Observed.Found(), written.Observed.Found()) {
		t.Errorf("got found %+v", got.Observed.Found())
	}
	if m := negative.Observed[mine](got.Observed, "mine"); m == nil || !slices.Equal(m.Pairs, []int{1, 2}) {
		t.Errorf("got of one's own %+v", m)
	}
	if again, err := json.MarshalIndent(got, "", "\t"); err != nil || string(again) != string(text) {
		t.Errorf("got %s (%v), want %s", again, err, text)
	}
	for _, wrong := range []string{`{"found": 3}`, `{"epoch": "x"}`, `[]`} {
		if err := json.Unmarshal([]byte(wrong), new(Record)); err == nil {
			t.Errorf("took %s", wrong)
		}
	}
}

// norms is a contrast of one's own with an observer: the sums of its embeddings' absolute values.
type norms struct{ negative.InfoNCE }

type normsSeen struct {
	Steps int
	Sum   float64
}

type normsObserver struct{ negative.Gathered[normsSeen] }

func (norms) Observer(negative.Training) negative.Observer { return &normsObserver{} }

func (*normsObserver) Name() string { return "norms" }

func (o *normsObserver) Observe(step negative.Step) error {
	image, err := step.Outputs.Floats(field.ImageEmbedding)
	for _, x := range image {
		o.Now().Sum += math.Abs(float64(x))
	}
	o.Now().Steps++
	step.Tell("pairs of a step", float64(len(step.Pairs)))
	return err
}

// A method observes by its part alone. A run that is stopped within an epoch has the same.
func TestAMethodObserves(t *testing.T) {
	method := negative.Method{Name: "norms", Contrast: norms{}}.WithDefaults()
	want := finish(t, smallest(t, method))
	got := finish(t, smallest(t, method), 3, 7)
	for e, record := range want.Epochs {
		seen := negative.Observed[normsSeen](record.Observed, "norms")
		if seen == nil || seen.Steps != record.Steps || seen.Sum <= 0 || record.Counted()["pairs of a step"] != 4 {
			t.Errorf("epoch %d: got %+v and %v", e, seen, record.Counted())
		}
		if again := negative.Observed[normsSeen](got.Epochs[e].Observed, "norms"); again == nil || *again != *seen {
			t.Errorf("epoch %d of a run that was stopped: got %+v, want %+v", e, again, seen)
		}
	}
}

// renamed is an observer of one's own under another's name.
type renamed struct {
	negative.InfoNCE
	As string
}

type namedObserver struct {
	normsObserver
	name string
}

func (n renamed) Observer(negative.Training) negative.Observer { return &namedObserver{name: n.As} }

func (o *namedObserver) Name() string { return o.name }

func TestObserversOfOneName(t *testing.T) {
	for name, says := range map[string]string{"weighing": "two observers", "losses": "something else of each epoch"} {
		_, _, err := Train(t.Context(), smallest(t, negative.Method{Name: "named", Contrast: renamed{As: name}}.WithDefaults()))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want an error that says %q", name, err, says)
		}
	}
}
