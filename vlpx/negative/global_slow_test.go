package negative

import (
	"fmt"
	"math"
	"testing"
)

// slowAnchor is a view of a sample with all candidates.
type slowAnchor struct {
	cosines                         []float64
	own, negative, found, attracted []bool
}

// slowAnchors are the anchors of each kind, of embeddings as a minibatch has them, with false negatives by its truth.
func slowAnchors(x [][]float64, b minibatch, views int, attract bool) [][]slowAnchor {
	n := b.batch()
	dot := func(u, w []float64, i, j int) (sum float64) {
		for d := range b.dim {
			sum += u[i*b.dim+d] * w[j*b.dim+d]
		}
		return sum
	}
	anchor := func(i int, view int, candidates []int, cosine func(j, w int) float64, holds func(j int) bool) (a slowAnchor) {
		for _, w := range candidates {
			for j := range n {
				found := j != i && holds(j)
				a.found = append(a.found, found)
				a.cosines = append(a.cosines, cosine(j, w))
				a.own = append(a.own, j == i && w != view)
				a.negative = append(a.negative, j != i && !found)
				a.attracted = append(a.attracted, j == i && w != view || attract && found)
			}
		}
		return a
	}
	truth := func(i, j int) bool { return b.truth[i*n+j] > 0 }
	if views == 0 {
		kinds := make([][]slowAnchor, 2)
		for i := range n {
			kinds[0] = append(kinds[0], anchor(i, 0, []int{1}, func(j, _ int) float64 { return dot(x[0], x[1], i, j) },
				func(j int) bool { return truth(i, j) }))
			kinds[1] = append(kinds[1], anchor(i, 1, []int{0}, func(j, _ int) float64 { return dot(x[1], x[0], i, j) },
				func(j int) bool { return truth(j, i) }))
		}
		return kinds
	}
	var kind []slowAnchor
	for i := range n {
		for v := range views {
			all := make([]int, views)
			for w := range all {
				all[w] = w
			}
			kind = append(kind, anchor(i, v, all, func(j, w int) float64 { return dot(x[v], x[w], i, j) },
				func(j int) bool { return truth(i, j) }))
		}
	}
	return [][]slowAnchor{kind}
}

// slowGlobal is what a contrast's gradients are those of at a first step, where u is g: the sum over two sides of the mean over anchors of
// value, which gets an anchor's mean positive cosine, the logarithm of the mean over n negatives of exp(x/tau), and n; x are cosines or, if
// relative, differences to the positive one.
func slowGlobal(kinds [][]slowAnchor, tau float64, relative bool, value func(positive, log, n float64) float64) float64 {
	var sum float64
	for _, kind := range kinds {
		for _, a := range kind {
			var positive, positives, total, n float64
			for j, c := range a.cosines {
				if a.attracted[j] {
					positive, positives = positive+c, positives+1
				}
			}
			positive /= positives
			for j, c := range a.cosines {
				if a.negative[j] {
					if relative {
						c -= positive
					}
					total, n = total+math.Exp(c/tau), n+1
				}
			}
			sum += value(positive, math.Log(total/n), n) / float64(len(kind)) * 2 / float64(len(kinds))
		}
	}
	return sum
}

// The gradients of a first step are finite differences of the loss that each contrast stands for, with negatives left out and attracted
// ones among the positives.
func TestGlobalGradientsAreDifferences(t *testing.T) {
	const batch, tau, h = 4, 0.4, 1e-6
	average := func(positive, log, _ float64) float64 { return tau*log - positive }
	for name, c := range map[string]struct {
		contrast Contrast
		tau      float64
		relative bool
		value    func(positive, log, n float64) float64
		pairs    bool // of images and captions alone
	}{
		"SogCLR": {SogCLR{Gamma: 0.9}, tau, false, average, false},
		"constant": {SogCLR{Gamma: 0.9, Temperature: 0.2}, 0.2, false,
			func(positive, log, _ float64) float64 { return 0.2*log - positive }, false},
		"SogCLR LibAUC": {SogCLR{Gamma: 0.9, As: ByLibAUC}, tau, true, func(_, log, n float64) float64 { return n * tau * log / 2 }, true},
		"iSogCLR LibAUC": {ISogCLR{Gamma: 0.9, As: ByLibAUC, Temperature: tau, Least: tau, Most: tau, Beta: 1}, tau, true,
			func(_, log, n float64) float64 { return n * tau * log / 2 }, true},
		"FastCLIP-v1": {FastCLIP{Version: 1, Gamma: 0.2, Decay: 2}, tau, true, func(_, log, _ float64) float64 { return log }, false},
		"FastCLIP-v2": {FastCLIP{Version: 2, Gamma: 0.2, Decay: 2, Temperature: tau}, tau, true,
			func(_, log, _ float64) float64 { return log }, false},
		"FastCLIP-v3": {FastCLIP{Version: 3, Gamma: 0.2, Decay: 2, Rho: 6.5}, tau, true,
			func(_, log, _ float64) float64 { return tau * log }, false},
	} {
		for _, views := range settings {
			if c.pairs && views > 0 {
				continue
			}
			for _, attract := range []bool{false, true} {
				b := sized(views, batch, 3, 40, 0, tau)
				b.truth = []float32{1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1}
				got := newStage(t, Method{Contrast: c.contrast, LeftOut: Exact{}, Attract: attract}, views, batch).step(b)
				x := make([][]float64, len(b.embeddings))
				for v := range x {
					for _, e := range b.embeddings[v] {
						x[v] = append(x[v], float64(e))
					}
				}
				loss := func() float64 { return slowGlobal(slowAnchors(x, b, views, attract), c.tau, c.relative, c.value) }
				for v := range x {
					for i, at := range x[v] {
						x[v][i] = at + h
						above := loss()
						x[v][i] = at - h
						below := loss()
						x[v][i] = at
						if want := (above - below) / (2 * h); math.Abs(got.gradients[v][i]-want) > 1e-4 {
							t.Fatalf("%s, %d views, attracted %v: gradient %d of embedding %d: got %v, want %v", name, views, attract, i, v,
								got.gradients[v][i], want)
						}
					}
				}
			}
		}
	}
}

// The temperature learns in FastCLIP's versions 0 and 3 alone, by the losses of METHODS.md 9.
func TestFastCLIPTemperatureGradient(t *testing.T) {
	const tau, rho, h = 0.4, 6.5, 1e-5
	b := sized(0, 4, 3, 41, 0, tau)
	b.truth = make([]float32, 16)
	x := make([][]float64, 2)
	for v := range x {
		for _, e := range b.embeddings[v] {
			x[v] = append(x[v], float64(e))
		}
	}
	logs := func(tau float64) float64 {
		return slowGlobal(slowAnchors(x, b, 0, false), tau, true, func(_, log, _ float64) float64 { return log })
	}
	slope := (logs(tau+h) - logs(tau-h)) / (2 * h)
	for version, want := range []float64{slope, 0, 0, tau*slope + rho + logs(tau)/2} {
		c := FastCLIP{Version: version, Gamma: 0.2, Decay: 2, Rho: rho, Temperature: tau}
		got := newStage(t, Method{Contrast: c}, 0, 4).step(b)
		close64(t, fmt.Sprintf("version %d", version), []float64{got.tauGradient}, []float64{want})
	}
}
