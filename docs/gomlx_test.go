package docs

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// These examples are those of GOMLX.md, where TestPage finds some of them, and of each row of its tables.

// run builds a graph of a function, runs it on values and prints what it returns: type, shape and numbers.
func run(build func(in []*Node) []*Node, values ...any) {
	backend := opened()
	defer backend.Finalize()
	results, err := ExecOnceN(backend, build, values...)
	if err != nil {
		fmt.Println("error:", why(err))
		return
	}
	for _, x := range results {
		fmt.Println(text(x))
	}
}

// opened is the engine of the examples: pure Go, or what TestExamplesOnONNX names.
func opened() compute.Backend {
	backend, err := engine.Open(engine.Choice{Name: cmp.Or(os.Getenv(onEngine), engine.PureGo), Library: os.Getenv(fromLibrary)})
	if err != nil {
		panic(err)
	}
	return backend
}

// why is what a graph builder said.
func why(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	_, said, _ := strings.Cut(line, "panicked: ")
	return said
}

// text is a tensor as the examples print it.
func text(x *tensors.Tensor) string {
	if x.DType().IsFloat() {
		return fmt.Sprintf("%s %.4g", x.Shape(), x.Value())
	}
	return fmt.Sprintf("%s %v", x.Shape(), x.Value())
}

func Example_arithmetic() {
	run(func(in []*Node) []*Node {
		x, y := in[0], in[1]
		return []*Node{Add(x, y), Mul(x, Neg(y)), Div(x, y), AddScalar(MulScalar(x, 0.5), 1), OneMinus(x)}
	}, []float32{1, 2}, []float32{4, 8})
	// Output:
	// (Float32)[2] [5 10]
	// (Float32)[2] [-4 -16]
	// (Float32)[2] [0.25 0.25]
	// (Float32)[2] [1.5 2]
	// (Float32)[2] [0 -1]
}

func Example_maskedFill() {
	run(func(in []*Node) []*Node {
		logits, mask := in[0], in[1]
		filled := Where(mask, ConstAs(logits, -1e30), logits)
		return []*Node{filled, Softmax(filled, -1)}
	}, [][]float32{{1, 2}, {3, 4}}, [][]bool{{false, true}, {false, false}})
	// Output:
	// (Float32)[2, 2] [[1 -1e+30] [3 4]]
	// (Float32)[2, 2] [[1 0] [0.2689 0.7311]]
}

func Example_comparisons() {
	run(func(in []*Node) []*Node {
		x := in[0]
		above := GreaterThan(x, ConstAs(x, 0.5)) // bool
		both := LogicalAnd(above, LogicalNot(Equal(x, ConstAs(x, 3))))
		return []*Node{above, both, ReduceAllSum(ConvertDType(both, x.DType()))}
	}, []float32{0, 1, 2, 3})
	// Output:
	// (Bool)[4] [false true true true]
	// (Bool)[4] [false true true false]
	// (Float32) 2
}

func Example_keepdim() {
	run(func(in []*Node) []*Node {
		x := in[0]
		sum := ReduceSum(x, -1)                    // [2]
		kept := ReduceAndKeep(x, ReduceSum, -1)    // [2, 1]
		largest := ReduceAndKeep(x, ReduceMax, -1) // [2, 1]
		return []*Node{sum, Div(x, kept), Sub(x, largest), ReduceMean(x, 0), ReduceAllMean(x)}
	}, [][]float32{{1, 3}, {2, 2}})
	// Output:
	// (Float32)[2] [4 4]
	// (Float32)[2, 2] [[0.25 0.75] [0.5 0.5]]
	// (Float32)[2, 2] [[-2 0] [0 0]]
	// (Float32)[2] [1.5 2.5]
	// (Float32) 2
}

func Example_broadcasting() {
	run(func(in []*Node) []*Node {
		items, weights := in[0], in[1]                            // [3], [2]
		same := Equal(InsertAxes(items, 1), InsertAxes(items, 0)) // [3, 1] with [1, 3] is [3, 3]
		column := BroadcastToDims(InsertAxes(items, 1), 3, 2)     // what expand does
		return []*Node{same, column, Add(column, InsertAxes(weights, 0))}
	}, []int32{7, 8, 7}, []int32{10, 20})
	// Output:
	// (Bool)[3, 3] [[true false true] [false true false] [true false true]]
	// (Int32)[3, 2] [[7 7] [8 8] [7 7]]
	// (Int32)[3, 2] [[17 27] [18 28] [17 27]]
}

