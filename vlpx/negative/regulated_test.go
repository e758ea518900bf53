package negative

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"pgregory.net/rapid"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// slowRegulated is SRCL's loss as METHODS.md 5 prints it, for similarities over temperature and the two models' cosines.
func slowRegulated(logits, own, reference [][]float64, share float64) float64 {
	loss, n := 0.0, len(logits)
	for i := range n {
		var inverse, sum float64
		similar := func(j int) float64 { return share*math.Exp(reference[i][j]) + (1-share)*math.Exp(own[i][j]) }
		for j := range n {
			if j != i {
				inverse += 1 / similar(j) / float64(n-1)
			}
		}
		for j := range n {
			if j != i {
				sum += 1 / similar(j) / inverse * math.Exp(logits[i][j])
			}
		}
		loss -= math.Log(math.Exp(logits[i][i])/(math.Exp(logits[i][i])+sum)) / float64(n)
	}
	return loss
}

func product(a, b [][]float64, by float64) [][]float64 {
	out := make([][]float64, len(a))
	for i := range a {
		out[i] = make([]float64, len(b))
		for j := range b {
			for k := range a[i] {
				out[i][j] += a[i][k] * b[j][k] * by
			}
		}
	}
	return out
}

func TestRegulatedAgainstLoop(t *testing.T) {
	backend := enginetest.PureGo(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "batch")
		rows := func(name string) [][]float64 {
			all := make([][]float64, n)
			for i := range all {
				all[i] = rapid.SliceOfN(rapid.Float64Range(-1, 1), 3, 3).Draw(t, name)
			}
			return all
		}
		u, w, ru, rw := rows("images"), rows("texts"), rows("reference images"), rows("reference texts")
		progress := rapid.SampledFrom([]float64{0, 1, 2.5, 4, 7}).Draw(t, "progress")
		got, err := CallOnceN(backend, func(u, w, ru, rw *Node) []*Node {
			f := Features{Image: u, Text: w, ReferenceImage: ru, ReferenceText: rw, Temperature: ConstAs(u, 0.5),
				Progress: ConstAs(u, progress)}
			return []*Node{Regulated{Epochs: 4}.ITC(f).Loss}
		}, u, w, ru, rw)
		if err != nil {
			t.Fatal(err)
		}
		share := 1 - min(progress/4, 1)
		want := slowRegulated(product(u, w, 2), product(u, w, 1), product(ru, rw, 1), share) +
			slowRegulated(product(w, u, 2), product(w, u, 1), product(rw, ru, 1), share)
		if loss := got[0].Value().(float64); math.Abs(loss-want) > 1e-9*math.Max(1, math.Abs(want)) {
			t.Errorf("progress %v: got %v, want %v", progress, loss, want)
		}
	})
}

// The weights are those of the image anchors' negatives: a mean of one an anchor, nothing for the own pair, and the lower the more
// similar the negative is. Those of SelfRegulated are Regulated's when the reference has no share any more.
func TestWeights(t *testing.T) {
	backend := enginetest.PureGo(t)
	// The cosines of the first image are 0.8, 0 and -1; of its negatives one weighs 1/(1+e) and one e/(1+e) of their sum, two.
	u, w := [][]float64{{1, 0}, {0.6, 0.8}, {0, 1}}, [][]float64{{0.8, 0.6}, {0, 1}, {-1, 0}}
	got := must.Get(CallOnceN(backend, func(u, w *Node) []*Node {
		f := Features{Image: u, Text: w, ReferenceImage: u, ReferenceText: ZerosLike(w), Temperature: ConstAs(u, 0.3),
			Progress: ConstAs(u, 2.0)}
		f.Items = Const(u.Graph(), []int32{7, 7, 5}) // the first two pairs are of one image
		regulated, self := Regulated{Epochs: 2}.ITC(f), SelfRegulated{}.ITC(f)
		cold := SelfRegulated{Temperature: 0.5}.ITC(f)
		images, texts := HardestNegatives(self)
		return []*Node{regulated.Weights, self.Weights, cold.Weights, Sub(regulated.Loss, self.Loss), ReduceSum(self.Weights, 1),
			images, texts}
	}, u, w))(t)
	for k, steep := range []float64{1, 1, 2} {
		want := []float64{0, 2 / (1 + math.Exp(steep)), 2 * math.Exp(steep) / (1 + math.Exp(steep))}
		for j, x := range got[k].Value().([][]float64)[0] {
			if math.Abs(x-want[j]) > 1e-12 {
				t.Errorf("case %d, negative %d: got weight %v, want %v", k, j, x, want[j])
			}
		}
	}
	if difference := got[3].Value().(float64); difference != 0 {
		t.Errorf("SelfRegulated differs by %v from Regulated without a reference's share", difference)
	}
	for i, sum := range got[4].Value().([]float64) {
		if math.Abs(sum-2) > 1e-12 {
			t.Errorf("anchor %d: weights sum to %v, want one for each of its two negatives", i, sum)
		}
	}
	for k, side := range []string{"image", "text"} {
		if picked := got[5+k].Value().([]int32); picked[0] != 2 || picked[1] != 2 {
			t.Errorf("hardest %ss %v: the other pair of the same image is among them", side, picked)
		}
	}
}

// Where the reference finds every negative alike, the weights are one and the loss is InfoNCE's twice.
func TestRegulatedByAnIndifferentReferenceIsInfoNCE(t *testing.T) {
	backend := enginetest.PureGo(t)
	u, w := [][]float64{{1, 0}, {0.6, 0.8}, {0, 1}}, [][]float64{{0.8, 0.6}, {0, 1}, {-1, 0}}
	got := must.Get(CallOnceN(backend, func(u, w *Node) []*Node {
		f := Features{Image: u, Text: w, ReferenceImage: ZerosLike(u), ReferenceText: ZerosLike(w), Temperature: ConstAs(u, 0.3),
			Progress: ConstAs(u, 0.0)}
		return []*Node{Regulated{Epochs: 2}.ITC(f).Loss, InfoNCE{}.ITC(f).Loss}
	}, u, w))(t)
	if a, b := got[0].Value().(float64), 2*got[1].Value().(float64); math.Abs(a-b) > 1e-12 {
		t.Errorf("got %v, want %v", a, b)
	}
}

func TestRegulatedValidate(t *testing.T) {
	for want, c := range map[string]Regulated{"over no epochs": {}, "temperature of -1": {Epochs: 2, Temperature: -1}} {
		must.Fail(t, (Method{Contrast: c}).WithDefaults().Validate(), want, "%+v", c)
	}
}
