package engine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
)

// ONNX Runtime's threads keep to a core each of those that the process was given, where they are as many, and else to none. Go's are free.
func TestONNXThreadsKeepToCores(t *testing.T) {
	sum := must.Get(graph.NewExec1(enginetest.Open(t, "onnx:cpu"), func(a *graph.Node) *graph.Node { return graph.ReduceAllSum(a) }))(t)
	defer sum.Finalize()
	must.Get(sum.Call1([]float32{1, 2}))(t)
	process := cores(t, "/proc/self/status")
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads in /proc/self/task: %v", err)
	}
	kept := 0
	for _, thread := range threads {
		switch list := cores(t, thread); {
		case list == process || list == "":
		case strings.ContainsAny(list, "-,"):
			t.Errorf("a thread keeps to the cores %s, where the process has %s", list, process)
		default:
			kept++
		}
	}
	n := runtime.GOMAXPROCS(0)
	if asMany := n > 1 && n == len(engine.Processors()); asMany != (kept > 0) || kept == len(threads) {
		t.Errorf("%d of %d threads keep to a core; Go runs %d at once, the process has the cores %s", kept, len(threads), n, process)
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
