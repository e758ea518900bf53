package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// ONNX Runtime's threads take the cores that the process was given. By itself it binds each to one of the machine's.
func TestONNXThreadsAreNotBound(t *testing.T) {
	sum := must.Get(graph.NewExec1(enginetest.Open(t, "onnx:cpu"), func(a *graph.Node) *graph.Node { return graph.ReduceAllSum(a) }))(t)
	defer sum.Finalize()
	must.Get(sum.Call1([]float32{1, 2}))(t)
	process := cores(t, "/proc/self/status")
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads in /proc/self/task: %v", err)
	}
	for _, thread := range threads {
		if bound := cores(t, thread); bound != process && bound != "" {
			t.Errorf("a thread is bound to the cores %s, where the process has %s", bound, process)
		}
	}
}

// cores reads those which a process or a thread may use, "" where it has ended meanwhile.
func cores(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if list, found := strings.CutPrefix(line, "Cpus_allowed_list:"); found {
			return strings.TrimSpace(list)
		}
	}
	t.Fatalf("%s does not tell the cores", path)
	return ""
}
