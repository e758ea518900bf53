package negative

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// shares are of each anchor's negatives among all samples, the share above its threshold.
func shares(cosines [][]slowAnchor, kind, views int, lambda []float64) []float64 {
	var all []float64
	for i := range lambda {
		var over, of float64
		for v := range max(views, 1) {
			a := cosines[kind][i*max(views, 1)+v]
			for j, c := range a.cosines {
				if a.negative[j] {
					of++
					if c > lambda[i] {
						over++
					}
				}
			}
		}
		all = append(all, over/of)
	}
	return all
}

// Thresholds learn the (1-Alpha)-quantile of their anchor's cosines in the whole data, from mini-batches, however they are learned; where
// each anchor's own share is known, that one's.
func TestThresholdsFindTheirQuantile(t *testing.T) {
	const samples, batch, dim, epochs = 48, 12, 6, 60
	r := rand.New(rand.NewPCG(1, 2))
	for _, views := range []int{0, 2} {
		all := sized(views, samples, dim, 60, 0, 1)
		all.truth = make([]float32, samples*samples)
		x := make([][]float64, len(all.embeddings))
		for v := range x {
			for _, e := range all.embeddings[v] {
				x[v] = append(x[v], float64(e))
			}
		}
		cosines := slowAnchors(x, all, views, false)
		known := make([]float64, samples)
		for i := range known {
			known[i] = 0.1 + 0.4*float64(i%2)
		}
		for name, c := range map[string]struct {
			part Thresholds
			want func(i int) float64
		}{
			"Adam":           {Thresholds{Alpha: 0.2, Rate: 0.02}, func(int) float64 { return 0.2 }},
			"descent":        {Thresholds{Alpha: 0.2, Rate: 0.1, Descent: true}, func(int) float64 { return 0.2 }},
			"single":         {Thresholds{Alpha: 0.2, Rate: 0.02, Single: true}, func(int) float64 { return 0.2 }},
			"known":          {Thresholds{Known: true, Rate: 0.02}, func(i int) float64 { return known[i] }},
			"from the batch": {Thresholds{Alpha: 0.2, Rate: 0.02, FromBatch: true}, func(int) float64 { return 0.2 }},
		} {
			s := newStage(t, Method{Contrast: InfoNCE{}, LeftOut: c.part}, views, samples)
			var state map[string][]float64
			for e := range epochs {
				order := r.Perm(samples)
				for at := 0; at < samples; at += batch {
					b := minibatch{dim: dim, tau: 1, progress: float64(e)}
					for range all.embeddings {
						b.embeddings = append(b.embeddings, nil)
					}
					for _, i := range order[at : at+batch] {
						b.index = append(b.index, int32(i))
						b.shares = append(b.shares, float32(known[i]), float32(known[i]))
						for v, x := range all.embeddings {
							b.embeddings[v] = append(b.embeddings[v], x[i*dim:(i+1)*dim]...)
						}
					}
					state = s.step(b).state
				}
			}
			for kind, of := range anchorsOf(views) {
				lambda := state["/state"+ThresholdPath(of)]
				if c.part.Single {
					if len(lambda) != 1 {
						t.Fatalf("%d single thresholds", len(lambda))
					}
					lambda = slices.Repeat(lambda, samples)
				}
				got := shares(cosines, kind, views, lambda)
				groups := [2][]float64{}
				for i, g := range got {
					groups[i%2] = append(groups[i%2], g)
				}
				for i, group := range groups {
					if want := c.want(i); math.Abs(mean(group)-want) > 0.25*want {
						t.Errorf("%s, %d views: %s anchors find a share of %v in the mean, want %v", name, views, of, mean(group), want)
					}
				}
			}
		}
	}
}

// Nothing moves before Learn, and nothing is found before Use.
func TestThresholdsBegin(t *testing.T) {
	s := newStage(t, Method{Contrast: InfoNCE{}, LeftOut: Thresholds{Alpha: 0.4, Learn: 1, Use: 2, Rate: 2}}, 0, 5)
	for _, c := range []struct {
		progress     float64
		moves, finds bool
	}{{0, false, false}, {0.9, false, false}, {1, true, false}, {1.9, true, false}, {2, true, true}} {
		b := sized(0, 5, 3, 9, 0, 1)
		b.progress = c.progress
		before := s.state(t)["/state"+ThresholdPath(ImageAnchors)]
		got := s.step(b)
		if moved := !slices.Equal(before, got.state["/state"+ThresholdPath(ImageAnchors)]); moved != c.moves {
			t.Errorf("at %v: moved %v, want %v", c.progress, moved, c.moves)
		}
		if finds := slices.Max(got.found) > 0; finds != c.finds {
			t.Errorf("at %v: found %v, want %v", c.progress, finds, c.finds)
		}
	}
}

// Thresholds that begin with the mini-batch's quantile leave the share Alpha above them, as BatchQuantile does, whatever Rate is.
func TestThresholdsFromBatch(t *testing.T) {
	s := newStage(t, Method{Contrast: InfoNCE{}, LeftOut: Thresholds{Alpha: 0.5, FromBatch: true, Rate: 1e-9}}, 0, 5)
	q := newStage(t, Method{Contrast: InfoNCE{}, LeftOut: BatchQuantile{Alpha: 0.5}}, 0, 5)
	b := sized(0, 5, 3, 9, 0, 1)
	if got, want := s.step(b).found, q.step(b).found; !slices.Equal(got, want) || slices.Max(want) == 0 {
		t.Errorf("found %v, want %v", got, want)
	}
}