func Example_ranks() {
	run(func(in []*Node) []*Node {
		return []*Node{Add(in[0], in[1])} // [3, 2] with [2]: PyTorch puts an axis of 1 in front, GoMLX does not
	}, [][]float32{{1, 2}, {3, 4}, {5, 6}}, []float32{10, 20})
	// Output:
	// error: if operands are not scalars, their rank must match for BinaryOp (Add); got shapes (Float32)[3, 2] and (Float32)[2]
}

func Example_shapes() {
	run(func(in []*Node) []*Node {
		x := in[0] // [2, 3]
		flat := Reshape(x, -1)
		parts := Split(x, 1, 3)
		return []*Node{
			flat, Transpose(x, 0, 1), Slice(x, AxisRange(), AxisRange(1, 3)), Squeeze(Slice(x, AxisElem(0)), 0),
			Concatenate([]*Node{x, parts[0]}, 1), Stack([]*Node{flat, flat}, 0), TransposeAllAxes(InsertAxes(x, 0), 2, 0, 1),
		}
	}, [][]float32{{1, 2, 3}, {4, 5, 6}})
	// Output:
	// (Float32)[6] [1 2 3 4 5 6]
	// (Float32)[3, 2] [[1 4] [2 5] [3 6]]
	// (Float32)[2, 2] [[2 3] [5 6]]
	// (Float32)[3] [1 2 3]
	// (Float32)[2, 4] [[1 2 3 1] [4 5 6 4]]
	// (Float32)[2, 6] [[1 2 3 4 5 6] [1 2 3 4 5 6]]
	// (Float32)[3, 1, 2] [[[1 4]] [[2 5]] [[3 6]]]
}

func Example_logSumExp() {
	run(func(in []*Node) []*Node {
		z := objective.LogSumExp(in[0])
		return []*Node{z, Gradient(ReduceAllSum(z), in[0])[0]}
	}, [][]float32{{1000, 1000}, {0, -1e30}})
	// Output:
	// (Float32)[2] [1001 0]
	// (Float32)[2, 2] [[0.5 0.5] [1 0]]
}

func Example_crossEntropy() {
	run(func(in []*Node) []*Node {
		logits, labels := in[0], in[1]
		targets := OneHot(labels, logits.Shape().Dim(-1), logits.DType())
		each := Neg(ReduceSum(Mul(targets, LogSoftmax(logits, -1)), -1))
		return []*Node{each, ReduceAllMean(each), objective.CrossEntropy(logits, targets)}
	}, [][]float32{{2, 0}, {0, 2}}, []int32{0, 0})
	// Output:
	// (Float32)[2] [0.1269 2.127]
	// (Float32) 1.127
	// (Float32) 1.127
}

func Example_gather() {
	run(func(in []*Node) []*Node {
		rows, index := in[0], in[1]                   // [3, 2], [2] int32
		picked := Gather(rows, InsertAxes(index, -1)) // one index a row: [2, 2]
		return []*Node{picked}
	}, [][]float32{{1, 2}, {3, 4}, {5, 6}}, []int32{2, 0})
	// Output:
	// (Float32)[2, 2] [[5 6] [1 2]]
}

func Example_gatherColumns() {
	run(func(in []*Node) []*Node {
		x, index := in[0], in[1] // [2, 3], [2] int32
		chosen := OneHot(index, x.Shape().Dim(1), x.DType())
		return []*Node{ReduceSum(Mul(x, chosen), 1), chosen}
	}, [][]float32{{1, 2, 3}, {4, 5, 6}}, []int32{2, 0})
	// Output:
	// (Float32)[2] [3 4]
	// (Float32)[2, 3] [[0 0 1] [1 0 0]]
}

func Example_detach() {
	run(func(in []*Node) []*Node {
		x := in[0]
		loss := ReduceAllSum(Mul(StopGradient(x), x)) // x² of which one factor is a constant
		return []*Node{loss, Gradient(loss, x)[0]}
	}, []float32{3, 4})
	// Output:
	// (Float32) 25
	// (Float32)[2] [3 4]
}

func Example_safeGradient() {
	run(func(in []*Node) []*Node {
		x := in[0]
		positive := GreaterThan(x, ZerosLike(x))
		wrong := Where(positive, Sqrt(x), ZerosLike(x))
		safe := Where(positive, Sqrt(Where(positive, x, OnesLike(x))), ZerosLike(x))
		return []*Node{Gradient(ReduceAllSum(wrong), x)[0], Gradient(ReduceAllSum(safe), x)[0]}
	}, []float32{0, 4})
	// Output:
	// (Float32)[2] [NaN 0.25]
	// (Float32)[2] [0 0.25]
}

