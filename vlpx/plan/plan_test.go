package plan_test

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

func TestPlanRuns(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{5, 4}, Methods: []string{"grit-vlp", " ALBEF"},
		Set: []string{"epochs=1"}, Without: papertest.RowsAlone})
	var got []string
	for _, r := range p.Runs() {
		got = append(got, r.Train.Method.Name+" "+string(rune('0'+r.Train.Seed)))
		if r.Train.Epochs != 1 || modelOf(r).Text.Vocab < 10 {
			t.Errorf("got %d epochs with a vocabulary of %d, want 1 and the captions' own", r.Train.Epochs, modelOf(r).Text.Vocab)
		}
	}
	listtest.Equal(t, "runs", got, []string{"ALBEF 5", "GRIT-VLP 5", "ALBEF 4", "GRIT-VLP 4"})
	all := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{})
	seen := map[string]bool{}
	for _, r := range all.Runs() {
		if seen[r.ID()] {
			t.Errorf("%s, seed %d: the identity of another run", r.Train.Method.Name, r.Train.Seed)
		}
		seen[r.ID()] = true
	}
}

// What a seed takes is counted without a plan, which would read the data.
func TestRunsASeed(t *testing.T) {
	for _, id := range []string{"falcon/table1", "falcon/table2", "mafa/table3", "mafa/table16", "srcl/table2", "vlpx/con-d",
		"vlpx/density"} {
		p := papertest.Plan(t, catalogue.List(), id,
			plan.Request{Scale: "mini", Seeds: []uint64{1}, Set: []string{"scenes.val=1", "scenes.test=1"}})
		if p.Scale.Name != "mini" {
			t.Fatalf("planned at %s", p.Scale.Name)
		}
		if got, want := p.Artifact.RunsASeed(), len(p.Runs()); got != want {
			t.Errorf("%s: got %d, want %d", id, got, want)
		}
	}
}

// TestWarmStart holds that every run starts from the same run of InfoNCE, whatever its method, seed, reference model and captions'
// noise, and that fine-tuning goes on from the method's own run.
func TestWarmStart(t *testing.T) {
	set := []string{"warmstart=2", "scenes.val=1", "scenes.test=1"}
	p := papertest.Plan(t, catalogue.List(), "mafa/table1", plan.Request{Scale: "tiny", Seeds: []uint64{1, 2}, Set: set})
	start := ""
	for _, r := range p.Runs() {
		switch name := r.Train.Method.Name; {
		case name == "Warm start":
			if start != "" {
				t.Error("there are two warm starts")
			}
			start = r.ID()
			if r.Train.Epochs != 2 || r.Train.Schedule.Epochs != 5 || r.Train.Schedule.Past != 0 || r.Train.Init != "" {
				t.Errorf("a warm start of %d epochs with the schedule %+v from %q, want 2 of a cosine over 5, and nothing", r.Train.Epochs,
					r.Train.Schedule, r.Train.Init)
			}
		case strings.HasSuffix(name, "fine-tuned"):
			if r.Train.Init == start {
				t.Errorf("%s starts from the warm start, want its own pre-training", name)
			}
		case r.Train.Epochs != 3 || r.Train.Schedule.Epochs != 5 || r.Train.Schedule.Past != 2:
			t.Errorf("%s: %d epochs with the schedule %+v, want the last 3 of a cosine over 5", name, r.Train.Epochs, r.Train.Schedule)
		case r.Train.Init != start || start == "":
			t.Errorf("%s, seed %d, starts from %q, want the warm start %q, listed before it", name, r.Train.Seed, r.Train.Init, start)
		}
	}
}

// A note tells what all runs start from, by the runs themselves: of tables of another framework, of several data, and of none.
// A warm start with a cosine of its own leaves the whole of another to the methods, and those that go by embeddings look at its model
// first.
func TestWarmStartApart(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "mafa/table16", plan.Request{Scale: "tiny", Seeds: []uint64{1},
		Set: []string{"warmstart=2", "epochs=3", "warmcosine=true", "look=true"}})
	looks := map[string]bool{}
	for _, r := range p.Runs() {
		c, start := r.Train, r.Init
		if r.Reference == nil && start != nil && start.Warm {
			looks[c.Method.Name] = c.Look
		}
		if start == nil || !start.Warm {
			if c.Look {
				t.Errorf("%s looks, and starts from no warm start", c.Method.Name)
			}
			continue
		}
		if s := start.Train.Schedule; s.Epochs != 2 || s.Past != 0 {
			t.Errorf("the warm start's cosine has %d epochs, %d of them past, want 2 and 0", s.Epochs, s.Past)
		}
		if s := c.Schedule; s.Epochs != 3 || s.Past != 0 {
			t.Errorf("%s: a cosine of %d epochs, %d of them past, want 3 and 0", c.Method.Name, s.Epochs, s.Past)
		}
		if want := negative.ByEmbeddings(c.Method.Batches); c.Look != want {
			t.Errorf("%s looks: %t, want %t", c.Method.Name, c.Look, want)
		}
	}
	if !looks["GRIT"] {
		t.Errorf("GRIT does not look: %v", looks)
	}
}

