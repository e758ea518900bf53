package negative

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// settings are those that a test runs in: images and captions, two views, three views.
var settings = []int{0, 2, 3}

// everyLeftOut are parts that find negatives.
func everyLeftOut() map[string]LeftOut {
	return map[string]LeftOut{
		"none": nil, "exact": Exact{}, "thresholds": Thresholds{Alpha: 0.3, Rate: 0.5},
		"descent": Thresholds{Alpha: 0.3, Descent: true, Rate: 2},
		"single":  Thresholds{Alpha: 0.3, Single: true, Rate: 0.5}, "known": Thresholds{Known: true, Rate: 0.5},
		"from the batch": Thresholds{Alpha: 0.3, FromBatch: true},
		"quantile":       BatchQuantile{Alpha: 0.3}, "cancellation": Cancellation{TopK: 2, Threshold: -1},
		"mean": Cancellation{TopK: 2, Threshold: -1, Mean: true},
	}
}

// Every contrast that lists its negatives goes with every way to find some, attracted or not, on awkward mini-batches: of two samples, of
// embeddings that are all the same, and with all negatives found. Nothing becomes infinite.
func TestNothingIsInfinite(t *testing.T) {
	contrasts := globals()
	contrasts["InfoNCE"] = InfoNCE{}
	for name, contrast := range contrasts {
		for leftOut, part := range everyLeftOut() {
			for _, views := range settings {
				_, attracts := contrast.(Attracting)
				for _, attract := range []bool{false, true} {
					if attract && (part == nil || !attracts && name != "InfoNCE") {
						continue
					}
					for _, batch := range []int{2, 4} {
						s := newStage(t, Method{Contrast: contrast, LeftOut: part, Attract: attract}, views, 8)
						for k, truth := range [][]float32{nil, slices.Repeat([]float32{1}, batch*batch)} {
							b := sized(views, batch, 3, 5, int32(k), 0.05)
							b.truth, b.shares, b.progress = truth, slices.Repeat([]float32{float32(k)}, 2*batch), float64(k)
							same, torn := b, b
							same.embeddings = slices.Repeat([][]float32{slices.Repeat([]float32{1, 0, 0}, batch)}, max(views, 2))
							torn.embeddings, torn.tau = torn3(views, batch), 0.01
							for kind, b := range map[string]minibatch{"drawn": b, "the same": same, "torn": torn} {
								if err := s.step(b).finite(); err != nil {
									t.Errorf("%s, %s, attracted %v, %d views, %d samples, embeddings %s, all found %v: %v",
										name, leftOut, attract, views, batch, kind, truth != nil, err)
								}
							}
						}
					}
				}
			}
		}
	}
}

// torn3 are embeddings of which each is the opposite of its own and of the samples beside it: differences of cosines are as large as they
// can be, and their exponentials at a temperature of 0.01 more than float32 holds.
func torn3(views, batch int) (all [][]float32) {
	for v := range max(views, 2) {
		var x []float32
		for i := range batch {
			x = append(x, float32(1-2*((i+v)%2)), 0, 0)
		}
		all = append(all, x)
	}
	return all
}

// oneView is a LeftOut that finds all negatives of the first view, and none of the others.
type oneView struct{}

func (oneView) Find(a Anchors, _ Sight) *Node {
	return Equal(Iota(a.Cosines.Graph(), shapes.Make(dtypes.Int32, a.Cosines.Shape().Dimensions...), 1),
		ScalarZero(a.Cosines.Graph(), dtypes.Int32))
}

// A view without negatives has no part in what its sample keeps; one with negatives has the whole.
func TestViewWithoutNegatives(t *testing.T) {
	const batch, tau = 4, 0.3
	b := sized(2, batch, 3, 70, 0, tau)
	b.truth = make([]float32, batch*batch)
	x := make([][]float64, 2)
	for v := range x {
		for _, e := range b.embeddings[v] {
			x[v] = append(x[v], float64(e))
		}
	}
	var want []float64
	for k, a := range slowAnchors(x, b, 2, false)[0] {
		if k%2 == 0 {
			continue
		}
		var sum, n float64
		for j, c := range a.cosines {
			if a.negative[j] {
				sum, n = sum+math.Exp(c/tau), n+1
			}
		}
		want = append(want, sum/n)
	}
	got := newStage(t, Method{Contrast: SogCLR{Gamma: 0.9}, LeftOut: oneView{}}, 2, batch).step(b)
	close64(t, "averages", got.state["/state"+averagePath(ImageAnchors)], want)
}

// Where no anchor has negatives, FastCLIP-v3's temperature learns nothing.
func TestFastCLIPWithoutNegatives(t *testing.T) {
	b := sized(0, 4, 3, 71, 0, 0.3)
	b.truth = slices.Repeat([]float32{1}, 16)
	got := newStage(t, Method{Contrast: FastCLIP{Version: 3, Gamma: 0.2, Decay: 2, Rho: 6.5}, LeftOut: Exact{}}, 0, 4).step(b)
	close64(t, "loss and gradient of the temperature", []float64{got.loss, got.tauGradient}, []float64{0, 0})
}

