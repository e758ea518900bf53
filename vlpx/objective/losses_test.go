package objective

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Sizes of what the losses are tried on.
const (
	rows, places, words = 4, 3, 5
)

// loss is one of the package as a function of its logits, the first input, and of labels, [rows, places] from 0 to 4, of which its row
// number is the row's. Each has rows that can be put in another order together.
type loss struct {
	name  string
	dims  []int // of its logits, rows first
	build func(logits, labels *Node) *Node
	pairs bool // columns are in the order of the rows, too
}

// column takes one column of labels, [rows].
func column(labels *Node, at int) *Node { return Squeeze(Slice(labels, AxisRange(), AxisElem(at)), 1) }

// soft are targets that sum to one in each row, as logits.
func soft(logits *Node) *Node { return Softmax(StopGradient(MulScalar(logits, -0.3)), -1) }

var losses = []loss{
	{"CrossEntropy", []int{rows, words}, func(x, _ *Node) *Node { return CrossEntropy(x, soft(x)) }, false},
	{"ITC", []int{rows, rows}, func(x, _ *Node) *Node {
		return ITC(x, Transpose(x, 0, 1), OneHotTargets(x), OneHotTargets(x))
	}, true},
	{"ITM", []int{rows, 2}, func(x, labels *Node) *Node { return ITM(x, MinScalar(column(labels, 0), 1), nil) }, false},
	{"PairwiseSigmoid", []int{rows, rows}, func(x, _ *Node) *Node { return PairwiseSigmoid(x) }, true},
	{"Debiased", []int{rows, rows}, func(x, _ *Node) *Node {
		own := ReduceSum(Where(Diagonal(x.Graph(), rows), x, ZerosLike(x)), -1)
		each, _, _ := Debiased(own, x, LogicalNot(Diagonal(x.Graph(), rows)), ConstAs(x, 1), 0.05)
		return ReduceAllMean(each)
	}, true},
	{"Triplet", []int{rows, words}, func(x, _ *Node) *Node {
		return Triplet(Squeeze(Slice(x, AxisRange(), AxisElem(0)), 1), Slice(x, AxisRange(), AxisRange(1)), nil, 0.2)
	}, false},
	{"MLM", []int{rows, places, words}, MLM, false},
	{"DistilledMLM", []int{rows, places, words}, func(x, labels *Node) *Node {
		return DistilledMLM(x, labels, MulScalar(x, -0.5), ConstAs(x, 0.4))
	}, false},
	{"LM", []int{rows, places, words}, func(x, labels *Node) *Node { return LM(labels, NextTokens(labels, tail(x))) }, false},
	{"LMBehind", []int{rows, places, words}, func(x, labels *Node) *Node { return LMBehind(labels, NextTokens(labels, x), 0) }, false},
	{"Generation", []int{rows, places, words}, func(x, labels *Node) *Node { return Generation(x, labels, 0.1) }, false},
	{"WordDiscrimination", []int{rows, places, 2}, func(x, labels *Node) *Node {
		return WordDiscrimination(x, MinScalar(labels, 1), nil)
	}, false},
	{"WordCorrection", []int{rows, places, words}, WordCorrection, false},
	{"Answers", []int{rows, places, words}, func(x, labels *Node) *Node {
		nats := Add(AnswerNats(labels, tail(x)), DistilledAnswerNats(labels, tail(x), MulScalar(tail(x), 2), ConstAs(x, 0.4)))
		return Answers(nats, OnesLike(nats), 2)
	}, false},
}

// tail leaves out the first place.
func tail(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(1)) }

// Every function of the package that says it returns a scalar is in the table of losses, and so is one that is added.
func TestLossesAreAll(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			of, is := d.(*ast.FuncDecl)
			text := ""
			if is {
				text = strings.Join(strings.Fields(of.Doc.Text()), " ")
			}
			if !strings.Contains(text, "a scalar in nats") && !strings.Contains(text, "result is a scalar") {
				continue
			}
			found++
			if !slices.ContainsFunc(losses, func(l loss) bool { return l.name == of.Name.Name }) {
				t.Errorf("%s is not in the table of losses", of.Name.Name)
			}
		}
	}
	if found < 10 {
		t.Errorf("found %d losses", found)
	}
}

// numbers are labels, from 1 to 4.
func numbers(draw *rand.Rand) [][]int32 {
	labels := make([][]int32, rows)
	for i := range labels {
		for range places {
			labels[i] = append(labels[i], int32(1+draw.IntN(words-1)))
		}
	}
	return labels
}

