package engine

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
)

func TestConfigPutsTheLibraryWhereTheEngineTakesIt(t *testing.T) {
	for _, c := range []struct{ name, library, want string }{
		{"go:ops_sequential", "", "go:ops_sequential"},
		{"onnx", "/l/libonnxruntime.so.1", "onnx:/l/libonnxruntime.so.1"},
		{"onnx:cpu", "/l/libonnxruntime.so.1", "onnx:cpu,/l/libonnxruntime.so.1"},
		{"onnx:cpu,log=2", "/l/libonnxruntime.so.1", "onnx:cpu,log=2,/l/libonnxruntime.so.1"},
		{"xla:cuda", "/l/xla_cuda_plugin.so", "xla:/l/xla_cuda_plugin.so"},
		{"xla:cuda,tf32=false,preallocate", "/l/xla_cuda_plugin.so", "xla:/l/xla_cuda_plugin.so,tf32=false,preallocate"},
	} {
		got, err := Choice{Name: c.name, Library: c.library}.config()
		if err != nil || got != c.want {
			t.Errorf("%s with %s: got %q, %v; want %q", c.name, c.library, got, err, c.want)
		}
	}
	if _, err := (Choice{Name: "onnx:cpu", Library: "/a,b/lib.so"}).config(); err == nil {
		t.Error("a comma in the path: got no error; the engine would split the path")
	}
}

func TestOpenReportsWhatCannotBeOpened(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
	broken := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
	must.Do(t, os.WriteFile(broken, []byte("no library"), 0o644))
	type failure struct {
		choice Choice
		want   string
	}
	cases := []failure{
		{Choice{Name: "tpu"}, `"tpu" is not in this build`},
		{Choice{Name: ""}, `"" is not in this build`},
		{Choice{Name: "go:no_such_option"}, "no_such_option"},
	}
	f := newFinder("")
	if f.linked("onnx") {
		cases = append(cases, failure{Choice{Name: "onnx:no_such_device"}, "no_such_device"})
	}
	if f.linked("xla") {
		cases = append(cases, failure{Choice{Name: "xla:cpu", Library: missing}, missing},
			failure{Choice{Name: "xla:cpu", Library: broken}, broken})
	}
	for _, c := range cases {
		backend, err := Open(c.choice)
		if err == nil {
			backend.Finalize()
			t.Errorf("%+v: got a backend, want an error", c.choice)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %q, want it to name %q", c.choice, err, c.want)
		}
	}
}

func TestOpenTurnsAPanicIntoAnError(t *testing.T) {
	compute.Register("breaks", func(string) (compute.Backend, error) { panic("while loading") })
	if backend, err := Open(Choice{Name: "breaks"}); backend != nil || err == nil || !strings.Contains(err.Error(), "while loading") {
		t.Errorf("got %v, %v; want an error that says what broke", backend, err)
	}
}

func TestOpenKeepsTheUsersWordOnDownloads(t *testing.T) {
	for _, c := range []struct{ before, want string }{{"", "1"}, {"0", "0"}} {
		t.Setenv(noDownloadEnv, c.before)
		if c.before == "" {
			os.Unsetenv(noDownloadEnv)
		}
		open(t, Choice{Name: PureGo})
		if got := os.Getenv(noDownloadEnv); got != c.want {
			t.Errorf("$%s was %q: got %q, want %q", noDownloadEnv, c.before, got, c.want)
		}
	}
}

// open returns a backend that lives as long as the test.
func open(t *testing.T, c Choice) compute.Backend {
	t.Helper()
	backend := must.Get(Open(c))(t)
	t.Cleanup(backend.Finalize)
	return backend
}

// openONNX opens ONNX Runtime from the user's own store, or skips the test.
func openONNX(t *testing.T) compute.Backend {
	t.Helper()
	home := os.Getenv("VLPX_HOME")
	if home == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skip(err)
		}
		home = filepath.Join(cache, "vlpx")
	}
	choice, missing := newFinder(home).onnx()
	if choice.Name == "" {
		t.Skipf("no %s here: %s; %s", missing.Name, missing.Why, missing.Get)
	}
	return open(t, choice)
}

// crossEntropy is mean_i -log softmax(x w / 0.07)_ii and its gradient with respect to w: x [4, 3], w [3, 4].
func crossEntropy(x, w *Node) (loss, gradient *Node) {
	probabilities := Softmax(DivScalar(MatMul(x, w), 0.07), -1)
	diagonal := Diagonal(x.Graph(), 4)
	picked := ReduceSum(Where(diagonal, probabilities, ZerosLike(probabilities)), -1)
	loss = Neg(ReduceAllMean(Log(picked)))
	return loss, Gradient(loss, w)[0]
}

func evaluate(t *testing.T, backend compute.Backend) (loss float32, gradient [][]float32) {
	t.Helper()
	exec := must.Get(NewExec2(backend, crossEntropy))(t)
	defer exec.Finalize()
	x := [][]float32{{0.6, 0.8, 0}, {0, 0.6, 0.8}, {0.8, 0, 0.6}, {1, 0, 0}}
	w := [][]float32{{0.8, 0, 0.6, 0.9}, {0.6, 0.8, 0, 0.1}, {0, 0.6, 0.8, 0.4}}
	l, g := must.Get2(exec.Call2(x, w))(t)
	return l.Value().(float32), g.Value().([][]float32)
}

// lossInFloat64 is the same loss with loops, as the reference.
func lossInFloat64() float64 {
	x := [][]float64{{0.6, 0.8, 0}, {0, 0.6, 0.8}, {0.8, 0, 0.6}, {1, 0, 0}}
	w := [][]float64{{0.8, 0, 0.6, 0.9}, {0.6, 0.8, 0, 0.1}, {0, 0.6, 0.8, 0.4}}
	loss := 0.0
	for i := range x {
		sum, own := 0.0, 0.0
		for j := range 4 {
			s := 0.0
			for k := range 3 {
				s += x[i][k] * w[k][j]
			}
			sum += math.Exp(s / 0.07)
			if i == j {
				own = s / 0.07
			}
		}
		loss += (math.Log(sum) - own) / 4
	}
	return loss
}

func TestPureGoComputesTheLoss(t *testing.T) {
	loss, _ := evaluate(t, open(t, Choice{Name: PureGo}))
	if want := lossInFloat64(); math.Abs(float64(loss)-want) > 1e-5 {
		t.Errorf("got %v, want %v", loss, want)
	}
}

func TestEnginesAgree(t *testing.T) {
	onnx := openONNX(t)
	wantLoss, want := evaluate(t, open(t, Choice{Name: PureGo}))
	gotLoss, got := evaluate(t, onnx)
	if math.Abs(float64(gotLoss-wantLoss)) > 1e-5 {
		t.Errorf("loss: onnx got %v, go %v", gotLoss, wantLoss)
	}
	for i := range want {
		for j := range want[i] {
			if math.Abs(float64(got[i][j]-want[i][j])) > 1e-5 {
				t.Errorf("gradient[%d][%d]: onnx got %v, go %v", i, j, got[i][j], want[i][j])
			}
		}
	}
}

func TestSpeedIsPositiveOnEveryEngine(t *testing.T) {
	for name, backend := range map[string]func(*testing.T) compute.Backend{
		PureGo:     func(t *testing.T) compute.Backend { return open(t, Choice{Name: PureGo}) },
		onnxEngine: openONNX,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Speed(backend(t))
			if err != nil || !(got > 0) || math.IsInf(got, 1) {
				t.Errorf("got %v, %v; want a positive number", got, err)
			}
			t.Logf("%.1f GFLOP/s", got)
		})
	}
}