// The numbers of samples that are not in the mini-batch stay, and those of samples that have no negatives left do, too. An index is in
// a mini-batch once: a Sampler draws without repetition.
func TestOthersKeepTheirState(t *testing.T) {
	for name, contrast := range globals() {
		for _, views := range settings {
			s := newStage(t, Method{Contrast: contrast, LeftOut: Exact{}}, views, 9)
			s.step(sized(views, 9, 4, 3, 0, 0.1))
			before := s.state(t)
			b := sized(views, 4, 4, 8, 2, 0.1)
			b.progress = 1
			b.truth = make([]float32, 16)
			for j := range 4 {
				b.truth[j], b.truth[4*j] = 1, 1 // the first has no negatives
			}
			after := s.step(b).state
			for path, was := range before {
				for i := range was {
					changes := i > 2 && i < 6
					if !changes && after[path][i] != was[i] || changes && strings.HasSuffix(path, average) && after[path][i] == was[i] {
						t.Errorf("%s, %d views: %s of sample %d: from %v to %v", name, views, path, i, was[i], after[path][i])
					}
				}
			}
		}
	}
}

// The order of a mini-batch's samples does not matter.
func TestGlobalOfPermutedBatch(t *testing.T) {
	order := []int{3, 0, 4, 1, 2}
	for name, contrast := range globals() {
		for leftOut, part := range everyLeftOut() {
			for _, views := range settings {
				m := Method{Contrast: contrast, LeftOut: part}
				plain, moved := newStage(t, m, views, 7), newStage(t, m, views, 7)
				for k := range 2 {
					b := sized(views, 5, 4, uint64(20+10*k), int32(k), 0.2)
					b.progress = float64(k)
					b.truth, b.shares = make([]float32, 25), make([]float32, 10)
					for i := range 25 {
						b.truth[i] = float32((i*i + i/5) % 3 / 2)
					}
					for i := range 10 {
						b.shares[i] = float32(i) / 20
					}
					p := b
					p.embeddings, p.index, p.truth, p.shares = nil, nil, nil, permuted(b.shares, 2, order)
					for _, x := range b.embeddings {
						p.embeddings = append(p.embeddings, permuted(x, b.dim, order))
					}
					for _, i := range order {
						p.index = append(p.index, b.index[i])
						for _, j := range order {
							p.truth = append(p.truth, b.truth[5*i+j])
						}
					}
					got, want := moved.step(p), plain.step(b)
					what := fmt.Sprintf("%s, %s, %d views, step %d", name, leftOut, views, k)
					close64(t, what+": loss", []float64{got.loss}, []float64{want.loss})
					for v := range got.gradients {
						for at, i := range order {
							close64(t, what+": gradient", got.gradients[v][at*b.dim:(at+1)*b.dim], want.gradients[v][i*b.dim:(i+1)*b.dim])
						}
					}
					for path := range want.state {
						close64(t, what+": "+path, got.state[path], want.state[path])
					}
				}
			}
		}
	}
}

// A negative that is left out is one that is not there: where a sample is a false negative of all others, these get the gradients and the
// state of a mini-batch without it. InfoNCE lets the others stand for it instead.
func TestLeftOutIsNotThere(t *testing.T) {
	const batch, dim = 5, 4
	for name, contrast := range globals() {
		for _, views := range settings {
			m := Method{Contrast: contrast, LeftOut: Exact{}}
			with, without := newStage(t, m, views, batch), newStage(t, m, views, batch)
			for k := range 3 {
				b := sized(views, batch, dim, uint64(30+10*k), 0, 0.2)
				b.progress = float64(k)
				b.truth = make([]float32, batch*batch)
				for j := range batch {
					b.truth[(batch-1)*batch+j], b.truth[j*batch+batch-1] = 1, 1
				}
				fewer := b
				fewer.embeddings, fewer.truth, fewer.index = nil, nil, b.index[:batch-1]
				for _, x := range b.embeddings {
					fewer.embeddings = append(fewer.embeddings, x[:(batch-1)*dim])
				}
				got, want := with.step(b), without.step(fewer)
				what := fmt.Sprintf("%s, %d views, step %d", name, views, k)
				for v := range got.gradients {
					for i, g := range want.gradients[v] {
						if of := got.gradients[v][i] * batch / (batch - 1); math.Abs(of-g) > 3e-5*max(1, math.Abs(g)) {
							t.Fatalf("%s: gradient %d of %d: %v, without the negative %v", what, i, v, of, g)
						}
					}
				}
				for path := range want.state {
					close64(t, what+": "+path, got.state[path], want.state[path])
				}
			}
		}
	}
}