// What chooses among the epochs of a method is the method's own: the warm start is that of others, and fine-tuning for retrieval selects by
// the same metric.
func TestSelectingLeavesTheWarmStart(t *testing.T) {
	runs := func(set ...string) []run.Run {
		e := plan.Experiment{ID: "test/tuning", Rows: []plan.Row{plan.MethodRow("InfoNCE").Tuned(scale.PlainTuning)}}
		return must.Get(plan.New(e, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: append(set, "warmstart=2")}))(t).Runs()
	}
	plain, selecting := runs(), runs("select=IR@1", "patience=2", "ema=0.9")
	if len(plain) != 3 || len(selecting) != 3 || selecting[0].ID() != plain[0].ID() {
		t.Fatalf("got %d and %d runs, want the warm start that others have, pre-training and fine-tuning", len(plain), len(selecting))
	}
	for k, r := range selecting[1:] {
		if c := r.Train; c.Select != "IR@1" || c.Patience != 2 || c.EMA != 0.9 || plain[k+1].Train.Patience != 0 {
			t.Errorf("%s selects by %q with a patience of %d and an average by %g, want IR@1, 2 and .9", c.Method.Name, c.Select,
				c.Patience, c.EMA)
		}
	}
}

func TestNoteOfAWarmStart(t *testing.T) {
	for call, want := range map[string]string{
		"mafa/table1":                   "Runs of the same seed start from the same model, 3 epochs of InfoNCE.",
		"tags/table1":                   "Runs of the same seed start from the same model, 12 epochs of UNITER's pre-training by ITM + MLM.",
		"tags/table2":                   "Runs of the same seed start from the same model, 12 epochs of UNITER's pre-training", // in a second stage, too
		"tags/table2 blockscenes=false": "Every run starts from the same model, 12 epochs of UNITER's pre-training by ITM + MLM.",
		"vlpx/density":                  "Runs of the same seed, data and sizes start from the same model, 3 epochs of InfoNCE.",
		"glofnd/table1":                 "", // of SimCLR
		"falcon/table5":                 "", // without runs
	} {
		id, set := strings.Fields(call)[0], strings.Fields(call)[1:]
		p := papertest.Plan(t, catalogue.List(), id, plan.Request{Scale: "mini", Seeds: []uint64{1}, Set: set})
		note := papertest.Report(t, p, run.OpenStore(t.TempDir())).Note()
		if has := strings.Contains(note, "start from the same model") ||
			strings.Contains(note, "starts from the same model"); has != (want != "") || !strings.Contains(note, want) {
			t.Errorf("%s: got %q, want %q in it", call, note, want)
		}
	}
	p := papertest.Plan(t, catalogue.List(), "mafa/table1", plan.Request{Scale: "tiny", Set: []string{"warmstart=1"}})
	if note := papertest.Report(t, p, run.OpenStore(t.TempDir())).Note(); !strings.Contains(note, "the same model, an epoch of InfoNCE.") {
		t.Errorf("got %q, want one epoch told", note)
	}
}

// Caption noise is one setting of the scale, whatever the data; without it nothing of a run changes.
func TestPlanCaptionNoise(t *testing.T) {
	id := func(set ...string) string {
		p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{1}, Methods: []string{"ALBEF"}, Set: set})
		if p.Data.CaptionNoise != 0 {
			t.Errorf("%v: the noise of generated scenes is the generator's, got %v besides", set, p.Data.CaptionNoise)
		}
		return p.Runs()[0].ID()
	}
	if got, want := id("captionnoise=0"), id(); got != want {
		t.Errorf("no noise: got %s, want %s", got, want)
	}
	noisy := id("scenes.captionnoise=0.3")
	if noisy == id() {
		t.Error("noise does not change the identity")
	}
	for _, set := range [][]string{{"captionnoise=0.3"}, {"scenes.captionnoise=0.1", "captionnoise=0.3"}} {
		if got := id(set...); got != noisy {
			t.Errorf("%v: got %s, want %s as of scenes.captionnoise=0.3", set, got, noisy)
		}
	}
}

