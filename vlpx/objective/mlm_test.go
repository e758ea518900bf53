package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

func mlm(in []*Node) *Node { return MLM(in[0], in[1]) }

func distilled(in []*Node) *Node { return DistilledMLM(in[0], in[1], in[2], in[3]) }

// Of four words the first position gives 5/8 to its label and the third 1/4: (ln 8/5 + ln 4) / 2 = ln(32/5) / 2. The second
// is not masked.
func TestMLMByHand(t *testing.T) {
	logits := matrix{[]float64{
		math.Log(5), 0, 0, 0,
		3, -1, 4, -1,
		2, 2, 2, 2,
	}, []int{1, 3, 4}}
	near(t, "MLM", value(t, mlm, logits, [][]int32{{0, Ignored, 2}}), 0.9281489951828131)
}

// The student gives 3/4 to the label, and the teacher is undecided: MLM is ln 4/3, the distillation (ln 4/3 + ln 4) / 2,
// and a quarter of it leaves (3 ln 4/3)/4 + (ln 16/3)/8.
func TestDistilledMLMByHand(t *testing.T) {
	logits := matrix{[]float64{math.Log(3), 0, 8, -8}, []int{1, 2, 2}}
	teacher := matrix{[]float64{5, 5, -3, 9}, []int{1, 2, 2}}
	near(t, "distilled MLM", value(t, distilled, logits, [][]int32{{0, Ignored}}, teacher, 0.25), 0.4250086085352946)
}

func TestMLMAgainstLoop(t *testing.T) {
	const batch, tokens, vocab, alpha = 2, 3, 4, 0.4
	r := rand.New(rand.NewPCG(7, 8))
	logits, teacher := drawn(r, batch, tokens, vocab), drawn(r, batch, tokens, vocab)
	labels := [][]int32{{Ignored, 3, 0}, {1, Ignored, Ignored}}
	var hard, soft float64
	for b := range batch {
		for i, label := range labels[b] {
			if label == Ignored {
				continue
			}
			row, teaching := logits.row(b*tokens+i), teacher.row(b*tokens+i)
			hard -= logSoftmax(row, int(label)) / 3
			for word := range vocab {
				soft -= math.Exp(logSoftmax(teaching, word)) * logSoftmax(row, word) / 3
			}
		}
	}
	near(t, "MLM", value(t, mlm, logits, labels), hard)
	near(t, "distilled MLM", value(t, distilled, logits, labels, teacher, alpha), (1-alpha)*hard+alpha*soft)
	near(t, "distilled MLM with alpha 0", value(t, distilled, logits, labels, teacher, 0.0), hard)
	checkGradient(t, mlm, logits, labels)
	checkGradient(t, distilled, logits, labels, teacher, alpha)

	taught := compiled(t, func(in []*Node) []*Node { return Gradient(distilled(in), in[2]) })
	for i, got := range taught(logits, labels, teacher, alpha)[0] {
		if got != 0 {
			t.Errorf("gradient %d of the teacher: got %v, want 0", i, got)
		}
	}
}

// What the model says where nothing is masked does not matter.
func TestMLMIgnoresUnmasked(t *testing.T) {
	logits, labels := drawn(rand.New(rand.NewPCG(9, 10)), 1, 3, 4), [][]int32{{2, Ignored, 1}}
	of := compiled(t, func(in []*Node) []*Node { return append([]*Node{mlm(in)}, Gradient(mlm(in), in[0])...) })
	before := of(logits, labels)
	for i := range logits.row(1) {
		logits.row(1)[i] = 100 * float64(i)
		if got := before[1][4+i]; got != 0 {
			t.Errorf("gradient %d of an unmasked position: got %v, want 0", i, got)
		}
	}
	near(t, "MLM", of(logits, labels)[0][0], before[0][0])
}

// A batch in which nothing is masked, which does happen with short captions, costs nothing and moves nothing.
func TestMLMWithNothingMasked(t *testing.T) {
	logits := drawn(rand.New(rand.NewPCG(11, 12)), 2, 2, 3)
	labels := [][]int32{{Ignored, Ignored}, {Ignored, Ignored}}
	for name, loss := range map[string]func(in []*Node) *Node{
		"MLM":           mlm,
		"distilled MLM": func(in []*Node) *Node { return DistilledMLM(in[0], in[1], in[0], ConstAs(in[0], 0.4)) },
	} {
		got := compiled(t, func(in []*Node) []*Node { return append([]*Node{loss(in)}, Gradient(loss(in), in[0])...) })(logits, labels)
		near(t, name, got[0][0], 0)
		for i, g := range got[1] {
			if g != 0 {
				t.Errorf("%s: gradient %d: got %v, want 0", name, i, g)
			}
		}
	}
}
