package plan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	albefpreset "vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/framework/blip2"
	blip2preset "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// The words of BERT's published vocabulary, and the pairs of a training set that is as large as what is kept of each pair may be here.
const (
	publishedWords = 30522
	trainingPairs  = 1000
)

// atPaper is the scale "paper" of a framework, for photographs, with products in bfloat16 or not.
func atPaper(half bool) func(t *testing.T, name string) scale.Scale {
	return func(t *testing.T, name string) scale.Scale {
		s := framed(t, "paper", name)
		s.Half = half
		return s
	}
}

// framed is a preset for photographs of a framework.
func framed(t *testing.T, preset, name string) scale.Scale {
	t.Helper()
	s, err := scale.Preset(preset, true)
	if err == nil && name != scale.Usual().Name {
		err = s.Frame(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// trains is a training run of a method at a scale, with a vocabulary of so many words.
func trains(s scale.Scale, m scale.Method, words int) run.Run {
	r := s.Runs(run.Data{}, run.Vocabulary{}, words, m.Parts(s), []uint64{1})[0]
	r.Train.Method.Name = m.Name
	if m.Reference != "" {
		r.Train.Reference = "of the test"
	}
	if regional, ok := r.Train.Framework.Framework.(framework.Regional); ok { // as published for UNITER
		r.Train.Framework.Framework = regional.WithRegions(36, 2048)
	}
	return r
}

// suits tells whether the framework has what the method needs.
func suits(t *testing.T, c train.Config) bool {
	t.Helper()
	err := c.Validate()
	if lacking := new(framework.Lacking); err != nil && !errors.As(err, &lacking) {
		t.Errorf("%s with %s: %v", c.Framework.Name(), c.Method.Name, err)
	}
	return err == nil
}

// stages are the configurations at a scale besides training a method: fine-tuning, and stages of a framework.
func stages(t *testing.T, at func(t *testing.T, name string) scale.Scale, words int) (all []train.Config) {
	t.Helper()
	plain := scale.Registered("InfoNCE")
	add := func(name string, r run.Run, f framework.Framework) {
		r.Train.Method.Name = name
		if f != nil {
			r.Train.Framework.Framework = f
		}
		all = append(all, r.Train)
	}
	s := at(t, "ALBEF")
	own := scale.Own[albefpreset.Sizes](s)
	from := trains(s, plain, words)
	a := from.Train.Framework.Framework.(albef.Model)
	add("distilled tuning", s.Tuned(from, run.Data{}, scale.DistilledTuning(s)), nil)
	add("plain tuning", s.Tuned(from, run.Data{}, scale.PlainTuning(s)), nil)
	add("distilled answering", s.Next(from, run.Data{}, own.VQA, albefpreset.DistilledUnderstanding()),
		albef.Answering{ALBEF: a, Layers: a.Text.Fusion, Answers: albefpreset.MostAnswers, Tokens: 8})
	add("assignment", s.Next(from, run.Data{}, own.Assignment, negative.Plain()), albef.Assignment{ALBEF: a})
	add("distilled reasoning", s.Next(from, run.Data{}, own.NLVR, albefpreset.DistilledUnderstanding()), albef.Reasoning{ALBEF: a})

	s = at(t, "BLIP-2")
	second := scale.Own[blip2preset.Sizes](s).Generation
	from = trains(s, plain, words)
	first := from.Train.Framework.Framework.(blip2.Model)
	language := at(t, "OPT").Model(words).(opt.Model).Text
	add("plain tuning", s.Tuned(from, run.Data{}, scale.PlainTuning(s)), nil)
	add("second stage", s.Next(from, run.Data{}, second, negative.Plain()), blip2.Generative{BLIP2: first, Language: language})
	add("answers", s.Next(from, run.Data{}, second, negative.Plain()),
		blip2.Generative{BLIP2: first, Language: language, Answers: albefpreset.MostAnswers, Tokens: 8})

	s = at(t, "UNITER")
	from = trains(s, scale.Registered("UNITER"), words)
	of := from.Train.Framework.Framework.(uniter.Model)
	of.Pretraining = true
	add("pre-training", s.Next(from, run.Data{}, scale.Tuning{Epochs: 1, Rate: 1e-4}, s.WarmMethod()), of)
	return all
}

// Every framework's step with every method that suits it, and every stage's, at the papers' sizes with products in bfloat16, is made of
// operations and types that go-xla has for CUDA, and is lowered to StableHLO. Nearly all of a framework's work is in products of bfloat16,
// or none where they are in float32. Nothing is run.
func TestStepsOnXLA(t *testing.T) {
	xla := enginetest.Record(t)
	all := stages(t, atPaper(true), publishedWords)
	for _, k := range scale.Frameworks() {
		s, seen := atPaper(true)(t, k.Name), map[string]bool{}
		for _, m := range scale.Methods() {
			c := trains(s, m, publishedWords).Train
			if suits(t, c) && !seen[stepOf(t, c.Method)] {
				all, seen[stepOf(t, c.Method)] = append(all, c), true
			}
		}
	}
	if len(all) < 80 {
		t.Errorf("got %d steps", len(all))
	}
	counted := map[string]bool{} // by frameworks
	for _, c := range all {
		t.Run(c.Framework.Name()+", "+c.Method.Name, func(t *testing.T) {
			text := lowered(t, xla, c)
			if counted[c.Framework.Name()] {
				return
			}
			counted[c.Framework.Name()] = true
			if work := products(t, text); !(work["bf16"] > 99*work["f32"]) || len(work) > 2 {
				t.Errorf("the products' work is %v", work)
			}
		})
	}
	for _, k := range scale.Frameworks() {
		for _, m := range scale.Methods() {
			if c := trains(atPaper(false)(t, k.Name), m, publishedWords).Train; suits(t, c) {
				t.Run(k.Name+" in float32", func(t *testing.T) {
					if work := products(t, lowered(t, xla, c)); !(work["f32"] > 0) || len(work) > 1 {
						t.Errorf("the products' work is %v", work)
					}
				})
				break
			}
		}
	}
}

// stepOf is the same for methods that have the same step, since they differ in their mini-batches alone.
func stepOf(t *testing.T, m negative.Method) string {
	t.Helper()
	if _, rewarded := m.Batches.(negative.Rewarded); !rewarded {
		m.Batches = nil
	}
	m.Name = ""
	text := must.Get(json.Marshal(m))(t)
	return string(text)
}

// Activations that are computed again, and attention by cuDNN, are lowered for every framework, alone and together. Each layer of the
// vision transformer has one call of cuDNN's attention, and one of its gradient where it is trained, which count for as many operations as
// the products that they stand for; but for CLIP's last one, in which the class token alone asks.
func TestMemorySavingStepsOnXLA(t *testing.T) {
	xla := enginetest.Record(t)
	calls := map[string][2]int{"ALBEF": {12, 12}, "CLIP": {11, 11}, "BLIP-2": {39, 0}}
	for _, k := range scale.Frameworks() {
		for _, set := range [][]string{{"recompute=true"}, {"fusedattention=true"}, {"recompute=true", "fusedattention=true"}} {
			t.Run(k.Name+" "+strings.Join(set, " "), func(t *testing.T) {
				s := atPaper(true)(t, k.Name)
				must.Do(t, s.SetAll(set))
				m := scale.Registered("InfoNCE")
				if k.Name == "UNITER" {
					m = scale.Registered("UNITER")
				}
				o, store := must.Get2(trains(s, m, publishedWords).Train.Outline(xla, trainingPairs, 0))(t)
				defer store.Finalize()
				defer o.Close()
				text := program(t, xla, o)
				if got, want := strings.Contains(text, "stablehlo.optimization_barrier"), s.Recompute && k.Name != "SimCLR"; got != want {
					t.Errorf("activations are computed again: %t, want %t", got, want)
				}
				if s.Recompute {
					return // attention, too
				}
				if got := [2]int{strings.Count(text, `"__cudnn$fmhaSoftmax"`),
					strings.Count(text, `"__cudnn$fmhaSoftmaxBackward"`)}; got != calls[k.Name] {
					t.Errorf("got %d calls of attention and of its gradient, want %d", got, calls[k.Name])
				}
				got := must.Get(engine.Operations(o.Results...))(t)
				plain, plainStore := must.Get2(trains(atPaper(true)(t, k.Name), m, publishedWords).Train.Outline(xla, trainingPairs, 0))(t)
				defer plainStore.Finalize()
				defer plain.Close()
				if want, err := engine.Operations(plain.Results...); err != nil || got != want {
					t.Errorf("got %g operations, and %g without cuDNN, %v", got, want, err)
				}
			})
		}
	}
}

// lowered holds a step against what XLA has, and lowers it.
func lowered(t *testing.T, xla *enginetest.Recorder, c train.Config) string {
	t.Helper()
	o, store := must.Get2(c.Outline(xla, trainingPairs, c.BatchSize))(t)
	defer store.Finalize()
	defer o.Close()
	for v := range store.IterVariables() {
		if v.ChangedInGraph(o.Graph) && !v.NodeValue(o.Graph).Shape().Equal(v.Shape()) {
			t.Errorf("%s is %s and becomes %s", v.Path(), v.Shape(), v.NodeValue(o.Graph).Shape())
		}
	}
	return program(t, xla, o)
}

// Whatever is asked of a trained model of every framework and stage at the papers' sizes is made of what go-xla has for CUDA, and is
// lowered.
func TestEvaluationsOnXLA(t *testing.T) {
	xla := enginetest.Record(t)
	all := stages(t, atPaper(true), publishedWords)
	for _, k := range scale.Frameworks() {
		all = append(all, trains(atPaper(true)(t, k.Name), scale.Registered("InfoNCE"), publishedWords).Train)
	}
	asked := map[string]bool{}
	seen := map[string]bool{}
	for _, c := range all {
		f := c.Framework.Framework
		if seen[f.Name()] {
			continue
		}
		seen[f.Name()] = true
		t.Run(f.Name(), func(t *testing.T) {
			store := model.NewStore()
			defer store.Finalize()
			must.Do(t, framework.Declare(f, c.Use(), xla, store))
			outlines := must.Get(framework.EvaluationOutlines(f, c.Use(), xla, store, 16))(t)
			for _, o := range outlines {
				t.Run(o.What, func(t *testing.T) {
					defer o.Close()
					program(t, xla, o)
				})
				what, _, _ := strings.Cut(o.What, " of ")
				asked[what] = true
			}
		})
	}
	if len(asked) < 13 {
		t.Errorf("only these were asked: %v", asked)
	}
}

// largestProgram is the size of a lowered graph in bytes that is far above what the papers' models have: their constants are none of them.
const largestProgram = 16 << 20

// program lowers a graph, once its operations and types are held against XLA's.
func program(t *testing.T, xla *enginetest.Recorder, o *framework.Outline) string {
	t.Helper()
	can := xla.Capabilities()
	var lacking []string
	for _, n := range o.Graph.Nodes() {
		// A split node is one result of an operation that has several.
		if op, err := compute.OpTypeString(n.Type().String()); n.Type() != graph.NodeTypeSplitNode && (err != nil || !can.Operations[op]) {
			lacking = append(lacking, n.Type().String())
		}
		if n.NumOutputs() == 1 && (!can.DTypes[n.DType()] || n.DType() == dtypes.Float64) {
			lacking = append(lacking, fmt.Sprintf("%s of %s", n.Type(), n.DType()))
		}
	}
	slices.Sort(lacking)
	if lacking = slices.Compact(lacking); len(lacking) > 0 {
		t.Errorf("XLA has no %s, or is slow at it", strings.Join(lacking, ", no "))
	}
	must.Do(t, o.Compile())
	programs := xla.Programs(t)
	if len(programs) != 1 || len(programs[0]) > largestProgram {
		t.Fatalf("got %d programs, the first of %d bytes", len(programs), len(programs[0]))
	}
	_, head, _ := strings.Cut(programs[0], "@main(")
	head, _, _ = strings.Cut(head, "\n")
	_, results, _ := strings.Cut(head, ") -> ")
	if got := strings.Count(results, "tensor<"); got != len(o.Results) {
		t.Errorf("the program has %d results, want %d", got, len(o.Results))
	}
	return programs[0]
}

// dots finds the products of a program: the contracted axes of the left operand, and the operands' and the result's shapes.
var dots = regexp.MustCompile(`(?s)"stablehlo\.dot_general"\([^)]*\) \{.*?lhs_contracting_dimensions = \[([\d, ]*)\].*?\} : ` +
	`\(tensor<([^>]*)>, tensor<[^>]*>\) -> tensor<([^>]*)>`)

// products is the work of a program's products, in multiplications, by the type of their operands.
func products(t *testing.T, program string) map[string]float64 {
	t.Helper()
	work := map[string]float64{}
	numbers := func(text, by string) (all []int) {
		for _, word := range strings.Split(text, by) {
			if word = strings.TrimSpace(word); word == "" {
				continue
			}
			n := must.Get(strconv.Atoi(word))(t)
			all = append(all, n)
		}
		return all
	}
	for _, m := range dots.FindAllStringSubmatch(program, -1) {
		left, right := strings.LastIndex(m[2], "x"), strings.LastIndex(m[3], "x")
		dims, size := numbers(m[2][:max(left, 0)], "x"), 1.0
		for _, axis := range numbers(m[1], ",") {
			size *= float64(dims[axis])
		}
		for _, d := range numbers(m[3][:max(right, 0)], "x") {
			size *= float64(d)
		}
		work[m[2][left+1:]] += size
	}
	if n := strings.Count(program, `"stablehlo.dot_general"`); n != len(dots.FindAllString(program, -1)) {
		t.Errorf("found %d of %d products", len(dots.FindAllString(program, -1)), n)
	}
	return work
}
