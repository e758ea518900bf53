package negative

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/objective"
)

// Six anchors of each side: below, at, between, at and above the thresholds. The pairs of ITM follow the published code.
func TestECMByHand(t *testing.T) {
	images, second := []int32{1, 2, 3, 4, 0}, []int32{2, 3, 4, 0, 1}
	scores := []float32{0.25, 0.5, 0.625, 0.75, 0.875}
	for _, c := range []struct {
		ecm             ECM
		chosen          []float64
		labels, weights []float64
	}{
		{ECM{Low: 0.5, High: 0.75}, []float64{1, 2, 4, 4, 0}, []float64{0, 0, 0, 0, 1}, []float64{1, 0, 1, 0, 1}},
		{ECM{Low: 0.5, High: 0.75, Eliminate: true}, []float64{1, 2, 4, 4, 0}, []float64{0, 0, 0, 0, 1}, []float64{1, 0, 1, 0, 0}},
		{ECM{Low: 0.5, High: 0.5}, []float64{1, 2, 3, 4, 0}, []float64{0, 0, 1, 1, 1}, []float64{1, 0, 1, 1, 1}},
	} {
		t.Run(fmt.Sprintf("%+v", c.ecm), func(t *testing.T) {
			got := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
				k := c.ecm.Connect(Candidates{Images: in[0], Texts: in[0], SecondImages: in[1], SecondTexts: in[1], ImageScores: in[2],
					TextScores: in[2]})
				return []*Node{k.Pairs.Images, k.Pairs.Texts, k.Pairs.Labels, k.Pairs.Weights, k.NewImages, k.NewTexts}
			})(images, second, scores)
			own, ones := []float64{0, 1, 2, 3, 4}, []float64{1, 1, 1, 1, 1}
			isNew := make([]float64, 5)
			for i, score := range scores {
				if float64(score) > c.ecm.High {
					isNew[i] = 1
				}
			}
			for i, want := range [][]float64{
				slices.Concat(own, c.chosen, own), slices.Concat(own, own, c.chosen), slices.Concat(ones, c.labels, c.labels),
				slices.Concat(ones, c.weights, c.weights), isNew, isNew,
			} {
				if !slices.Equal(got[i], want) {
					t.Errorf("%s: got %v, want %v", []string{"images", "texts", "labels", "weights", "new images", "new texts"}[i],
						got[i], want)
				}
			}
		})
	}
}

// Without ITM the pairs are the hardest negatives as they are.
func TestECMLeavesITM(t *testing.T) {
	got := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		k := ECM{Low: 0.5, High: 0.8, Use: Of(ITC, MLM)}.Connect(Candidates{
			Images: in[0], Texts: in[1], SecondImages: in[1], SecondTexts: in[0], ImageScores: in[2], TextScores: in[2]})
		if k.Pairs.Weights != nil {
			t.Error("got weights, want none")
		}
		return []*Node{k.Pairs.Images, k.Pairs.Texts, k.Pairs.Labels}
	})([]int32{1, 0}, []int32{1, 1}, []float32{0.9, 0.6})
	for i, want := range [][]float64{{0, 1, 1, 0, 0, 1}, {0, 1, 0, 1, 1, 1}, {1, 1, 0, 0, 0, 0}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("%s: got %v, want %v", []string{"images", "texts", "labels"}[i], got[i], want)
		}
	}
}

// The second pick is the best of those that are neither own nor the first, for either matching.
func TestPicked(t *testing.T) {
	i2t := [][]float32{{9, 1, 2}, {3, 9, 4}, {-5, -4, -9}}
	t2i := [][]float32{{9, 0, -1}, {1, 9, 2}, {7, 6, 9}}
	got := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		k := Plain().Picked(Features{}, Contrasted{I2T: in[0], T2I: in[1]}, nil)
		return []*Node{k.Images, k.Texts, k.SecondImages, k.SecondTexts}
	})(i2t, t2i)
	for i, want := range [][]float64{{1, 2, 0}, {2, 2, 1}, {2, 0, 1}, {1, 0, 0}} {
		if !slices.Equal(got[i], want) {
			t.Errorf("%s: got %v, want %v", []string{"images", "texts", "second images", "second texts"}[i], got[i], want)
		}
	}
}

// connected is a loss of a contrast whose image 0 has text 2 as a new positive, and text 1 image 0.
func connected(c Contrast, eliminate bool) func(*model.Scope, []*Node) []*Node {
	return func(_ *model.Scope, in []*Node) []*Node {
		k := &Connections{
			Candidates: Candidates{Images: in[3], Texts: in[4]}, NewImages: in[5], NewTexts: in[6], Use: All, Eliminate: eliminate,
		}
		z := c.ITC(Features{Image: in[0], Text: in[1], Temperature: in[2], Progress: ConstAs(in[2], 1), Connections: k})
		return []*Node{z.Loss}
	}
}

