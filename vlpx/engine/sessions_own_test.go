//go:build (linux || darwin) && cgo && (amd64 || arm64)

package engine_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
)

// inOwnProcess is set in the process that TestONNXKeepsItsOwnSettings starts: a process sets its sessions once.
const inOwnProcess = "VLPX_TEST_OWN_SETTINGS"

// Where the library's table of functions cannot be changed, graphs run with the library's own settings, and the reason is told.
func TestONNXKeepsItsOwnSettings(t *testing.T) {
	if os.Getenv(inOwnProcess) == "" {
		enginetest.Open(t, "onnx:cpu") // skips where there is none
		again := exec.Command(os.Args[0], "-test.run", "^TestONNXKeepsItsOwnSettings$", "-test.v")
		again.Env = append(os.Environ(), inOwnProcess+"=1")
		if text, err := again.CombinedOutput(); err != nil || !strings.Contains(string(text), "--- PASS: TestONNXKeepsItsOwnSettings") {
			t.Fatalf("%v\n%s", err, text)
		}
		return
	}
	engine.LockTable()
	backend := enginetest.Open(t, "onnx:cpu")
	choice, _ := engine.Choose(engine.Cache())
	must.Fail(t, choice.SetSessions(), "table of functions cannot be changed")
	sum := must.Get(graph.NewExec1(backend, func(a, b *graph.Node) *graph.Node { return graph.ReduceAllSum(graph.Exp(graph.Mul(a, b))) }))(
		t)
	defer sum.Finalize()
	got, err := sum.Call1([]float32{0, 0}, []float32{1, 2})
	if err != nil || got.Value().(float32) != 2 {
		t.Errorf("got %v and %v, want 2", got, err)
	}
}
