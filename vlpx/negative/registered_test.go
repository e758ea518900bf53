package negative

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// registered are the methods of the registry with sizes that fit mini-batches of so many pairs. What holds of them holds of a new one, too.
func registered(batch int) []Method {
	s := Sizes{Epochs: 4, SearchSpace: 2 * batch, GroupQueue: 4 * batch, MomentumQueue: 2 * batch, Easy: 0.3, Hard: 0.8, Soft: 0.5,
		Scheduler: Scheduled{Quantiles: 3, Hidden: 4}, Global: PublishedGlobal(), Writing: PublishedWriting()}
	s.Global.Begin, s.Global.Alpha = 0, 0.2
	var all []Method
	for _, entry := range Methods() {
		m := entry.At(s).Sized(s).WithDefaults()
		m.Name = entry.Name
		all = append(all, m)
	}
	return all
}

// contrasts are the registered methods, each loss of ITC once, without what only a whole model can judge, and that of SRCL's fine-tuning.
func contrasts(batch int) []Method {
	var all []Method
	seen := map[string]bool{}
	for _, m := range append(registered(batch), Method{Name: "SRCL, fine-tuning", Contrast: SelfRegulated{Temperature: 0.1}}) {
		m = Method{Name: m.Name, Contrast: m.Contrast, LeftOut: m.LeftOut, Attract: m.Attract, Further: m.Further}
		if what := fmt.Sprintf("%#v %#v %v %#v", m.Contrast, m.LeftOut, m.Attract, m.Further); !seen[what] {
			seen[what] = true
			all = append(all, m)
		}
	}
	return all
}

func onStage(t *testing.T, m Method, batch, dim int) *stage {
	t.Helper()
	return stageOf(t, m, 0, Start{Pairs: 2 * batch, BatchSize: batch, Dim: dim, Epochs: 4})
}

// moved are a mini-batch's pairs in another order.
func (m minibatch) moved(order []int) minibatch {
	n := m.batch()
	to := m
	to.embeddings, to.index, to.truth = nil, nil, nil
	for _, x := range m.embeddings {
		to.embeddings = append(to.embeddings, permuted(x, m.dim, order))
	}
	for _, i := range order {
		to.index = append(to.index, m.index[i])
		for _, j := range order {
			to.truth = append(to.truth, m.truth[i*n+j])
		}
	}
	return to
}

// related is a mini-batch of which each pair is its own, and so are some others.
func related(seed uint64, batch int, from int32, tau float64) minibatch {
	b := sized(0, batch, 3, seed, from, tau)
	draw := rand.New(rand.NewPCG(seed, 1))
	for i := range batch * batch {
		b.truth = append(b.truth, map[bool]float32{true: 1}[i%(batch+1) == 0 || draw.IntN(5) == 0])
	}
	return b
}

// The order of the pairs of a mini-batch matters to no loss: its value stays, and each pair keeps its gradients, in the next step, too.
func TestRegisteredPermuted(t *testing.T) {
	const batch = 5
	for _, m := range contrasts(batch) {
		t.Run(m.Name, func(t *testing.T) {
			one, other := onStage(t, m, batch, 3), onStage(t, m, batch, 3)
			order := []int{3, 0, 4, 1, 2}
			for step, from := range []int32{0, 0, 3} {
				b := related(uint64(20+step), batch, from, 0.2)
				b.progress = float64(step) / 2
				want, got := one.step(b), other.step(b.moved(order))
				close64(t, "loss", []float64{got.loss}, []float64{want.loss})
				close64(t, "gradient of the temperature", []float64{got.tauGradient}, []float64{want.tauGradient})
				for side, g := range want.gradients {
					close64(t, fmt.Sprintf("step %d: gradient %d", step, side), got.gradients[side], permuted(g, 3, order))
				}
			}
		})
	}
}

// edges are mini-batches whose cosines are exactly 1 and -1, as they are of embeddings that are alike or opposed.
func edges(batch int) map[string]minibatch {
	all := map[string]minibatch{}
	for name, side := range map[string]func(view, pair int) bool{ // whether it is the opposite
		"all the same":                 func(int, int) bool { return false },
		"images opposed to texts":      func(view, _ int) bool { return view == 1 },
		"pairs opposed to their like":  func(_, pair int) bool { return pair%2 == 1 },
		"pairs opposed to their own":   func(view, pair int) bool { return (view+pair)%2 == 1 },
		"one pair opposed to the rest": func(_, pair int) bool { return pair == 0 },
		"one text opposed to the rest": func(view, pair int) bool { return view == 1 && pair == 0 },
	} {
		b := related(40, batch, 0, 0)
		for view, x := range b.embeddings {
			clear(x)
			for pair := range batch {
				x[pair*b.dim] = map[bool]float32{false: 1, true: -1}[side(view, pair)]
			}
		}
		all[name] = b
	}
	return all
}