func Example_diagonal() {
	run(func(in []*Node) []*Node {
		x := in[0] // [2, 2]
		own := ConvertDType(Diagonal(x.Graph(), 2), x.DType())
		others := Where(Diagonal(x.Graph(), 2), ConstAs(x, -1e30), x)
		return []*Node{own, ReduceSum(Mul(x, own), -1), others, TakeUpperTriangular(x, 0), TakeLowerTriangular(x, -1)}
	}, [][]float32{{1, 2}, {3, 4}})
	// Output:
	// (Float32)[2, 2] [[1 0] [0 1]]
	// (Float32)[2] [1 4]
	// (Float32)[2, 2] [[-1e+30 2] [3 -1e+30]]
	// (Float32)[2, 2] [[1 2] [0 4]]
	// (Float32)[2, 2] [[0 0] [3 0]]
}

func Example_instead() {
	run(func(in []*Node) []*Node {
		x, y := in[0], in[1]
		return []*Node{
			objective.SoftPlus(x), objective.LogSumExp(Stack([]*Node{x, y}, -1)),
			Mul(Tanh(MulScalar(x, 0.5)), AddScalar(Exp(x), 1)), Inverse(Sqrt(y)),
		}
	}, []float32{0, 1e-6, -2}, []float32{1, 4, 16})
	run(func(in []*Node) []*Node {
		x := in[0]
		return []*Node{NotEqual(x, x), Equal(Sub(x, x), Sub(x, x))}
	}, []float32{1, float32(math.Inf(1)), float32(math.NaN())})
	// Output:
	// (Float32)[3] [0.6931 0.6931 0.1269]
	// (Float32)[3] [1.313 4.018 16]
	// (Float32)[3] [0 1e-06 -0.8647]
	// (Float32)[3] [1 0.5 0.25]
	// (Bool)[3] [false false true]
	// (Bool)[3] [true false false]
}

func Example_largest() {
	run(func(in []*Node) []*Node {
		x := in[0]
		values, index := objective.Largest(x, 2)
		return []*Node{values, index, Gradient(ReduceAllSum(values), x)[0], ArgMax(x, -1)}
	}, [][]float32{{3, 1, 2}})
	// Output:
	// (Float32)[1, 2] [[3 2]]
	// (Int32)[1, 2] [[0 2]]
	// (Float32)[1, 3] [[1 0 1]]
	// (Int32)[1] [0]
}

func Example_normalize() {
	run(func(in []*Node) []*Node {
		u := L2NormalizeWithEpsilon(in[0], 1e-12, -1)
		return []*Node{u, MatMul(u, Transpose(u, 0, 1))}
	}, [][]float32{{3, 4}, {0, 2}})
	// Output:
	// (Float32)[2, 2] [[0.6 0.8] [0 1]]
	// (Float32)[2, 2] [[1 0.8] [0.8 1]]
}

func Example_einsum() {
	run(func(in []*Node) []*Node {
		u, w := in[0], in[1] // [2, 2] each
		return []*Node{Einsum("id,jd->ij", u, w), Einsum("id,id->i", u, w), MatMul(u, Transpose(w, 0, 1))}
	}, [][]float32{{1, 2}, {3, 4}}, [][]float32{{1, 0}, {1, 1}})
	// Output:
	// (Float32)[2, 2] [[1 3] [3 7]]
	// (Float32)[2] [1 7]
	// (Float32)[2, 2] [[1 3] [3 7]]
}

func Example_maximum() {
	run(func(in []*Node) []*Node {
		x, least := in[0], in[1]
		hinge := Max(AddScalar(x, -2), ZerosLike(x)) // F.relu(x - 2), the hinge of a margin
		return []*Node{Max(x, least), Min(x, least), Min(Max(x, least), ConstAs(x, 2.5)), hinge, Gradient(ReduceAllSum(hinge), x)[0]}
	}, []float32{1, 2, 3}, []float32{2, 1, 1})
	// Output:
	// (Float32)[3] [2 2 3]
	// (Float32)[3] [1 1 1]
	// (Float32)[3] [2 2 2.5]
	// (Float32)[3] [0 0 1]
	// (Float32)[3] [0 1 1]
}

