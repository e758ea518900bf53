package albef

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// listed reads a manifest of the published models.
func listed(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "weights", "testdata", "manifests", name+".json"))
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// paperAnswering is the published model at 384 pixels.
func paperAnswering(t *testing.T) (Answering, *model.Store) {
	t.Helper()
	m := Answering{ALBEF: Paper(), Layers: 6, Answers: 10, Tokens: 8}
	m.ALBEF.Vision.Image = 384
	store := model.NewStore()
	must.Do(t, framework.Declare(m, framework.Use{Image: 384, Tokens: 32}, enginetest.PureGo(t), store))
	return m, store
}

var layerNumber = regexp.MustCompile(`layer_(\d+)/`)

// named are the published tensors of a variable by a table.
func named(table weights.Table, path string) (names []string) {
	pattern, number := path, ""
	if at := layerNumber.FindStringSubmatchIndex(pattern); at != nil {
		pattern, number = pattern[:at[2]]+"#"+pattern[at[3]:], pattern[at[2]:at[3]]
	}
	for _, rule := range table.Rules {
		if rule.Variable == pattern {
			for _, name := range rule.Tensors {
				names = append(names, strings.ReplaceAll(name, "#", number))
			}
		}
	}
	return names
}

// Of the published model the tables name every variable and every tensor, of as many numbers, those of the momentum copy among them.
func TestAnsweringManifest(t *testing.T) {
	var manifest struct{ Tensors map[string][]any }
	listed(t, "albef_vqa", &manifest)
	_, store := paperAnswering(t)
	for v := range store.Scope(framework.Model).IterVariables() {
		for _, table := range []weights.Table{weights.VQA(framework.Model), weights.VQAMomentum(framework.Model)} {
			size := 0
			for _, name := range named(table, v.Path()) {
				part := 1
				for _, d := range manifest.Tensors[name][1:] {
					part *= int(d.(float64))
				}
				size += part
				delete(manifest.Tensors, name)
			}
			if size != v.Shape().Size() {
				t.Errorf("variable %s has %d numbers, the tensors of its rule %d", v.Path(), v.Shape().Size(), size)
			}
		}
	}
	var copies []string
	for _, rule := range weights.Join(weights.VQA(framework.Model), weights.VQAMomentum(framework.Model)).Copies {
		copies = append(copies, rule.Tensors...)
	}
	for name := range manifest.Tensors {
		if !slices.Contains(copies, name) {
			t.Errorf("tensor %s: no variable takes it", name)
		}
	}
}

// What the decoder starts from is what the published code renames a pre-training checkpoint's tensors to.
func TestAnsweringFollowsAsPublished(t *testing.T) {
	var published struct{ Renames map[string]map[string]string }
	listed(t, "albef_vqa_renames", &published)
	renames := published.Renames["vqa"]
	m, store := paperAnswering(t)
	before := model.NewStore()
	must.Do(t, framework.Declare(m.Before(), framework.Use{Image: 384, Tokens: 32}, enginetest.PureGo(t), before))
	earlier, names := weights.Values{}, map[*tensors.Tensor][]string{} // each value by the tensors that it is made of
	for v := range before.Scope(framework.Model).IterVariables() {
		value := tensors.FromScalar(float32(0))
		if v.Shape().Rank() > 0 {
			value = tensors.FromFlatDataAndDimensions(make([]float32, v.Shape().Dim(0)), v.Shape().Dim(0))
		}
		earlier[v.Path()], names[value] = value, named(weights.ALBEF(framework.Model), v.Path())
	}
	first := must.Get(m.Follow(earlier))(t)
	decoder := 0
	for v := range store.Scope(framework.Model).IterVariables() {
		value := first[v.Path()]
		if value == nil {
			value = earlier[v.Path()]
		} else {
			decoder++
		}
		var want []string
		for _, name := range named(weights.VQA(framework.Model), v.Path()) {
			if old, renamed := renames[name]; renamed {
				name = old
			}
			want = append(want, name)
		}
		if got := names[value]; value == nil || !slices.Equal(got, want) {
			t.Errorf("%s starts as %v, want %v", v.Path(), got, want)
		}
	}
	if decoder != len(first) || decoder < 100 {
		t.Errorf("%d variables of the decoder get first values, %d are given", decoder, len(first))
	}
	if again, err := m.Follow(weights.Values{framework.Model +
		"/decoder/mlm/norm/gain": earlier[framework.Model+"/text/mlm/norm/gain"]}); err != nil || again != nil {
		t.Errorf("after a model that answers: got %v (%v), want nothing", again, err)
	}
}