// Where cosines are exactly 1 or -1 and the temperature is at the bounds of ALBEF's or CLIP's, each loss, its gradients, and what it keeps
// are finite.
func TestRegisteredAtTheEdges(t *testing.T) {
	const batch = 4
	for _, m := range contrasts(batch) {
		t.Run(m.Name, func(t *testing.T) {
			for name, b := range edges(batch) {
				for _, tau := range []float64{0.001, 0.01, 0.5, 1} {
					s := onStage(t, m, batch, b.dim)
					for step := range 3 {
						b.tau, b.progress = tau, float64(step)*0.75
						if err := s.step(b).finite(); err != nil {
							t.Errorf("%s, temperature %g, step %d: %v", name, tau, step, err)
						}
					}
				}
			}
		})
	}
}

// Of views of images, too, losses, gradients and what is kept are finite at the edges, whatever is left out.
func TestViewsAtTheEdges(t *testing.T) {
	const batch = 4
	all := globals()
	all["InfoNCE"] = InfoNCE{}
	for name, contrast := range all {
		for leftOut, part := range everyLeftOut() {
			for _, views := range []int{2, 3} {
				s := newStage(t, Method{Contrast: contrast, LeftOut: part}, views, batch)
				step := 0
				for edge, b := range edges(batch) {
					b.embeddings = append(b.embeddings, b.embeddings[0])[:views]
					for _, tau := range []float64{0.01, 0.1, 1} {
						b.tau, b.progress = tau, float64(step)/2
						step++
						if err := s.step(b).finite(); err != nil {
							t.Fatalf("%s, %s, %d views, %s, temperature %g: %v", name, leftOut, views, edge, tau, err)
						}
					}
				}
			}
		}
	}
}

// Every contrast of the package is among those that these tests try.
func TestContrastsAreAll(t *testing.T) {
	tried := map[string]bool{}
	for _, m := range contrasts(4) {
		tried[reflect.TypeOf(m.Contrast).Name()] = true
	}
	files := must.Get(filepath.Glob("*.go"))(t)
	declared := regexp.MustCompile(`(?m)^func \(\w* ?(\w+)\) ITC\(`)
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, of := range declared.FindAllStringSubmatch(string(must.Get(os.ReadFile(file))(t)), -1) {
			if found++; !tried[of[1]] {
				t.Errorf("%s of %s is no contrast that these tests try", of[1], file)
			}
		}
	}
	if found < 10 {
		t.Errorf("found %d contrasts", found)
	}
}

