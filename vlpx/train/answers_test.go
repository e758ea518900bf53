package train

import (
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// asked has questions about the grounds of scenes. Of those about every third image people have several opinions; every fifth has no
// question.
type asked struct{ datasets.Labelled }

func (s asked) Questions() (all []datasets.Question) {
	for i := range s.Len() {
		ground := s.Classes()[s.Class(i)]
		q := datasets.Question{Image: i, Text: "What is the ground?", Answers: []string{ground}, AnswerKind: "other"}
		if i%3 == 0 {
			q.Answers = []string{"no idea", ground, ground, "who knows", ground, "no idea", ground, "zebra", "ground", ground}
		}
		if i%5 != 4 {
			all = append(all, q)
		}
	}
	return all
}

// answering is a job that goes on from a finished one with questions in the place of captions, whose vocabulary has grown.
func answering(t *testing.T, from Job, contrast negative.Contrast, most int) Job {
	t.Helper()
	job := from
	view := must.Get(datasets.OfQuestions(asked{from.Set.(datasets.Labelled)}))(t)
	questions := view.(datasets.Questioned)
	texts := []string{"what is the ground"}
	texts = append(texts, datasets.DistinctAnswers(questions)...)
	job.Tokenizer = must.Get(from.Tokenizer.Grown(slices.Values(texts), 1))(t)
	a := from.Config.Framework.Framework.(albef.Model)
	a.Text.Vocab = job.Tokenizer.Size()
	job.Set, job.Dir, job.Init, job.InitConfig = view, t.TempDir(), from.Dir, &from.Config
	job.Config.Schedule.Rate = 1e-2
	job.Config.Init, job.Config.Objectives = "of the test", negative.All
	job.Config.Method = negative.Method{Name: "asked", Contrast: contrast}.WithDefaults()
	job.Config.Framework = framework.Choice{Framework: albef.Answering{ALBEF: a, Layers: 1, Answers: most, Tokens: 4}}
	return job
}

// A model that answers starts as the pre-trained one: encoders as they are, the decoder as the fusion layers and the head for MLM, in the
// momentum copy, too. Tables that have grown begin with the known words and keep what was drawn behind them.
func TestAnsweringStartsFromPretraining(t *testing.T) {
	first := smallest(t, plain)
	finish(t, first)
	store, _ := saved(t, first.Dir)
	job := answering(t, first, negative.Distilled{Alpha: 0.4, Decay: 0.5}, 3)
	tr := must.Get(newTrainer(job))(t)
	defer tr.close()
	drawn := job
	drawn.Init, drawn.Config.Init, drawn.Dir = "", "", t.TempDir()
	fresh := must.Get(newTrainer(drawn))(t)
	defer fresh.close()
	numbers := func(tr *trainer, path string) []float32 {
		t.Helper()
		v := tr.store.GetVariable(path)
		if v == nil {
			t.Fatalf("there is no variable %s", path)
		}
		return tensors.MustCopyFlatData[float32](v.MustValue())
	}
	grown := 0
	for v := range store.Scope(framework.Model).IterVariables() {
		of, below := tensors.MustCopyFlatData[float32](v.MustValue()), strings.TrimPrefix(v.Path(), framework.Model)
		var into []string
		switch {
		case strings.HasPrefix(below, "/vision/"), strings.HasPrefix(below, "/text/layer_0/"):
			into = []string{below}
		case strings.HasPrefix(below, "/text/embeddings/"):
			into = []string{below, strings.Replace(below, "/text/", "/decoder/", 1)}
		case strings.HasPrefix(below, "/text/layer_1/"):
			into = []string{below, strings.Replace(below, "/text/layer_1/", "/decoder/layer_0/", 1)}
		case strings.HasPrefix(below, "/text/mlm/"):
			into = []string{strings.Replace(below, "/text/", "/decoder/", 1)}
		}
		for _, path := range into {
			for _, root := range []string{framework.Model, framework.Momentum} {
				got := numbers(tr, root+path)
				if !slices.Equal(got[:len(of)], of) {
					t.Errorf("%s does not start as %s", root+path, v.Path())
				}
				if behind := numbers(fresh, root+path)[len(of):]; !slices.Equal(got[len(of):], behind) {
					t.Errorf("%s: the new words start as %v, want %v as drawn", root+path, got[len(of):], behind)
				} else if len(behind) > 0 {
					grown++
				}
			}
		}
	}
	if want := 2 * 3; grown != want { // both tables of words and the bias of the decoder, twice
		t.Errorf("%d variables have grown, want %d", grown, want)
	}
	if n := job.Tokenizer.Size() - first.Tokenizer.Size(); n < 5 {
		t.Errorf("only %d new words", n)
	}
}

// The fields of a mini-batch's answers: distinct ones with the share of the people, the most frequent where there is no room for all.
func TestAnswerFields(t *testing.T) {
	first := smallest(t, plain)
	finish(t, first)
	job := answering(t, first, negative.InfoNCE{}, 3)
	tr := must.Get(newTrainer(job))(t)
	defer tr.close()
	questions := job.Set.(datasets.Questioned).Questions()
	var single, several = -1, -1
	for k, q := range questions {
		if len(q.Answers) > 1 {
			several = k
		} else {
			single = k
		}
	}
	ground, k := questions[several].Answers[1], job.Tokenizer
	ids, weights := tr.answers.encode([]int{several, single}), tr.answers.weigh([]int{several, single})
	want := slices.Concat(k.Encode(ground, 4), k.Encode("no idea", 4), k.Encode("ground", 4), k.Encode(questions[single].Answers[0], 4),
		make([]int32, 8))
	if !slices.Equal(ids, want) {
		t.Errorf("got the ids %v, want %v", ids, want)
	}
	if want := []float32{.5, .2, .1, 1, 0, 0}; !slices.Equal(weights, want) {
		t.Errorf("got the weights %v, want %v", weights, want)
	}
}

// Answers are learned, with a momentum model and without, and a stopped run goes on to the same bits.
func TestAnsweringGoesOn(t *testing.T) {
	first := smallest(t, plain)
	finish(t, first)
	for _, contrast := range []negative.Contrast{negative.InfoNCE{}, negative.Distilled{Alpha: 0.4, Decay: 0.5}} {
		whole, stopped := answering(t, first, contrast, 5), answering(t, first, contrast, 5)
		want, got := finish(t, whole), finish(t, stopped, 1, 3)
		if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
			t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
		}
		a, _ := saved(t, whole.Dir)
		b, _ := saved(t, stopped.Dir)
		same(t, "answering", variables(t, b, "/"), variables(t, a, "/"))
		begin, end := want.Epochs[0].Losses, want.Epochs[len(want.Epochs)-1].Losses
		if len(begin) != 1 || !(end[negative.Answers] < begin[negative.Answers]) {
			t.Errorf("got the losses %v, then %v; want the answers' alone, which falls", begin, end)
		}
	}
}

