package eval_test

import (
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// reading is a framework that reads three numbers an image, of which twice as much is the representation.
type reading struct{}

func (reading) Name() string              { return "Reading" }
func (reading) Losses() []negative.Loss   { return nil }
func (reading) Dim() int                  { return 3 }
func (reading) Check(framework.Use) error { return nil }

func (reading) Inputs(u framework.Use) []field.Field {
	return []field.Field{u.Images(field.Image, 3)}
}

func (reading) Represent(_ *model.Scope, images *Node) *Node { return MulScalar(images, 2) }

func (r reading) EmbedImage(s *model.Scope, images *Node) framework.Embedded {
	return framework.Embedded{Feature: framework.Normalise(r.Represent(s, images))}
}

func (reading) Step(*model.Scope, framework.Use, field.Nodes) framework.Forward {
	return framework.Forward{}
}

// points are labelled images that nobody can see: what the framework reads of each is three numbers, as of a locked encoder.
type points struct {
	name    string
	at      [][3]float32
	class   []int
	classes []string
}

func (p points) Name() string { return p.name }
func (p points) Len() int     { return len(p.at) }
func (p points) Image(context.Context, int) (image.Image, error) {
	return nil, fmt.Errorf("never asked")
}
func (p points) Captions(int) []string { return nil }
func (p points) Key(i int) string      { return fmt.Sprintf("point-%d", i) }
func (p points) Class(i int) int       { return p.class[i] }
func (p points) Classes() []string     { return p.classes }

// Size and Features are those of loader.Features.
func (points) Size() int { return 3 }

func (p points) Features(_ context.Context, i int, to []float32) error {
	copy(to, p.at[i][:])
	return nil
}

// clusters are points around one place a class.
func clusters(name string, n, classes int, spread float64, seed uint64) points {
	p, rng := points{name: name}, rand.New(rand.NewPCG(seed, 1))
	for c := range classes {
		p.classes = append(p.classes, fmt.Sprintf("class %d", c))
	}
	for i := range n {
		angle := 2 * math.Pi * float64(i%classes) / float64(classes)
		noise := func() float32 { return float32(spread * rng.NormFloat64()) }
		p.at = append(p.at, [3]float32{float32(math.Cos(angle)) + noise(), float32(math.Sin(angle)) + noise(), noise()})
		p.class = append(p.class, i%classes)
	}
	return p
}

// by is the subject of a framework on points, that learned from others.
func by(t testing.TB, set, training points) eval.Subject {
	t.Helper()
	backend := enginetest.PureGo(t)
	n := must.Get(framework.NewInference(reading{}, framework.Use{Batch: 1, Image: 1}, backend, model.NewStore()))(t)
	t.Cleanup(n.Close)
	s := eval.Subject{Model: n, Set: set, Size: 1, Features: set}
	s.Training = func(context.Context) (eval.Subject, error) {
		s := s
		s.Set, s.Features = training, training
		return s, nil
	}
	s.On = func(_ context.Context, c datasets.Collection, split string) (eval.Subject, error) {
		set, err := c.Split(split)
		s := s
		s.Set = set
		if features, ok := set.(points); ok {
			s.Features = features
		}
		return s, err
	}
	return s
}

// TestNeighboursByHand: on a circle, points at 0, 10, 30, 35 and 190 degrees of classes a, a, b, b, a. The nearest, one to four, have the
// classes abba, abba, baaa, baaa and bbaa: of one or two a, a, b, b, b, four right of five; of three b, b, a, a, b, none; of four, where as
// many go by the nearest, a, a, a, a, b, two.
func TestNeighboursByHand(t *testing.T) {
	p := points{name: "circle", class: []int{0, 0, 1, 1, 0}, classes: []string{"a", "b"}}
	for k, degrees := range []float64{0, 10, 30, 35, 190} {
		long := float32(k + 1) // lengths do not count
		p.at = append(p.at, [3]float32{long * float32(math.Cos(degrees*math.Pi/180)), long * float32(math.Sin(degrees*math.Pi/180)), 0})
	}
	for k, want := range map[int]float64{0: 80, 1: 80, 2: 80, 3: 0, 4: 40, 99: 40} {
		got, err := eval.Neighbours{K: k}.Measure(t.Context(), by(t, p, p))
		if err != nil || got.Metrics[eval.NeighboursTop1] != want || len(got.Metrics) != 1 {
			t.Errorf("K = %d: got %v (%v), want %g", k, got.Metrics, err, want)
		}
	}
}

// TestNeighboursAgainstSorting compares with sorting all cosines of every image, of more images than are looked at once.
func TestNeighboursAgainstSorting(t *testing.T) {
	p := clusters("many", 600, 7, .5, 3)
	cosine := func(a, b [3]float32) float64 {
		var dot, aa, bb float64
		for d := range a {
			dot, aa, bb = dot+float64(a[d])*float64(b[d]), aa+float64(a[d])*float64(a[d]), bb+float64(b[d])*float64(b[d])
		}
		return dot / math.Sqrt(aa*bb)
	}
	for _, k := range []int{1, 5} {
		right := 0.
		for i := range p.at {
			others := slices.DeleteFunc(upTo(len(p.at)), func(j int) bool { return j == i })
			slices.SortFunc(others, func(a, b int) int {
				if cosine(p.at[i], p.at[a]) > cosine(p.at[i], p.at[b]) {
					return -1
				}
				return 1
			})
			votes := make([]int, len(p.classes))
			for _, j := range others[:k] {
				votes[p.class[j]]++
			}
			most := slices.Max(votes)
			for _, j := range others[:k] {
				if votes[p.class[j]] == most {
					if p.class[j] == p.class[i] {
						right++
					}
					break
				}
			}
		}
		got, err := eval.Neighbours{K: k}.Measure(t.Context(), by(t, p, p))
		want := 100 * right / 600
		// float32 decides between two that are as near
		if err != nil || math.Abs(got.Metrics[eval.NeighboursTop1]-want) > 0.5 || want < 30 || want > 95 {
			t.Errorf("K = %d: got %v (%v), want %g", k, got.Metrics, err, want)
		}
	}
}

// spoiled are points of which one thing is wrong.
func spoiled(change func(*points)) points {
	p := clusters("few", 6, 2, .1, 1)
	change(&p)
	return p
}

// TestProbesRefuse: what cannot be measured is an error that says why, for every task that goes by representations.
func TestProbesRefuse(t *testing.T) {
	good := clusters("good", 6, 2, .1, 2)
	for name, c := range map[string]struct {
		set  points
		want string
	}{
		"no class":       {spoiled(func(p *points) { p.class[2] = -1 }), "point-2 of few is of class -1; there are classes 0 to 1"},
		"no such class":  {spoiled(func(p *points) { p.class[3] = 2 }), "point-3 of few is of class 2"},
		"NaN":            {spoiled(func(p *points) { p.at[4][1] = float32(math.NaN()) }), "the representation of point-4 of few has NaN"},
		"infinity":       {spoiled(func(p *points) { p.at[5][0] = float32(math.Inf(1)) }), "the representation of point-5 of few has +Inf"},
		"without images": {points{name: "none", classes: []string{"a"}}, "none has"},
	} {
		for _, task := range []eval.Task{eval.Neighbours{}, eval.LinearEvaluation{Epochs: []int{1, 1, 1, 1}}} {
			if _, err := task.Measure(t.Context(), by(t, c.set, good)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %T: got %v, want %q", name, task, err, c.want)
			}
		}
	}
	one := spoiled(func(p *points) { p.at, p.class = p.at[:1], p.class[:1] })
	for want, c := range map[string]struct {
		task eval.Task
		f    framework.Framework
		set  datasets.Set
	}{
		"others; take at least two":     {eval.Neighbours{}, reading{}, one},
		"-1 neighbours":                 {eval.Neighbours{K: -1}, reading{}, good},
		"which ALBEF does not make":     {eval.Neighbours{}, silent{newBench(t).Model.Framework()}, good},
		"good has none; take data with": {eval.Neighbours{}, reading{}, unlabelled{good}},
	} {
		if err := c.task.Check(c.f, c.set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: got %v, want %q", c.task, err, want)
		}
	}
}

// TestOneClass: where all images are of one class all are right, by whatever task.
func TestOneClass(t *testing.T) {
	p := clusters("alike", 5, 1, .3, 4)
	for _, task := range []eval.Task{eval.Neighbours{}, eval.LinearEvaluation{Epochs: []int{1, 1, 1, 1}}} {
		got, err := task.Measure(t.Context(), by(t, p, p))
		if err != nil || len(got.Metrics) == 0 {
			t.Errorf("%T: got %v (%v)", task, got.Metrics, err)
		}
		for metric, value := range got.Metrics {
			if value != 100 {
				t.Errorf("%s: got %g, want 100", metric, value)
			}
		}
	}
}

// TestBriefProbes: what takes long is not measured in brief, neighbours are.
func TestBriefProbes(t *testing.T) {
	p := clusters("few", 8, 2, .1, 4)
	on := by(t, p, p)
	on.Brief = true
	for task, want := range map[string]struct {
		task    eval.Task
		metrics int
	}{"neighbours": {eval.Neighbours{}, 1}, "linear evaluation": {eval.LinearEvaluation{}, 0}} {
		got, err := want.task.Measure(t.Context(), on)
		if err != nil || len(got.Metrics) != want.metrics {
			t.Errorf("%s: got %v (%v), want %d metrics", task, got.Metrics, err, want.metrics)
		}
	}
}

// TestConstantRepresentations: where all images look alike, one class is the answer to all.
func TestConstantRepresentations(t *testing.T) {
	p := clusters("alike", 12, 3, 0, 4)
	for i := range p.at {
		p.at[i] = [3]float32{1, 2, 3}
	}
	got, err := eval.LinearEvaluation{Shares: []float64{1}}.Measure(t.Context(), by(t, p, p))
	if v := got.Metrics[eval.LinearAverage]; err != nil || math.Abs(v-100./3) > 1e-9 {
		t.Errorf("got %v (%v), want a third", got.Metrics, err)
	}
}

// oneClass hides the classes of a set but one.
type oneClass struct{ datasets.Labelled }

func (oneClass) Class(int) int       { return 0 }
func (o oneClass) Classes() []string { return o.Labelled.Classes()[:1] }

// TestZeroShotOdd: with one class all images are right, in brief, too, and with one image retrieval by the cosine is what its captions are.
func TestZeroShotOdd(t *testing.T) {
	b := newBench(t)
	alike := b.Subject
	alike.Set = oneClass{b.Set.(datasets.Labelled)}
	for _, brief := range []bool{false, true} {
		alike.Brief = brief
		got := must.Get(eval.Classification{}.Measure(t.Context(), alike))(t)
		same(t, got.Metrics, eval.Result{eval.ClassTop1: 100, eval.ClassTop5: 100, eval.ClassMean: 100})
	}
	alone := b.Subject
	alone.Set, alone.Brief = datasets.First(b.Set, 1, 0), true
	got, err := eval.Retrieval{Rerank: 5}.Measure(t.Context(), alone)
	if err != nil || got.Metrics[eval.TR1] != 100 || got.Metrics[eval.IR1] != 100 || got.Metrics[eval.TRRank] != 1 {
		t.Errorf("one image: got %v (%v)", got.Metrics, err)
	}
}