// Where nothing is false, a method that leaves out what is false, or weighs all alike, is the simpler one.
func TestReductions(t *testing.T) {
	const batch = 5
	b := sized(0, batch, 3, 50, 0, 0.2)
	b.progress = 1.5
	for i := range batch * batch {
		b.truth = append(b.truth, map[bool]float32{true: 1}[i%(batch+1) == 0])
	}
	same := func(t *testing.T, m, simple Method, times float64) {
		t.Helper()
		got, want := onStage(t, m, batch, 3).step(b), onStage(t, simple, batch, 3).step(b)
		scaled := func(x []float64) []float64 {
			x = slices.Clone(x)
			for i := range x {
				x[i] *= times
			}
			return x
		}
		close64(t, "loss", []float64{got.loss}, scaled([]float64{want.loss}))
		close64(t, "gradient of the temperature", []float64{got.tauGradient}, scaled([]float64{want.tauGradient}))
		for side := range want.gradients {
			close64(t, fmt.Sprintf("gradient %d", side), got.gradients[side], scaled(want.gradients[side]))
		}
	}
	listing, softening := 0, 0
	for _, m := range contrasts(batch) {
		if _, lists := m.Contrast.(Listing); lists {
			listing++
			t.Run(m.Name+", nothing false", func(t *testing.T) {
				same(t, Method{Contrast: m.Contrast, LeftOut: Exact{}}, Method{Contrast: m.Contrast}, 1)
			})
		}
		if soft, softens := m.Contrast.(Softening); softens {
			softening++
			t.Run(m.Name+", alpha 0", func(t *testing.T) {
				same(t, Method{Contrast: Unqueued(soft.Softened(0))}, Method{Contrast: Consistency{}}, 1)
			})
		}
	}
	if listing < 8 || softening < 3 {
		t.Errorf("%d registered contrasts list their negatives and %d have soft targets; that many are too few to be all", listing, softening)
	}
	for name, c := range map[string]struct {
		contrast Contrast
		simple   Contrast
		times    float64
	}{
		"HN-NCE with equal weights":         {HNNCE{Alpha: 1}, InfoNCE{}, 2},
		"debiased without a prior":          {Debiased{}, InfoNCE{}, 1},
		"regulated by flat similarities":    {Regulated{Epochs: 2, Temperature: 1e6}, InfoNCE{}, 2},
		"pruned by no threshold":            {Pruned{Weights: Regulated{Epochs: 2}}, InfoNCE{}, 2},
		"regulated by itself, flat":         {SelfRegulated{Temperature: 1e6}, InfoNCE{}, 2},
		"a mixed consistency without share": {Consistency{Convex: true}, Consistency{}, 1},
	} {
		t.Run(name, func(t *testing.T) { same(t, Method{Contrast: c.contrast}, Method{Contrast: c.simple}, c.times) })
	}
}

// A grouped sampler at the quantile 1, or at one that does not move, hands out what the simpler one does.
func TestReductionsOfSamplers(t *testing.T) {
	run := Start{BatchSize: 3, Pairs: 40, Dim: 4, Epochs: 4, Seed: 9}
	for name, c := range map[string]struct{ batches, simple Batches }{
		"quantile 1": {FixedQuantile{Quantile: 1, SearchSpace: 6, Queue: 12}, Grouped{SearchSpace: 6, Queue: 12}},
		"a quantile that does not move": {Progressive{From: 0.3, To: 0.3, SearchSpace: 6, Queue: 12},
			FixedQuantile{Quantile: 0.3, SearchSpace: 6, Queue: 12}},
	} {
		got, want := started(t, c.batches, run), started(t, c.simple, run)
		for e := range run.Epochs {
			if got, want := epochOf(t, got, run, e), epochOf(t, want, run, e); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s, epoch %d: got %v, want %v", name, e, got, want)
			}
		}
	}
}

// No matching picks an anchor's own pair for a negative, whatever the similarities are, and the order of the pairs matters to none. Where
// similarities are equal the order decides.
func TestRegisteredMatching(t *testing.T) {
	const batch = 6
	seen := map[string]bool{}
	for _, m := range registered(batch) {
		name := fmt.Sprintf("%T", m.Matching)
		if seen[name] {
			continue
		}
		seen[name] = true
		pairs := pairing(t, m.Matching)
		draw := rand.New(rand.NewPCG(7, 7))
		order := draw.Perm(batch)
		drawn := func(side int) (z [][]float32) {
			for range side * batch {
				var row []float32
				for range batch {
					row = append(row, float32(draw.NormFloat64()))
				}
				z = append(z, row)
			}
			return z
		}
		across := func(rows [][]float32) (to [][]float32) {
			for _, i := range order {
				to = append(to, permuted(rows[i], 1, order))
			}
			return to
		}
		pick := func(i2t, t2i, noise [][]float32) map[string]int {
			got := pairs(i2t, t2i, tensors.FromFlatDataAndDimensions(slices.Concat(noise...), 2, batch, batch))
			all := map[string]int{}
			for k := range got[0] {
				image, text := int(got[0][k]), int(got[1][k])
				if (image == text) != (got[2][k] == 1) {
					t.Errorf("%s: image %d with text %d has the label %v", name, image, text, got[2][k])
				}
				all[fmt.Sprint(image, text)]++
			}
			return all
		}
		i2t, t2i, noise := drawn(1), drawn(1), drawn(2)
		want := map[string]int{}
		for pair, n := range pick(i2t, t2i, noise) {
			var image, text int
			fmt.Sscan(pair, &image, &text)
			want[fmt.Sprint(slices.Index(order, image), slices.Index(order, text))] = n
		}
		if got := pick(across(i2t), across(t2i), slices.Concat(across(noise[:batch]), across(noise[batch:]))); !maps.Equal(got, want) {
			t.Errorf("%s: moved pairs have the negatives %v, want %v", name, got, want)
		}
		for _, z := range []float32{0, 1000, -1000, 1} { // all the same, at the temperatures 0.001 and 1
			same := slices.Repeat([][]float32{slices.Repeat([]float32{z}, batch)}, batch)
			pick(same, same, noise)
			for i := range same {
				same[i] = slices.Clone(same[i])
				same[i][i] = -z
			}
			pick(same, same, noise)
		}
	}
	if len(seen) < 3 {
		t.Errorf("the registry has the matchings %v", seen)
	}
}