func Example_cumSum() {
	run(func(in []*Node) []*Node {
		return []*Node{CumSum(in[0], -1), ClipScalar(in[0], 1.5, 2.5), MaxScalar(in[0], 2), PowScalar(in[0], 2)}
	}, []float32{1, 2, 3})
	// Output:
	// (Float32)[3] [1 3 6]
	// (Float32)[3] [1.5 2 2.5]
	// (Float32)[3] [2 2 3]
	// (Float32)[3] [1 4 9]
}

func Example_dtypes() {
	run(func(in []*Node) []*Node {
		ids, g := in[0], in[0].Graph()
		padding := ConvertDType(Equal(ids, ZerosLike(ids)), dtypes.Float32)
		places := Iota(g, shapes.Make(dtypes.Int32, 3), 0)
		return []*Node{padding, places, Scalar(g, dtypes.Float32, 0.07), Zeros(g, shapes.Make(dtypes.Float32, 2)), OnesLike(padding)}
	}, []int32{5, 0, 0})
	// Output:
	// (Float32)[3] [0 1 1]
	// (Int32)[3] [0 1 2]
	// (Float32) 0.07
	// (Float32)[2] [0 0]
	// (Float32)[3] [1 1 1]
}

func Example_mixedTypes() {
	run(func(in []*Node) []*Node {
		return []*Node{Mul(in[0], in[1])} // Int32 with Float32
	}, []int32{1, 2}, []float32{3, 4})
	// Output:
	// error: data types (DType) for BinaryOp Mul must match, got (Int32)[2] and (Float32)[2]
}

func Example_shapeDebugging() {
	run(func(in []*Node) []*Node {
		x := in[0]
		fmt.Println("while the graph is built:", x.Shape(), x.Rank(), x.Shape().Dim(-1), x.DType())
		x.AssertDims(2, 4) // says what is wrong, and where
		return []*Node{x}
	}, [][]float32{{1, 2, 3}, {4, 5, 6}})
	// Output:
	// while the graph is built: (Float32)[2, 3] 2 3 Float32
	// error: AssertDims([2 4]): shape ((Float32)[2, 3]) axis 1 has dimension 3, wanted 4 (shape wanted=[2 4])
}

func Example_values() {
	run(func(in []*Node) []*Node {
		if in[0].Shape().Dim(0) > 1 { // a shape is known while the graph is built, a number is not: that is Where's
			fmt.Println("several")
		}
		return []*Node{Where(GreaterThan(in[0], ConstAs(in[0], 1)), OnesLike(in[0]), Neg(in[0]))}
	}, []float32{1, 2})
	// Output:
	// several
	// (Float32)[2] [-1 1]
}

func Example_random() {
	draw := func(epoch, step int) []float32 {
		r := random.Stream(1, "my noise", epoch, step) // the seed, and a name of your own
		return []float32{r.Float32(), r.Float32()}
	}
	fmt.Println(draw(0, 3)[0] == draw(0, 3)[0], draw(0, 3)[0] == draw(0, 4)[0])
	// Output:
	// true false
}

// meanOf keeps a moving average of the mean cosine: what a buffer is in PyTorch.
type meanOf struct{ Decay float64 }

func (m meanOf) Declare(state *model.Scope, _ negative.Start) error {
	v, err := state.CreateVariable("mean", tensors.FromScalar(float32(0)))
	if err == nil {
		v.SetTrainable(false)
	}
	return err
}

func (m meanOf) update(state *model.Scope, cosines *Node) *Node {
	v := state.GetVariable("mean")
	before := v.NodeValue(cosines.Graph())
	after := Add(MulScalar(before, m.Decay), MulScalar(StopGradient(ReduceAllMean(cosines)), 1-m.Decay))
	v.SetNodeValue(after) // what the next step reads
	return after
}

func Example_inPlace() {
	backend := opened()
	defer backend.Finalize()
	store, m := model.NewStore(), meanOf{Decay: 0.5}
	if err := m.Declare(store.Scope("/state"), negative.Start{}); err != nil {
		panic(err)
	}
	step := model.MustNewExec1(backend, store, func(s *model.Scope, cosines *Node) *Node {
		s.Store().SetTraining(cosines.Graph(), true) // as the trainer does
		return m.update(s.Store().Scope("/state"), cosines)
	})
	for range 2 {
		fmt.Println(text(step.MustCall([]float32{0.4, 0.8})))
	}
	// Output:
	// (Float32) 0.3
	// (Float32) 0.45
}

