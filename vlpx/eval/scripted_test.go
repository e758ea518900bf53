package eval_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
)

// scripted is a framework that reads three numbers an image, the first of which is the image's number, and writes what a script has of that
// image behind that prompt: where the script has nothing, all tokens are as likely.
type scripted struct {
	reading
	vocabulary int
	lines      []line
}

// line is what is written of an image behind a prompt: ids, with the one that ends them, or without where it goes on.
type line struct {
	image        int
	prompt, text []int32
}

func (s scripted) Vocabulary() int { return s.vocabulary }

// hash tells prompts apart by their ids and places.
func hash(prompt []int32) (sum int32) {
	for place, id := range prompt {
		sum += id * int32(place*place+1)
	}
	return sum
}

func (s scripted) Begin(_ *model.Scope, images, prompts *Node, room int) (*Node, []*Node) {
	g := prompts.Graph()
	places := Iota(g, prompts.Shape(), 1)
	sums := InsertAxes(ReduceSum(Mul(prompts, AddScalar(Mul(places, places), 1)), 1), -1)
	seen := ConvertDType(Slice(images, AxisRange(), AxisElem(0)), dtypes.Int32)
	var of, behind []int32
	for _, l := range s.lines {
		of, behind = append(of, int32(l.image)), append(behind, hash(l.prompt))
	}
	same := func(a *Node, b []int32) *Node { return Equal(a, InsertAxes(Const(g, b), 0)) }
	by := ConvertDType(LogicalAnd(same(seen, of), same(sums, behind)), dtypes.Float32) // [rows, lines]
	return s.logits(by, 0), []*Node{by}
}

func (s scripted) Continue(_ *model.Scope, _, step *Node, memory []*Node) (*Node, []*Node) {
	all := ScalarZero(step.Graph(), dtypes.Float32)
	for k := range s.longest() {
		all = Add(all, Mul(s.logits(memory[0], k+1), ConvertDType(Equal(step, Scalar(step.Graph(), dtypes.Int32, k)), dtypes.Float32)))
	}
	return all, memory
}

func (s scripted) longest() int {
	n := 0
	for _, l := range s.lines {
		n = max(n, len(l.text))
	}
	return n
}

// logits are those of the k-th token, by the lines of the rows: the last word of a text goes on where that has no end.
func (s scripted) logits(by *Node, k int) *Node {
	of := make([][]float32, len(s.lines))
	for l, line := range s.lines {
		of[l] = make([]float32, s.vocabulary)
		of[l][line.text[min(k, len(line.text)-1)]] = 30
	}
	return Dot(by, Const(by.Graph(), of)).Product()
}

// album are images of points in the place of pixels, the first number that of the image, with captions, questions and domains.
type album struct {
	points
	captions  [][]string
	questions []datasets.Question
	domains   []string
}

func (a album) Captions(i int) []string        { return a.captions[i] }
func (a album) Questions() []datasets.Question { return a.questions }
func (a album) Domain(i int) string            { return a.domains[i] }

// pictures is an album of so many coloured shapes, more than one search has texts.
func pictures(n int) album {
	var a album
	a.name = "pictures"
	for i := range n {
		a.at = append(a.at, [3]float32{float32(i), 1, 0})
		of := coloured(i)
		a.captions = append(a.captions, []string{"a " + of + " on the table", "there is one " + of})
		a.domains = append(a.domains, datasets.Domains[i%3])
	}
	return a
}

// coloured is a shape with its colour.
func coloured(i int) string {
	colours, shapes := []string{"red", "blue", "green", "white", "black", "grey", "brown"},
		[]string{"circle", "square", "star", "cross", "heart", "ring"}
	return colours[i%7] + " " + shapes[i/7%6]
}

// script is the subject of a scripted model on an album, with a vocabulary of its captions and of further texts.
func script(t *testing.T, a album, further []string, lines func(k *text.Tokenizer) []line) eval.Subject {
	t.Helper()
	words := func(yield func(string) bool) {
		for _, s := range append(slices.Concat(a.captions...), further...) {
			if !yield(text.Clean(s, text.MaxWords)) {
				return
			}
		}
	}
	k := must.Get(text.FromCorpus(words, 1, 500))(t)
	m := scripted{vocabulary: k.Size(), lines: lines(k)}
	n := must.Get(framework.NewInference(m, framework.Use{Batch: 1, Image: 1}, enginetest.PureGo(t), model.NewStore()))(t)
	t.Cleanup(n.Close)
	return eval.Subject{Model: n, Set: a, Size: 1, Features: a, Tokenizer: k, MaxLen: 14}
}

// ids are those of a text by itself, or as a prompt, behind [CLS].
func ids(t *testing.T, k *text.Tokenizer, s string, ends bool) []int32 {
	t.Helper()
	all := k.Encode(k.Prepare(s), 40)
	all = all[1 : 1+slices.Index(all[1:], k.SEP())]
	if slices.Contains(all, k.UNK()) {
		t.Fatalf("%q has words that the vocabulary lacks", s)
	}
	if ends {
		all = append(slices.Clone(all), k.SEP())
	}
	return all
}

// prompt are the ids of a prompt, as a model is given them.
func prompt(t *testing.T, k *text.Tokenizer, s string) []int32 {
	t.Helper()
	return append([]int32{k.CLS()}, ids(t, k, strings.TrimSpace(s), false)...)
}

// fails tells of an error that does not say what it should.
func fails(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want an error that says %q", err, says)
	}
}