// smallAnswering is a small model with weights that matter.
func smallAnswering(t *testing.T) (Answering, *model.Store, compute.Backend) {
	t.Helper()
	on := enginetest.PureGo(t)
	m, store := Answering{ALBEF: small(), Layers: 2, Answers: 2, Tokens: 4}, model.NewStore()
	u := framework.Use{Method: negative.Plain(), Batch: 2, Image: 16, Tokens: 5}
	must.Do(t, framework.Initialise(m, u, on, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1, Seed: 3}))
	enlarge(t, store, framework.Model)
	return m, store, on
}

// answered runs a graph on two images with questions, and answers to each.
func answered(t *testing.T, on compute.Backend, store *model.Store, answers [][][]int32,
	build func(s *model.Scope, images, questions, answers *Node) []*Node) (flat [][]float32) {
	t.Helper()
	pixels := make([]float32, 2*16*16*3)
	for k := range pixels {
		pixels[k] = float32(math.Sin(float64(k)))
	}
	exec := must.Get(model.NewExec(on, store, func(s *model.Scope, in []*Node) []*Node { return build(s, in[0], in[1], in[2]) }))(t)
	defer exec.Finalize()
	results := must.Get(framework.Call(exec, tensors.FromFlatDataAndDimensions(pixels, 2, 16, 16, 3),
		tensors.FromValue([][]int32{{2, 5, 6, 3, 0}, {2, 7, 3, 0, 0}}), tensors.FromValue(answers)))(t)
	defer framework.Release(results)
	for _, x := range results {
		flat = append(flat, tensors.MustCopyFlatData[float32](x))
	}
	return flat
}

// An answer's likelihood is the product over its tokens of the softmax of the logits at the token before, each computed by itself from the
// answer as far as it goes, whatever other answers the question has; the first of them is what Question reports.
func TestAnswerTokenByToken(t *testing.T) {
	m, store, on := smallAnswering(t)
	answers := [][][]int32{{{2, 8, 9, 3}, {2, 8, 3, 0}}, {{2, 4, 3, 0}, {2, 10, 8, 3}}}
	at := func(s *model.Scope) *model.Scope { return s.Store().Scope(framework.Model) }
	got := answered(t, on, store, answers, func(s *model.Scope, images, questions, answers *Node) []*Node {
		states, first := m.Question(at(s), questions, images)
		return []*Node{m.Answer(at(s), states, questions, answers), first}
	})
	for q := range answers {
		for j, answer := range answers[q] {
			var want float64
			for k := 1; k < len(answer) && answer[k] != 0; k++ {
				begun := make([]int32, m.Tokens)
				copy(begun, answer[:k])
				next := answered(t, on, store, [][][]int32{{begun}, {begun}},
					func(s *model.Scope, images, questions, answers *Node) []*Node {
						states, _ := m.Question(at(s), questions, images)
						return []*Node{Reshape(m.write(at(s), states, questions, answers), 2, m.Tokens-1, -1)}
					})[0]
				vocabulary := len(next) / 2 / (m.Tokens - 1)
				logits := next[(q*(m.Tokens-1)+k-1)*vocabulary:][:vocabulary]
				if k == 1 {
					for w, x := range logits {
						if first := got[1][q*vocabulary+w]; math.Abs(float64(first-x)) > 1e-4 {
							t.Fatalf("question %d, first word %d: got %g, want %g", q, w, first, x)
						}
					}
				}
				var sum float64
				for _, x := range logits {
					sum += math.Exp(float64(x))
				}
				want += float64(logits[answer[k]]) - math.Log(sum)
			}
			if likelihood := float64(got[0][q*2+j]); math.Abs(likelihood-want) > 1e-4 {
				t.Errorf("question %d, answer %d: got %g, want %g", q, j, likelihood, want)
			}
		}
	}
}

