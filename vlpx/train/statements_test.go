package train

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// paired are scenes with statements: the first caption of each image, said of the left one of two, which it is of or not.
type paired struct{ datasets.Set }

func (p paired) Statements() []datasets.Statement {
	n := p.Len()
	var all []datasets.Statement
	for i := range n {
		own := p.Captions(i)[0]
		all = append(all, datasets.Statement{Left: i, Right: (i + 3) % n, Text: "left: " + own, True: true},
			datasets.Statement{Left: (i + 5) % n, Right: i, Text: "left: " + own, True: false})
	}
	return all
}

// stating is a job of a framework that reasons, on statements: 22 pairs, 5 steps an epoch.
func stating(t *testing.T) Job {
	t.Helper()
	job := smallest(t, negative.Plain())
	view := must.Get(datasets.OfStatements(paired{job.Set}))(t)
	reading := jobOn(t, view, negative.Plain())
	reading.Config.Framework.Framework = albef.Reasoning{ALBEF: reading.Config.Framework.Framework.(albef.Model)}
	reading.Config.MaxLen = 12
	return reading
}

// What the step reads of a mini-batch is each statement, its two images and whether it is true.
func TestStatementsReachTheStep(t *testing.T) {
	job := stating(t)
	r := must.Get(newTrainer(job))(t)
	defer r.close()
	defer r.model.Close()
	asked := []int{4, 17, 0, 9}
	must.Do(t, r.loader.Submit(r.request(asked, 0)))
	loaded := must.Get(r.loader.Next(t.Context()))(t)
	in := r.fields(r.apart(loaded, 0))
	defer in.Release()
	statements := job.Set.(datasets.Stated).Statements()
	var left, right []int
	var ids, verdicts []int32
	for _, pair := range asked {
		s := statements[pair]
		left, right = append(left, s.Left), append(right, s.Right)
		ids, verdicts = append(ids, job.Tokenizer.EncodeCaption(s.Text, 12)...), append(verdicts, map[bool]int32{true: 1}[s.True])
	}
	if !slices.Contains(verdicts, 0) || !slices.Contains(verdicts, 1) {
		t.Fatal("all verdicts are the same")
	}
	for name, images := range map[field.Name][]int{field.Image: left, field.Other: right} {
		want, _ := must.Get2(loader.Pixels(context.Background(), job.Set, images, 16))(t)
		if !slices.Equal(floats(t, in, name), want) {
			t.Errorf("%s: got other pixels than those of images %v", name, images)
		}
	}
	if !slices.Equal(ints(t, in, field.Captions), ids) || !slices.Equal(ints(t, in, field.Verdict), verdicts) {
		t.Errorf("got verdicts %v, want %v; or other ids", ints(t, in, field.Verdict), verdicts)
	}
}

// A text assignment follows ALBEF, and reasoning follows that, each from the model before it; the loss falls, and a stopped run goes on in
// the same bits.
func TestReasoningFollowsAssignment(t *testing.T) {
	pretrained := smallest(t, negative.Plain())
	finish(t, pretrained)
	assigning := jobOn(t, pretrained.Set, negative.Plain())
	assigning.Config.Framework.Framework = albef.Assignment{ALBEF: pretrained.Config.Framework.Framework.(albef.Model)}
	assigning.Config.Init, assigning.Init, assigning.InitConfig = "pretrained", pretrained.Dir, &pretrained.Config
	outcome := finish(t, assigning)
	if len(outcome.Epochs[0].Losses) != 1 || outcome.Epochs[0].Losses[negative.TA] == 0 {
		t.Errorf("got the losses %v, want TA alone", outcome.Epochs[0].Losses)
	}
	before, _ := saved(t, pretrained.Dir)
	after, _ := saved(t, assigning.Dir)
	same(t, "the projection", variables(t, after, "/model/vision_projection"), variables(t, before, "/model/vision_projection"))

	judging := func() Job {
		job := stating(t)
		job.Config.Framework.Framework = albef.Reasoning{ALBEF: pretrained.Config.Framework.Framework.(albef.Model)}
		job.Tokenizer, job.Config.Epochs, job.Config.Schedule.Rate = pretrained.Tokenizer, 6, 1e-2
		job.Config.Init, job.Init, job.InitConfig = "assigned", assigning.Dir, &assigning.Config
		return job
	}
	whole, stopped := judging(), judging()
	first := must.Get(newTrainer(judging()))(t)
	for path, value := range variables(t, after, "/model/text") {
		if got := variables(t, first.store, "/model/text")[path]; fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s does not start as the text assignment left it", path)
		}
	}
	first.close()
	first.model.Close()
	want, got := finish(t, whole), finish(t, stopped, 1, 8)
	if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
		t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
	}
	if begin, end := want.Epochs[0].Losses[negative.NLVR], want.Epochs[5].Losses[negative.NLVR]; !(end < begin-0.01) {
		t.Errorf("the loss goes from %g to %g", begin, end)
	}
}

// Captions are no statements, even of a set that has some.
func TestStatementsAreWanted(t *testing.T) {
	view := stating(t)
	for name, set := range map[string]datasets.Set{"captions": smallest(t, negative.Plain()).Set,
		"captions beside statements": paired{smallest(t, negative.Plain()).Set}} {
		job := view
		job.Set = set
		must.Fail(t, must.Err(newTrainer(job)), "statements about two images", "%s", name)
	}
	locked := view
	locked.Features = unlike{}
	change := locked.Config.Framework.Framework.(albef.Reasoning)
	locked.Config.Framework = framework.Choice{Framework: change.Lock(6)}
	must.Fail(t, must.Err(newTrainer(locked)), "has 10", "features of another shape")
}

// unlike are features of a size that no model reads.
type unlike struct{}

func (unlike) Size() int { return 10 }

func (unlike) Features(context.Context, int, []float32) error { return nil }
