package eval_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// quiz asks of images what people answered.
type quiz struct {
	datasets.Set
	all []datasets.Question
}

func (q quiz) Questions() []datasets.Question { return q.all }

// asked is a bench with a small model that answers, which knows nothing, and questions: of the k-th one the answer is known, or people gave
// ten, or it is kept back.
func asked(t *testing.T) (eval.Subject, []string) {
	t.Helper()
	b := newBench(t)
	on := b.Subject
	var words []string
	for word := range strings.FieldsSeq(string(b.Tokenizer.Vocab())) {
		if !strings.HasPrefix(word, "[") && !slices.Contains([]string{"a", "an", "the"}, word) { // which no answer is told by
			words = append(words, word)
		}
	}
	candidates := words[:min(19, len(words))] // more than go through a forward pass at once
	candidates = append(candidates, candidates[0]+" "+candidates[1], candidates[0]+" "+candidates[2])
	set := quiz{Set: on.Set}
	for k := range 75 { // more than a batch, and no multiple of it
		q := datasets.Question{Image: k % 70, Text: words[k%len(words)] + " " + words[(7*k+3)%len(words)] + " ?",
			AnswerKind: []string{"yes/no", "number", "other"}[k%3]}
		right := candidates[k%len(candidates)]
		switch k % 5 {
		case 0:
		case 1:
			q.Answers = []string{right}
		default:
			for j := range 10 {
				q.Answers = append(q.Answers, candidates[(k+j*j%7)%len(candidates)])
			}
		}
		set.all = append(set.all, q)
	}
	view := must.Get(datasets.OfQuestions(set))(t)
	on.Set = view
	m := albef.Answering{ALBEF: albef.Model{
		Vision: encoder.ViT{Image: 16, Patch: 8, Width: 12, Layers: 1, Heads: 2, MLP: 8},
		Text:   encoder.BERT{Vocab: b.Tokenizer.Size(), Positions: 12, Width: 12, Heads: 2, MLP: 8, Layers: 1, Fusion: 1},
		Embed:  6,
	}, Layers: 1, Answers: 1, Tokens: 4}
	backend, store := enginetest.PureGo(t), model.NewStore()
	use := framework.Use{Method: negative.Plain(), Batch: 2, Image: 16, Tokens: on.MaxLen}
	must.Do(t, framework.Initialise(m, use, backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1, Seed: 5}))
	on.Model = must.Get(framework.NewInference(m, use, backend, store))(t)
	t.Cleanup(on.Model.Close)
	return on, candidates
}

// Each question alone, its candidates ranked by themselves, gives the answers; their accuracy is that of the official rules by hand: each
// of the people against the others, three of whom make an answer right.
func TestVQAByHand(t *testing.T) {
	on, candidates := asked(t)
	got := must.Get(eval.VQA{Answers: candidates, Top: 18}.Measure(t.Context(), on))(t)
	var ids []int32
	for _, c := range candidates {
		ids = append(ids, on.Tokenizer.Encode(c, 4)...)
	}
	sums, counts, shown := map[string]float64{}, map[string]float64{}, map[string]eval.AnsweredQuestion{}
	for _, q := range on.Set.(datasets.Questioned).Questions() {
		if len(q.Answers) == 0 {
			continue
		}
		pixels, _ := must.Get2(loader.Pixels(t.Context(), on.Set, []int{q.Image}, on.Size))(t)
		ranked := must.Get(on.Model.Rank(on.Tokenizer.EncodeCaption(q.Text, on.MaxLen), pixels, ids, 18))(t)
		best := ranked[0][0]
		if len(ranked[0]) != 18 {
			t.Fatalf("%d answers are ranked, want 18", len(ranked[0]))
		}
		one := eval.AnsweredQuestion{Image: q.Image, Key: on.Set.Key(q.Image), Text: q.Text, Right: q.Answers}
		for _, r := range ranked[0][:5] {
			one.Answers = append(one.Answers, eval.Answer{Text: candidates[r.Candidate], Probability: r.Probability})
		}
		shown[fmt.Sprint(q.Image, q.Text)] = one
		var accuracy float64
		for person := range q.Answers {
			others := 0
			for j, answer := range q.Answers {
				if (j != person || len(q.Answers) == 1) && answer == candidates[best.Candidate] {
					others++
				}
			}
			if share := float64(others) / 3; len(q.Answers) == 1 {
				accuracy += float64(others)
			} else {
				accuracy += math.Min(1, share) / float64(len(q.Answers))
			}
		}
		for _, kind := range []string{"", q.AnswerKind} {
			sums[kind] += 100 * accuracy
			counts[kind]++
		}
	}
	for kind, metric := range map[string]eval.Metric{"": eval.VQAAccuracy, "yes/no": eval.VQAYesNo, "number": eval.VQANumber,
		"other": eval.VQAOther} {
		if want := sums[kind] / counts[kind]; math.Abs(got.Metrics[metric]-want) > 1e-9 || counts[kind] < 15 {
			t.Errorf("%s: got %g, want %g over %g questions", metric, got.Metrics[metric], want, counts[kind])
		}
	}
	if got.Metrics[eval.VQAAccuracy] == 0 || len(got.Metrics) != 4 {
		t.Errorf("got %v, in which nothing is right", got.Metrics)
	}
	if !slices.Equal(eval.CandidateAnswers.Of(got.Examples), candidates) || len(eval.AnsweredQuestions.Of(got.Examples)) != 8 {
		t.Errorf("got the candidates %q and %d examples", eval.CandidateAnswers.Of(got.Examples),
			len(eval.AnsweredQuestions.Of(got.Examples)))
	}
	for _, q := range eval.AnsweredQuestions.Of(got.Examples) {
		want := shown[fmt.Sprint(q.Image, q.Text)]
		for k := range q.Answers {
			if math.Abs(q.Answers[k].Probability-want.Answers[k].Probability) < 1e-5 {
				want.Answers[k].Probability = q.Answers[k].Probability
			}
		}
		if !reflect.DeepEqual(q, want) {
			t.Errorf("got the example\n%+v, want\n%+v", q, want)
		}
	}
}