// The loss is the weighted sum of the answers' nats over the number of questions; an answer without weight is none, whatever its ids are.
func TestAnsweringLoss(t *testing.T) {
	m, store, on := smallAnswering(t)
	u := framework.Use{Method: negative.Plain(), Batch: 2, Image: 16, Tokens: 5}
	loss := func(answers [][][]int32) []float32 {
		got := answered(t, on, store, answers, func(s *model.Scope, images, questions, answers *Node) []*Node {
			weights := Const(images.Graph(), [][]float32{{.75, .25}, {1, 0}})
			forward := m.Step(s, u, field.Nodes{field.Image: images, field.Captions: questions, field.Answers: answers,
				field.AnswerWeights: weights})
			scope := s.Store().Scope(framework.Model)
			states, _ := m.Question(scope, questions, images)
			return []*Node{forward.Losses[negative.Answers], m.Answer(s.Store().Scope(framework.Model), states, questions, answers)}
		})
		of := got[1]
		if want := -(.75*of[0] + .25*of[1] + of[2]) / 2; math.Abs(float64(got[0][0]-want)) > 1e-4 {
			t.Errorf("got a loss of %g, want %g", got[0][0], want)
		}
		return got[0]
	}
	one := loss([][][]int32{{{2, 8, 9, 3}, {2, 8, 3, 0}}, {{2, 4, 3, 0}, {0, 0, 0, 0}}})
	other := loss([][][]int32{{{2, 8, 9, 3}, {2, 8, 3, 0}}, {{2, 4, 3, 0}, {2, 9, 7, 3}}})
	if math.Abs(float64(one[0]-other[0])) > 1e-5 {
		t.Errorf("got %g with an answer that weighs nothing, %g without", other[0], one[0])
	}
}

// What the model lacks, or has no room for, is reported.
func TestAnsweringRefuses(t *testing.T) {
	for want, how := range map[string]func(*Answering, *framework.Use){
		"answers of 2 tokens":         func(m *Answering, _ *framework.Use) { m.Tokens = 2 },
		"a decoder of 0 layers":       func(m *Answering, _ *framework.Use) { m.Layers = 0 },
		"0 answers a question":        func(m *Answering, _ *framework.Use) { m.Answers = 0 },
		"questions of 99 tokens":      func(_ *Answering, u *framework.Use) { u.Tokens = 99 },
		"images of 32 pixels":         func(_ *Answering, u *framework.Use) { u.Image = 32 },
		"the vocabulary is empty":     func(m *Answering, _ *framework.Use) { m.ALBEF.Text.Vocab = 0 },
		"DiHT needs negatives, which": func(_ *Answering, u *framework.Use) { u.Method = negative.DiHT() },
		"ALBEF needs negatives":       func(_ *Answering, u *framework.Use) { u.Method = negative.ALBEF(4) },
		"has not; it has VQA":         func(_ *Answering, u *framework.Use) { u.Objectives = negative.Of(negative.ITC) },
		"take a framework that makes": func(_ *Answering, u *framework.Use) {
			u.Method.Batches = negative.Grouped{SearchSpace: 8,
				Queue: 8}
		},
	} {
		m, u := Answering{ALBEF: small(), Layers: 1, Answers: 1, Tokens: 3},
			framework.Use{Method: negative.Plain(), Batch: 2, Image: 16, Tokens: 5}
		must.Do(t, framework.Check(m, u))
		how(&m, &u)
		must.Fail(t, framework.Check(m, u), want)
	}
}