// Against a loop: a new positive shares the anchor's target, or is no candidate where it is eliminated.
func TestConnectionsInITC(t *testing.T) {
	const batch, dim, tau, alpha = 4, 3, 0.3, 0.5
	image, text := embeddings(batch, dim, 5)
	images, texts := []int32{1, 0, 3, 2}, []int32{2, 3, 1, 0}
	newImages, newTexts := []float32{0, 1, 0, 0}, []float32{1, 0, 0, 0}
	rows := func(x []float32) [][]float32 {
		var m [][]float32
		for i := range batch {
			m = append(m, x[i*dim:(i+1)*dim])
		}
		return m
	}
	direction := func(anchors, keys []float32, picked []int32, isNew []float32, eliminate bool, alpha float64) (sum float64) {
		for k := range batch {
			logits, targets := make([]float64, batch), make([]float64, batch)
			for j := range batch {
				for d := range dim {
					logits[j] += float64(anchors[k*dim+d]) * float64(keys[j*dim+d]) / tau
				}
				targets[j] = alpha / batch
			}
			share := 1 - alpha
			if isNew[k] == 1 {
				if eliminate {
					logits[picked[k]], targets[picked[k]] = math.Inf(-1), 0
				} else {
					share /= 2
					targets[picked[k]] += share
				}
			}
			targets[k] += share
			var total float64
			for _, z := range logits {
				total += math.Exp(z)
			}
			for j, y := range targets {
				if y > 0 {
					sum -= y * (logits[j] - math.Log(total)) / batch
				}
			}
		}
		return sum
	}
	for _, eliminate := range []bool{false, true} {
		for _, c := range []struct {
			contrast Contrast
			alpha    float64
		}{{InfoNCE{}, 0}, {Smoothed{Alpha: alpha}, alpha}, {Consistency{}, 0}} {
			got := compiled(t, model.NewStore(), connected(c.contrast, eliminate))(rows(image), rows(text), float32(tau), images, texts,
				newImages, newTexts)[0][0]
			want := (direction(image, text, texts, newTexts, eliminate, c.alpha) + direction(text, image, images, newImages, eliminate,
				c.alpha)) / 2
			if math.Abs(got-want) > 1e-5 {
				t.Errorf("%T, eliminating %v: got %v, want %v", c.contrast, eliminate, got, want)
			}
		}
	}
}

// Distilled targets of the mini-batch's columns share with a new positive, too; those of the queue do not.
func TestConnectionTargetsBesideAQueue(t *testing.T) {
	got := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		k := &Connections{Candidates: Candidates{Images: in[1], Texts: in[1]}, NewImages: in[2], NewTexts: in[3], Use: All}
		i2t, t2i := Features{Connections: k}.Targets(in[0])
		k.Use = Of(ITM, MLM)
		own, _ := Features{Connections: k}.Targets(in[0])
		return []*Node{i2t, t2i, Sub(own, objective.OneHotTargets(in[0]))}
	})([][]float32{{1, 2, 3}, {4, 5, 6}}, []int32{1, 0}, []float32{1, 0}, []float32{0, 1})
	for i, want := range [][]float64{{1, 0, 0, 0.5, 0.5, 0}, {0.5, 0.5, 0, 0, 1, 0}, make([]float64, 6)} {
		if !slices.Equal(got[i], want) {
			t.Errorf("targets %d: got %v, want %v", i, got[i], want)
		}
	}
}

func TestConnectionsThatMakeNoSense(t *testing.T) {
	mafa := MAFA(80, 160)
	must.Do(t, mafa.Validate())
	for want, change := range map[string]func(*Method){
		"thresholds 0.9 and 0.8": func(m *Method) { m.Positives = ECM{Low: 0.9, High: 0.8} },
		"judged by":              func(m *Method) { m.Positives = ECM{Low: 0.5, High: 0.8, JudgedBy: "me"} },
		"has none":               func(m *Method) { m.Matching = nothing{} },
		"captions of an image":   func(m *Method) { m.Contrast = Distilled{Alpha: 0.4, Decay: 0.995, Items: true} },
		"leave ITC out":          func(m *Method) { m.Contrast = HNNCE{Alpha: 1} },
		"reward MLM alone":       func(m *Method) { m.Batches = Scheduled{SearchSpace: 80, Objectives: Of(ITM)} },
	} {
		m := mafa
		change(&m)
		must.Fail(t, m.Validate(), want)
	}
	m := mafa
	m.Contrast, m.Positives = HNNCE{Alpha: 1}, ECM{Low: 0.5, High: 0.8, Use: Of(ITM, MLM)}
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}

type nothing struct{}

func (nothing) Pairs(Contrasted, *Node) Pairs { return Pairs{} }

// With Positives a method is another one; without, its identity is what it was before there were any.
func TestPositivesInTheIdentity(t *testing.T) {
	plain := must.Get(SmoothedGRIT(80, 160).MarshalJSON())(t)
	if strings.Contains(string(plain), "Positives") {
		t.Errorf("got %s, want no Positives", plain)
	}
	learned := must.Get(MAFA(80, 160).MarshalJSON())(t)
	if want := `"Positives":{"negative.ECM":{"Low":0.5,"High":0.8}}`; !strings.Contains(string(learned), want) {
		t.Errorf("got %s, want %s in it", learned, want)
	}
}