// Without a list the answers of training are the candidates; in brief nothing is kept.
func TestVQACandidates(t *testing.T) {
	on, candidates := asked(t)
	want := must.Get(eval.VQA{Answers: candidates}.Measure(t.Context(), on))(t)
	on.Answers = func() ([]string, error) { return candidates, nil }
	got, err := eval.VQA{}.Measure(t.Context(), on)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	on.Brief = true
	if got, err := (eval.VQA{}).Measure(t.Context(), on); err != nil || !reflect.DeepEqual(got.Metrics, want.Metrics) ||
		eval.AnsweredQuestions.Of(got.Examples) != nil {
		t.Errorf("in brief: got %v (%v)", got, err)
	}
}

func TestVQARefuses(t *testing.T) {
	on, candidates := asked(t)
	silent, captioned, empty := on, on, on
	silent.Set = quiz{Set: newBench(t).Set, all: []datasets.Question{{Text: "why ?"}}}
	captioned.Set = datasets.Uncaptioned(struct{ datasets.Set }{newBench(t).Set})
	empty.Answers = func() ([]string, error) { return nil, nil }
	for want, c := range map[string]struct {
		task eval.VQA
		on   eval.Subject
	}{
		"answers no questions":               {eval.VQA{}, newBench(t).Subject},
		"no question with an answer":         {eval.VQA{Answers: candidates}, silent},
		"has no questions about its images":  {eval.VQA{Answers: candidates}, captioned},
		"nothing tells those of training":    {eval.VQA{}, on},
		"have no answers to choose from":     {eval.VQA{}, empty},
		"candidate answer 2 is empty":        {eval.VQA{Answers: []string{"a", " "}}, on},
		`answer 3, "a", is number 1, too`:    {eval.VQA{Answers: []string{"a", "b", "a"}}, on},
		"the best -1 candidate answers; use": {eval.VQA{Answers: candidates, Top: -1}, on},
	} {
		if got, err := c.task.Measure(t.Context(), c.on); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v (%v), want an error with %q", got.Metrics, err, want)
		}
	}
}

// A list is JSON or lines.
func TestReadAnswers(t *testing.T) {
	put := func(content string) string {
		path := filepath.Join(t.TempDir(), "answers")
		must.Do(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for _, content := range []string{"yes\nno\n\n2 dogs", "[\"yes\", \"no\",\n\"2 dogs\"]\n", " yes\r\nno \r\n2 dogs\r\n"} {
		if got, err := eval.ReadAnswers(put(content)); err != nil || !slices.Equal(got, []string{"yes", "no", "2 dogs"}) {
			t.Errorf("%q: got %q (%v)", content, got, err)
		}
	}
	for content, want := range map[string]string{"": "lists none", "[]": "lists none", "[1]": "write a list of texts",
		"a\na\n": "is number 1, too"} {
		if got, err := eval.ReadAnswers(put(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q (%v), want an error with %q", content, got, err, want)
		}
	}
}