// Where every negative of a mini-batch is true, and so left out, each loss, its gradients, and what it keeps are finite.
func TestAllNegativesLeftOut(t *testing.T) {
	const batch = 4
	tried := 0
	for _, m := range contrasts(batch) {
		if _, lists := m.Contrast.(Listing); lists && m.LeftOut == nil {
			m.LeftOut = Exact{}
		}
		if m.LeftOut == nil {
			continue
		}
		tried++
		b := sized(0, batch, 3, 60, 0, 0.05)
		b.truth = slices.Repeat([]float32{1}, batch*batch)
		s := onStage(t, m, batch, b.dim)
		for step := range 3 {
			b.progress = float64(step) * 0.75
			if err := s.step(b).finite(); err != nil {
				t.Errorf("%s with %T, step %d: %v", m.Name, m.LeftOut, step, err)
			}
		}
	}
	if tried < 8 {
		t.Errorf("%d registered methods leave negatives out; that many are too few to be all", tried)
	}
}

// Which negatives become positives goes by their scores: none at 0, all at 1, and never by the order of the pairs.
func TestRegisteredPositives(t *testing.T) {
	const batch = 5
	order := []int{3, 0, 4, 1, 2}
	images, texts := []int32{1, 2, 3, 4, 0}, []int32{4, 0, 1, 2, 3}
	second, others := []int32{2, 3, 4, 0, 1}, []int32{3, 4, 0, 1, 2}
	scores, more := []float32{0, 0.3, 0.55, 0.75, 1}, []float32{0.85, 0.65, 0.2, 1, 0.4}
	moved := func(picked []int32) (to []int32) {
		for _, i := range order {
			to = append(to, int32(slices.Index(order, int(picked[i]))))
		}
		return to
	}
	seen := map[string]bool{}
	for _, m := range registered(batch) {
		name := fmt.Sprintf("%#v", m.Positives)
		if m.Positives == nil || seen[name] {
			continue
		}
		seen[name] = true
		connect := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
			k := m.Positives.Connect(Candidates{Images: in[0], Texts: in[1], SecondImages: in[2], SecondTexts: in[3], ImageScores: in[4],
				TextScores: in[5]})
			weights := k.Pairs.Weights
			if weights == nil {
				weights = OnesLike(k.Pairs.Labels)
			}
			return []*Node{k.NewImages, k.NewTexts, k.Pairs.Images, k.Pairs.Texts, k.Pairs.Labels, weights}
		})
		pairsOf := func(got [][]float64, number func(float64) int) map[string]int {
			all := map[string]int{}
			for k := range got[2] {
				all[fmt.Sprint(number(got[2][k]), number(got[3][k]), got[4][k], got[5][k])]++
			}
			return all
		}
		want := connect(images, texts, second, others, scores, more)
		got := connect(moved(images), moved(texts), moved(second), moved(others), permuted(scores, 1, order), permuted(more, 1, order))
		for side := range 2 {
			close64(t, name, got[side], permuted(want[side], 1, order))
		}
		own := pairsOf(want, func(x float64) int { return int(x) })
		if again := pairsOf(got, func(x float64) int { return order[int(x)] }); !maps.Equal(again, own) {
			t.Errorf("%s: moved pairs are %v, want %v", name, again, own)
		}
		for _, score := range []float32{0, 1} {
			all := slices.Repeat([]float32{score}, batch)
			for side, isNew := range connect(images, texts, second, others, all, all)[:2] {
				close64(t, fmt.Sprintf("%s, side %d at %g", name, side, score), isNew, slices.Repeat([]float64{float64(score)}, batch))
			}
		}
	}
	if len(seen) < 2 {
		t.Errorf("the registry has the positives %v", seen)
	}
}