// joining is InfoNCE that tells how many negatives lie above a threshold, and how many of these are true pairs.
type joining struct{ Threshold float64 }

func (j joining) ITC(f negative.Features) negative.Contrasted {
	cosines := objective.Cosines(f.Image, f.Text)
	negatives := OneMinus(objective.OneHotTargets(cosines))
	joined := Mul(negatives, ConvertDType(GreaterThan(cosines, ConstAs(cosines, j.Threshold)), cosines.DType()))
	f.TellShare("joined pairs", joined, negatives) // in per cent
	if truth := f.Truth(); truth != nil {          // where the data knows it
		f.TellShare("true among joined", Mul(joined, truth.Holds), Mul(joined, truth.Known))
	}
	f.Tell("temperature of mine", f.Temperature) // a scalar
	return negative.InfoNCE{}.ITC(f)
}

func Example_logging() {
	run(func(in []*Node) []*Node {
		truth := ConstAs(in[0], [][]float32{{1, 1}, {0, 1}}) // of a mini-batch, as the data knows it
		reports := field.NewReports(field.Nodes{field.Truth: truth, field.Known: OnesLike(truth)})
		joining{Threshold: 0.5}.ITC(negative.Features{
			Image: in[0], Text: in[1], Temperature: ConstAs(in[0], 0.1), Reporter: reports.By("the contrast joining"),
		})
		fmt.Println(reports.Numbers())
		return []*Node{reports.Sums()} // a row a number: its sum, and of how many
	}, [][]float32{{1, 0}, {0, 1}}, [][]float32{{0.6, 0.8}, {0.8, 0.6}})
	// Output:
	// [{joined pairs % 0 0} {true among joined % 0 0} {temperature of mine  0 0}] [the contrast joining the contrast joining the contrast joining]
	// (Float32)[3, 2] [[2 2] [1 2] [0.1 1]]
}

func Example_infoNCE() {
	run(func(in []*Node) []*Node {
		image, caption, tau := in[0], in[1], ConstAs(in[0], 0.5)
		logits := Div(MatMul(image, Transpose(caption, 0, 1)), tau)
		side := func(logits *Node) *Node {
			own := ReduceSum(Mul(logits, objective.OneHotTargets(logits)), -1)
			largest := StopGradient(ReduceAndKeep(logits, ReduceMax, -1))
			all := Add(Squeeze(largest, -1), Log(ReduceSum(Exp(Sub(logits, largest)), -1)))
			return ReduceAllMean(Sub(all, own))
		}
		loss := MulScalar(Add(side(logits), side(Transpose(logits, 0, 1))), 0.5)
		own := objective.OneHotTargets(logits)
		return []*Node{loss, objective.ITC(logits, Transpose(logits, 0, 1), own, own)}
	}, [][]float32{{1, 0}, {0, 1}}, [][]float32{{0.6, 0.8}, {0, 1}})
	// Output:
	// (Float32) 0.4541
	// (Float32) 0.4541
}

// triplet is a contrast with a hinge: every negative is to be less similar than the own pair by a margin.
type triplet struct{ Margin float64 }

func (c triplet) ITC(f negative.Features) negative.Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature) // [batch, batch], over the temperature
	t2i := Transpose(i2t, 0, 1)
	side := func(logits *Node) *Node {
		cosines, own := Mul(logits, f.Temperature), objective.OneHotTargets(logits)
		of := ReduceAndKeep(Mul(cosines, own), ReduceSum, -1) // [batch, 1]
		hinge := Max(AddScalar(Sub(cosines, of), c.Margin), ZerosLike(cosines))
		return ReduceAllMean(ReduceSum(Mul(hinge, OneMinus(own)), -1))
	}
	return negative.Contrasted{
		Loss: MulScalar(Add(side(i2t), side(t2i)), 0.5), // a scalar
		I2T:  i2t, T2I: t2i,                             // by which ITM picks its negatives
	}
}

func Example_contrasted() {
	run(func(in []*Node) []*Node {
		c := negative.Method{Contrast: triplet{Margin: 0.2}}.Contrasted( // as the framework does, which checks the shapes
			negative.Features{Image: in[0], Text: in[1], Temperature: ConstAs(in[0], 0.1)})
		return []*Node{c.Loss, c.I2T}
	}, [][]float32{{1, 0}, {0, 1}}, [][]float32{{0.6, 0.8}, {0, 1}})
	// Output:
	// (Float32) 0.1
	// (Float32)[2, 2] [[6 0] [8 10]]
}