// Captions are no questions, and a question without an answer teaches nothing: reported before training.
func TestAnsweringRefuses(t *testing.T) {
	first := smallest(t, plain)
	finish(t, first)
	for want, how := range map[string]func(*Job){
		"shows none":             func(j *Job) { j.Set = struct{ datasets.Set }{first.Set} },
		"has its captions shown": func(j *Job) { j.Set = asked{first.Set.(datasets.Labelled)} },
		"has no answer": func(j *Job) {
			j.Set, _ = datasets.OfQuestions(silent{first.Set})
		},
	} {
		job := answering(t, first, negative.InfoNCE{}, 3)
		how(&job)
		must.Fail(t, must.Err2(Train(t.Context(), job)), want)
	}
	job := answering(t, first, negative.InfoNCE{}, 3)
	job.Config.Framework = framework.Choice{Framework: crooked{job.Config.Framework.Framework.(albef.Answering)}}
	must.Fail(t, job.Config.Validate(), `reads "weights of answers"`)
}

// silent has a question that nobody answered.
type silent struct{ datasets.Set }

func (silent) Questions() []datasets.Question { return []datasets.Question{{Text: "Why?"}} }

// crooked declares weights of another shape than is made.
type crooked struct{ albef.Answering }

func (c crooked) Inputs(u framework.Use) []field.Field {
	fields := c.Answering.Inputs(u)
	for k := range fields {
		if fields[k].Name == field.AnswerWeights {
			fields[k] = field.Float32(field.AnswerWeights, u.Batch)
		}
	}
	return fields
}