func TestPlanErrors(t *testing.T) {
	for name, c := range map[string]struct {
		request plan.Request
		want    string
	}{
		"scale": {plan.Request{Scale: "tinny"}, `did you mean "tiny"?`},
		"method": {plan.Request{Scale: "tiny", Methods: []string{"FALCONN"}},
			`falcon/table1 has no row "FALCONN"; did you mean "FALCON"?`},
		"setting":      {plan.Request{Scale: "tiny", Set: []string{"epoch=2"}}, `did you mean "epochs"?`},
		"size":         {plan.Request{Scale: "tiny", Set: []string{"heads=5"}}, "heads"},
		"share":        {plan.Request{Scale: "tiny", Set: []string{"captionnoise=-1"}}, "captionnoise=-1: -1 is too small"},
		"twice a seed": {plan.Request{Scale: "tiny", Seeds: []uint64{1, 2, 1}}, "seed 1 is there twice"},
		"folder":       {plan.Request{Scale: "tiny", Data: "no/such/folder"}, "no/such/folder"},
		"vocabulary":   {plan.Request{Scale: "tiny", Vocabulary: "no-such.txt"}, "no-such.txt"},
	} {
		must.Fail(t, must.Err(paper.NewPlan(papertest.Artifact(t, catalogue.List(), "falcon/table1"), c.request)), c.want, "%s", name)
	}
}

// A row with a reference model lists the run of that model first, once, and is known by it.
func TestPlanOfAReference(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Methods: []string{"SRCL", "InfoNCE"}, Seeds: []uint64{4},
		Without: papertest.RowsAlone})
	var names []string
	runs := p.Runs()
	for _, r := range runs {
		names = append(names, r.Train.Method.Name)
	}
	if !slices.Equal(names, []string{"InfoNCE", "SRCL"}) {
		t.Fatalf("got runs %v, want InfoNCE's, which is SRCL's reference, and SRCL's", names)
	}
	if got, want := runs[1].Train.Reference, runs[0].ID(); got != want {
		t.Errorf("SRCL names the reference %q, want %q", got, want)
	}
}

// modelOf is a run's ALBEF, which a downstream task goes on from.
func modelOf(r run.Run) albef.Model {
	switch m := r.Train.Framework.Framework.(type) {
	case albef.Answering:
		return m.ALBEF
	case albef.Assignment:
		return m.ALBEF
	case albef.Reasoning:
		return m.ALBEF
	default:
		return m.(albef.Model)
	}
}

// A part of the data may lack words that the warm start on all of it has seen: the vocabulary is the warm start's, which grows downstream.
func TestVocabularyOfAWarmStart(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{1}, Methods: []string{"ALBEF"},
		Set: []string{"warmstart=1", "portion=0.1"}})
	vocabulary := func(r run.Run) int {
		c := must.Get(r.Data.Open())(t)
		own := must.Get(r.Vocabulary.Tokenizer(c))(t)
		return own.Size()
	}
	runs := p.Runs()
	start, r := runs[0], runs[1]
	if vocabulary(r) >= vocabulary(start) {
		t.Fatal("a tenth of the data has all words")
	}
	for _, x := range runs {
		c := must.Get(x.Data.Open())(t)
		k := must.Get(x.Tokenizer(c))(t)
		got, known := modelOf(x).Text.Vocab, vocabulary(start)
		if got != k.Size() || got < known || got > known && !x.Vocabulary.Grows {
			t.Errorf("%s: got a model of %d words, want %d, as its tokenizer has, after %d", x.Train.Method.Name, got, k.Size(), known)
		}
	}
}

// What takes long before a plan is there is told before.
func TestAhead(t *testing.T) {
	for want, q := range map[string]plan.Request{
		"10,000,000 training scenes are drawn first, which takes about": {Scale: "tiny", Set: []string{"scenes.train=10000000"}},
		"": {Scale: "mini"},
	} {
		if got := q.Ahead(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: got %q, want %q", q.Set, got, want)
		}
	}
}