// In InfoNCE the negatives that are kept stand for all: their exponentials grow by all over kept. Attracted ones are positives in equal
// parts, and stay in the denominator.
func TestInfoNCEOfWhatIsLeft(t *testing.T) {
	const batch, tau = 5, 0.3
	for _, views := range settings {
		for _, attract := range []bool{false, true} {
			b := sized(views, batch, 3, 50, 0, tau)
			b.truth = make([]float32, batch*batch)
			for i := range b.truth {
				b.truth[i] = float32(i * i % 3 / 2 * (i % 2))
			}
			for j := range batch {
				b.truth[j] = 1 // nothing is left for the first
			}
			x := make([][]float64, len(b.embeddings))
			for v := range x {
				for _, e := range b.embeddings[v] {
					x[v] = append(x[v], float64(e))
				}
			}
			kinds := slowAnchors(x, b, views, attract)
			var want float64
			for _, kind := range kinds {
				for _, a := range kind {
					var all, kept, negatives, positives, found, pulls, pulled float64
					for j, c := range a.cosines {
						switch {
						case a.negative[j]:
							all, kept, negatives = all+1, kept+1, negatives+math.Exp(c/tau)
						case a.own[j]:
							positives += math.Exp(c / tau)
						case a.found[j]:
							all, found = all+1, found+math.Exp(c/tau)
						}
						if a.attracted[j] {
							pulls, pulled = pulls+1, pulled+c/tau
						}
					}
					denominator := positives + negatives + found
					if !attract {
						denominator = positives + negatives*all/max(kept, 1)
					}
					want += (math.Log(denominator) - pulled/pulls) / float64(len(kind)) / float64(len(kinds))
				}
			}
			if views > 0 {
				want *= 2
			}
			got := newStage(t, Method{Contrast: InfoNCE{}, LeftOut: Exact{}, Attract: attract}, views, batch).step(b)
			close64(t, fmt.Sprintf("%d views, attracted %v", views, attract), []float64{got.loss}, []float64{want})
		}
	}
}

// Values out of their range are refused, and say what to take.
func TestGlobalValidate(t *testing.T) {
	individual := ISogCLR{Gamma: 0.8, Temperature: 0.1, Least: 0.05, Most: 1, Rate: 0.01, Beta: 0.9}
	with := func(change func(*ISogCLR)) ISogCLR { c := individual; change(&c); return c }
	for _, c := range []struct {
		method Method
		says   string
	}{
		{Method{Contrast: SogCLR{}}, "Gamma above 0"},
		{Method{Contrast: SogCLR{Gamma: 1.5}}, "Gamma above 0"},
		{Method{Contrast: SogCLR{Gamma: math.NaN()}}, "plain data"},
		{Method{Contrast: SogCLR{Gamma: 0.9, Decay: -1}}, "0 epochs or more"},
		{Method{Contrast: SogCLR{Gamma: 0.9, Temperature: -1}}, "temperature"},
		{Method{Contrast: SogCLR{Gamma: 0.9, As: "LibAUK"}}, "LibAUC"},
		{Method{Contrast: with(func(c *ISogCLR) { c.Least = 0 })}, "bounds above 0"},
		{Method{Contrast: with(func(c *ISogCLR) { c.Most = 0.01 })}, "bounds above 0"},
		{Method{Contrast: with(func(c *ISogCLR) { c.Rate = -1 })}, "a rate of 0 or more"},
		{Method{Contrast: with(func(c *ISogCLR) { c.Beta = 0 })}, "Beta above 0"},
		{Method{Contrast: with(func(c *ISogCLR) { c.As = "me" })}, "LibAUC"},
		{Method{Contrast: FastCLIP{Version: 4, Gamma: 0.2}}, "0, 1, 2 and 3"},
		{Method{Contrast: FastCLIP{Version: 3}}, "Gamma above 0"},
		{Method{Contrast: FastCLIP{Version: 1, Gamma: 0.2, Temperature: -0.1}}, "temperature"},
		{Method{Contrast: FastCLIP{Version: 2, Gamma: 0.2}}, "from 0.01 to 1"},
		{Method{LeftOut: Thresholds{Alpha: 1}}, "below 1"},
		{Method{LeftOut: Thresholds{Alpha: 0.1, Learn: 2, Use: 1}}, "no earlier"},
		{Method{LeftOut: BatchQuantile{Alpha: -0.1}}, "below 1"},
		{Method{LeftOut: Cancellation{Threshold: 0.7}}, "at least 1"},
		{Method{LeftOut: Exact{Use: -1}}, "from 0"},
		{Method{Attract: true}, "name a LeftOut"},
		{Method{Contrast: HNNCE{Alpha: 1}, LeftOut: Exact{}, Attract: true}, "leave Attract out"},
		{Method{LeftOut: Exact{}, Positives: ECM{Low: 0.5, High: 0.8}}, "leave one of them out"},
	} {
		must.Fail(t, c.method.WithDefaults().Validate(), c.says, "%+v", c.method)
	}
}

// The value at a place is that of the sorted row, among values that are the same, too.
func TestAtPlace(t *testing.T) {
	x, _ := embeddings(7, 12, 80)
	for i := range 12 {
		x[i] = float32(i/3) / 4 // each three times
	}
	x[13] = x[12] + 1e-7
	for place := range 12 {
		got := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node { return []*Node{atPlace(in[0], place)} })(
			tensors.FromFlatDataAndDimensions(slices.Clone(x), 7, 12))[0]
		for row := range 7 {
			sorted := slices.Clone(x[row*12 : (row+1)*12])
			slices.Sort(sorted)
			if want := float64(sorted[11-place]); got[row] != want {
				t.Errorf("row %d, place %d: got %v, want %v", row, place, got[row], want)
			}
		}
	}
}