// The order of its rows matters to no loss, nor to its gradients.
func TestLossesOfPermutedRows(t *testing.T) {
	order := []int{2, 0, 3, 1}
	for _, l := range losses {
		draw := rand.New(rand.NewPCG(3, 4))
		of := compiled(t, func(in []*Node) []*Node {
			loss := l.build(in[0], in[1])
			loss.AssertScalar()
			return append([]*Node{loss}, Gradient(loss, in[0])...)
		})
		labels, logits := numbers(draw), drawn(draw, l.dims...)
		moved := func(x []float64) []float64 {
			var to []float64
			width := len(x) / rows
			for _, i := range order {
				for j := range width {
					if l.pairs {
						j = order[j]
					}
					to = append(to, x[i*width+j])
				}
			}
			return to
		}
		var other [][]int32
		for _, i := range order {
			other = append(other, labels[i])
		}
		want, got := of(logits, labels), of(matrix{moved(logits.data), l.dims}, other)
		near(t, l.name, got[0][0], want[0][0])
		for i, w := range moved(want[1]) {
			near(t, l.name+"'s gradient", got[1][i], w)
		}
	}
}

// At logits as large as cosines of exactly 1 and -1 have at a temperature of 0.001, and where all are equal, losses and gradients are
// finite, in float32 as well.
func TestLossesOfLargeLogits(t *testing.T) {
	for _, l := range losses {
		draw := rand.New(rand.NewPCG(5, 6))
		of := compiled(t, func(in []*Node) []*Node {
			narrow := ConvertDType(in[0], dtypes.Float32)
			wide, small := l.build(in[0], in[1]), l.build(narrow, in[1])
			return []*Node{wide, Gradient(wide, in[0])[0], ConvertDType(small, in[0].DType()),
				ConvertDType(Gradient(small, narrow)[0], in[0].DType())}
		})
		labels := numbers(draw)
		for _, largest := range []float64{0, 100, 1000} {
			for range 8 {
				x := drawn(draw, l.dims...)
				for i := range x.data {
					x.data[i] = largest * float64(1-2*draw.IntN(2))
				}
				got := of(x, labels)
				for k, what := range []string{"the loss", "a gradient", "the loss in float32", "a gradient in float32"} {
					if slices.ContainsFunc(got[k], func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
						t.Errorf("%s at logits of %g: %s is not finite: %v", l.name, largest, what, got[k])
					}
				}
			}
		}
	}
}

// A mask of ones, and weights that are all the same, are none.
func TestLossesUnderMasksOfOnes(t *testing.T) {
	draw := rand.New(rand.NewPCG(8, 9))
	labels := numbers(draw)
	for name, c := range map[string]struct {
		dims          []int
		masked, plain func(x, labels *Node) *Node
	}{
		"ITM": {[]int{rows, 2},
			func(x, y *Node) *Node {
				return ITM(x, MinScalar(column(y, 0), 1), MulScalar(OnesLike(column(y, 0)), 3))
			},
			func(x, y *Node) *Node { return ITM(x, MinScalar(column(y, 0), 1), nil) }},
		"Triplet": {[]int{rows, words},
			func(x, y *Node) *Node { return Triplet(ZerosLike(ReduceSum(x, -1)), x, OnesLike(x), 0.2) },
			func(x, y *Node) *Node { return Triplet(ZerosLike(ReduceSum(x, -1)), x, nil, 0.2) }},
		"WordDiscrimination": {[]int{rows, places, 2},
			func(x, y *Node) *Node { return WordDiscrimination(x, MinScalar(y, 1), OnesLike(y)) },
			func(x, y *Node) *Node { return WordDiscrimination(x, MinScalar(y, 1), nil) }},
		"DistilledMLM without distillation": {[]int{rows, places, words},
			func(x, y *Node) *Node { return DistilledMLM(x, y, x, ConstAs(x, 0)) }, MLM},
		"Generation without smoothing": {[]int{rows, places, words},
			func(x, y *Node) *Node { return Generation(x, y, 0) },
			func(x, y *Node) *Node { return LM(y, NextTokens(y, Slice(x, AxisRange(), AxisRange(0, places-1)))) }},
	} {
		of := compiled(t, func(in []*Node) []*Node {
			masked, plain := c.masked(in[0], in[1]), c.plain(in[0], in[1])
			return append([]*Node{masked, plain}, append(Gradient(masked, in[0]), Gradient(plain, in[0])...)...)
		})
		got := of(drawn(draw, c.dims...), labels)
		near(t, name, got[0][0], got[1][0])
		for i, want := range got[3] {
			near(t, name+"'s gradient", got[2][i], want)
		}
	}
}
