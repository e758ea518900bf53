package fusion

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"

	onnx "github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/sanitiser"
)

// request is a program as Elementwise or Products gets it, with its inputs and how many outputs its operation has.
type request struct {
	code    []int64
	in      []tensor
	outputs int
}

// requests are the programs of an operation in random models with what they are given there.
func requests(t *testing.T, models uint64, operation string) (all []request) {
	t.Helper()
	for seed := range models {
		d := draw(seed)
		rewritten := must.Get(Model(must.Get(proto.Marshal(d.model))(t)))(t)
		var model onnx.ModelProto
		must.Do(t, proto.Unmarshal(rewritten, &model))
		// each value is a result, so that the inputs of programs are known
		for _, n := range model.Graph.Node {
			for _, name := range n.Output {
				model.Graph.Output = append(model.Graph.Output, &onnx.ValueInfoProto{Name: name})
			}
		}
		values := interpret(t, &model, d.given)
		for name, v := range d.given {
			values[name] = v
		}
		for _, c := range model.Graph.Initializer {
			values[c.Name] = constant(c)
		}
		for _, n := range model.Graph.Node {
			if n.OpType != operation {
				continue
			}
			r := request{code: (&node{proto: n}).list(fusedProgram), outputs: len(n.Output)}
			for _, name := range n.Input {
				r.in = append(r.in, values[name])
			}
			all = append(all, r)
		}
	}
	return all
}

// mistaken is a request of which some numbers, or its length, are others.
func (r request) mistaken(d *rand.Rand) request {
	r.code = slices.Clone(r.code)
	for range 1 + d.IntN(3) {
		at := d.IntN(min(len(r.code), 5+d.IntN(len(r.code))))
		switch d.IntN(9) {
		case 0:
			r.code = r.code[:at]
		case 1:
			r.code = slices.Insert(r.code, at, int64(d.IntN(4)))
		case 2:
			r.code[at] = []int64{math.MaxInt64, math.MinInt64, -1, 0, 1 << 31, 1 << 40, 1 << 62}[d.IntN(7)]
		case 3, 4:
			r.code[at] += int64(d.IntN(5) - 2)
		case 5:
			r.code[at] = r.code[d.IntN(len(r.code))]
		case 6:
			r.code[at] = int64(d.IntN(2000) - 1000)
		case 7:
			r.code[at] *= 2
		case 8:
			r.code[at] = d.Int64() >> d.IntN(64)
		}
		if len(r.code) == 0 {
			break
		}
	}
	return r
}

func (r request) append(to []byte) []byte {
	number := func(n int) { to = binary.NativeEndian.AppendUint64(to, uint64(n)) }
	number(len(r.code))
	for _, n := range r.code {
		number(int(n))
	}
	number(len(r.in))
	number(r.outputs)
	for _, in := range r.in {
		number(len(in.numbers))
		for _, x := range in.numbers {
			to = binary.NativeEndian.AppendUint32(to, math.Float32bits(x))
		}
	}
	return to
}

// standIn builds a program that answers requests by an operation of package engine, with sanitisers.
func standIn(t *testing.T, operation string) string {
	return sanitiser.Build(t, "-I", "..", fmt.Sprintf(`-DSOURCE="../%s_onnx.c"`, operation), "-DOPERATION_UNDER_TEST="+operation,
		"../testdata/operation.c", "-lm")
}

// answers are what an operation, built with sanitisers, makes of requests; nil for one that it refuses.
func answers(t *testing.T, program string, all []request) [][][]float32 {
	t.Helper()
	var asked []byte
	for _, r := range all {
		asked = r.append(asked)
	}
	command := exec.Command(program)
	command.Stdin = bytes.NewReader(asked)
	var said bytes.Buffer
	command.Stderr = &said
	told, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	number := func() int {
		n := binary.NativeEndian.Uint64(told)
		told = told[8:]
		return int(n)
	}
	outputs := make([][][]float32, len(all))
	for i, r := range all {
		if number() == 0 {
			continue
		}
		outputs[i] = make([][]float32, r.outputs)
		for j := range outputs[i] {
			for range number() {
				outputs[i][j] = append(outputs[i][j], math.Float32frombits(binary.NativeEndian.Uint32(told)))
				told = told[4:]
			}
		}
	}
	return outputs
}

// Elementwise and Products, built with checks of addresses, leaks and undefined behaviour, compute the programs of random models to the
// bit. Of programs that were changed at random they compute what these say, or refuse them. Where any of their allocations fails, nothing
// is left.
func TestProgramsSanitised(t *testing.T) {
	t.Run("Elementwise", func(t *testing.T) {
		sanitised(t, standIn(t, "elementwise"), requests(t, 60, fusedOp), run)
	})
	t.Run("Products", func(t *testing.T) {
		asked := requests(t, 80, productsOp)
		d := rand.New(rand.NewPCG(3, 4))
		for _, r := range asked { // numbers whose sums are none that is rounded, whatever their order
			for i, in := range r.in {
				r.in[i] = filled(in.dims, func([]int) float32 { return float32(d.IntN(9)-4) / 4 })
			}
		}
		sanitised(t, standIn(t, "products"), asked, runProducts)
	})
}

func sanitised(t *testing.T, program string, good []request, run func(code []int64, in []tensor) []tensor) {
	t.Helper()
	all := slices.Clone(good)
	d := rand.New(rand.NewPCG(1, 2))
	for _, r := range good {
		for range 40 {
			all = append(all, r.mistaken(d))
		}
		fewer := r
		fewer.in = slices.Clone(r.in)
		fewer.in[len(r.in)-1].numbers = nil
		more := r
		more.outputs++
		all = append(all, fewer, more)
	}
	refused := 0
	for i, got := range answers(t, program, all) {
		if got == nil {
			if refused++; i < len(good) {
				t.Errorf("program %v is refused", all[i].code)
			}
			continue
		}
		for j, want := range run(all[i].code, all[i].in) {
			if !slices.EqualFunc(got[j], want.numbers, func(x, y float32) bool {
				return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
			}) {
				t.Errorf("program %v gives other numbers than it says", all[i].code)
			}
		}
	}
	t.Logf("%d programs, %d changed ones, of which %d are refused", len(good), len(all)-len(good), refused)
	if len(good) < 100 || refused < len(all)/2 || refused > len(all)-2*len(good) {
		t.Error("too few programs are good, or too many")
	}
}
