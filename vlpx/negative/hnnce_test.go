package negative

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// circulant are embeddings at temperature 1 of three pairs whose every anchor, of both sides, has the similarity own to its
// own pair and a and b to the others: images along the axes, texts that hold the similarities.
func circulant(own, a, b float32) (u, w []float32) {
	return []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}, []float32{own, b, a, a, own, b, b, a, own}
}

// Similarities ln 4 to the own pair and ln 1 and ln 2 to the others: at Beta 1 the others weigh 2/3 and 4/3, so that the
// denominator is 4/2 + 1 2/3 + 2 4/3 = 16/3 at Alpha 1/2, and each direction gives ln(16/3 / 4). At Beta 0 it is
// 4 + 1 + 2 at Alpha 1: ln 7/4.
func TestHNNCEByHand(t *testing.T) {
	u, w := circulant(float32(math.Log(4)), 0, float32(math.Log(2)))
	close64(t, "weighted", plainly(t, HNNCE{Alpha: 0.5, Beta: 1}, u, w, 3, 1)[0], []float64{0.5753641449}) // 2 ln 4/3
	close64(t, "not weighted", plainly(t, HNNCE{Alpha: 1}, u, w, 3, 1)[0], []float64{1.1192315759})        // 2 ln 7/4
}

// slowHNNCE is HN-NCE as METHODS.md 6 prints it, its weights by other similarities than its exponentials.
func slowHNNCE(logits, weigh [][]float64, d HNNCE) float64 {
	var loss float64
	n := len(logits)
	for i := range n {
		var total float64
		for k := range n {
			if k != i {
				total += math.Exp(d.Beta * weigh[i][k])
			}
		}
		denominator := d.Alpha * math.Exp(logits[i][i])
		for j := range n {
			if j != i {
				denominator += float64(n-1) * math.Exp(d.Beta*weigh[i][j]) / total * math.Exp(logits[i][j])
			}
		}
		loss -= math.Log(math.Exp(logits[i][i])/denominator) / float64(n)
	}
	return loss
}

// The loss is that of the loop, and its gradients are the loop's central differences: with the weights moving along, or held
// where they were.
func TestHNNCEAgainstLoop(t *testing.T) {
	const batch, dim, tau, h = 4, 3, 0.3, 1e-3
	u, w := embeddings(batch, dim, 5)
	heldI2T, heldT2I := slowSimilarities(u, w, dim, tau), slowSimilarities(w, u, dim, tau)
	for _, d := range []HNNCE{
		{Alpha: 0.6, Beta: 0.8}, {Alpha: 0.6, Beta: 0.8, WeightGradient: true}, {Alpha: 1, Beta: 2, WeightGradient: true},
	} {
		loss := func(u, w []float32, tau float64) float64 {
			i2t, t2i := slowSimilarities(u, w, dim, tau), slowSimilarities(w, u, dim, tau)
			if d.WeightGradient {
				return slowHNNCE(i2t, i2t, d) + slowHNNCE(t2i, t2i, d)
			}
			return slowHNNCE(i2t, heldI2T, d) + slowHNNCE(t2i, heldT2I, d)
		}
		got := plainly(t, d, u, w, dim, tau)
		close64(t, "loss", got[0], []float64{loss(u, w, tau)})
		close64(t, "I2T", got[1], slices.Concat(heldI2T...))
		close64(t, "T2I", got[2], slices.Concat(heldT2I...))
		for side, x := range [][]float32{u, w} {
			for i, at := range x {
				up, down := at+h, at-h
				x[i] = up
				above := loss(u, w, tau)
				x[i] = down
				below := loss(u, w, tau)
				x[i] = at
				if want := (above - below) / float64(up-down); math.Abs(got[3+side][i]-want) > 1e-3 {
					t.Errorf("%+v: side %d: gradient %d: got %v, want %v", d, side, i, got[3+side][i], want)
				}
			}
		}
		if want := (loss(u, w, tau+1e-5) - loss(u, w, tau-1e-5)) / 2e-5; math.Abs(got[5][0]-want) > 1e-4 {
			t.Errorf("%+v: gradient of the temperature: got %v, want %v", d, got[5][0], want)
		}
	}
}

// At Alpha 1 and Beta 0 HN-NCE is InfoNCE, the sum of its directions instead of their mean. In a batch of two it is so at any
// Beta: the only negative weighs 1.
func TestHNNCEWithoutWeightsIsInfoNCE(t *testing.T) {
	for batch, beta := range map[int]float64{5: 0, 2: 3} {
		u, w := embeddings(batch, 4, 6)
		want, got := plainly(t, InfoNCE{}, u, w, 4, 0.2), plainly(t, HNNCE{Alpha: 1, Beta: beta, WeightGradient: true}, u, w, 4, 0.2)
		for i, name := range []string{"loss", "I2T", "T2I", "image gradient", "text gradient", "temperature gradient"} {
			if i < 1 || i > 2 {
				for k := range want[i] {
					want[i][k] *= 2
				}
			}
			close64(t, name, got[i], want[i])
		}
	}
}

// The order of the pairs does not matter, and images and texts change places.
func TestHNNCEOfPermutedBatch(t *testing.T) {
	const batch, dim, tau = 5, 3, 0.07
	u, w := embeddings(batch, dim, 7)
	d := HNNCE{Alpha: 0.9, Beta: 0.5}
	order := []int{3, 0, 4, 1, 2}
	got, want := plainly(t, d, permuted(u, dim, order), permuted(w, dim, order), dim, tau), plainly(t, d, u, w, dim, tau)
	close64(t, "permuted", got[0], want[0])
	for k, i := range order {
		close64(t, "gradient of a permuted image", got[3][k*dim:(k+1)*dim], want[3][i*dim:(i+1)*dim])
	}
	close64(t, "images for texts", plainly(t, d, w, u, dim, tau)[0], want[0])
}

// permuted are the rows of x [*, dim] in another order.
func permuted[T any](x []T, dim int, order []int) []T {
	var out []T
	for _, i := range order {
		out = append(out, x[i*dim:(i+1)*dim]...)
	}
	return out
}

// Similarities of a thousand, as a temperature at its lower bound gives, overflow neither the loss nor its gradients in
// float32: with one negative a thousand above the own pair and one below it, the first weighs 2 and the loss of a direction
// is 1000 + ln 2.
func TestHNNCEOfLargeSimilarities(t *testing.T) {
	u, w := circulant(0, 1, -1)
	got := plainly(t, HNNCE{Alpha: 1, Beta: 1, WeightGradient: true}, u, w, 3, 0.001)
	close64(t, "loss", got[0], []float64{2001.3862943611})
	for _, gradient := range got[3:] {
		for _, x := range gradient {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("gradient: got %v, want finite numbers", gradient)
			}
		}
	}
}

// Alpha 0, which is what an unset field holds, is refused: its logarithm is infinite.
func TestHNNCEValidate(t *testing.T) {
	for _, h := range []HNNCE{{Beta: 0.25}, {Alpha: 1.5}, {Alpha: 1, Beta: -1}} {
		err := Method{Contrast: h}.WithDefaults().Validate()
		if err == nil || !strings.Contains(err.Error(), "Alpha above 0") {
			t.Errorf("%+v: got error %v, want one about Alpha and Beta", h, err)
		}
	}
}
