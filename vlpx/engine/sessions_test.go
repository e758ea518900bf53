package engine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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
	n := runtime.GOMAXPROCS(0)
	asMany := n > 1 && n == len(engine.Processors())
	kept, free := keptThreads(t)
	for begun := time.Now(); asMany && kept == 0 && time.Since(begun) < time.Minute; kept, free = keptThreads(t) {
		time.Sleep(time.Millisecond) // a thread that has just begun finds its core itself
	}
	if asMany != (kept > 0) || free == 0 {
		t.Errorf("%d threads keep to a core and %d do not; Go runs %d at once, the process has the cores %s", kept, free, n,
			cores(t, "/proc/self/status"))
	}
}

// keptThreads counts the threads of this process that keep to one core, and those that may use all that the process has.
func keptThreads(t *testing.T) (kept, free int) {
	t.Helper()
	process := cores(t, "/proc/self/status")
	threads := must.Get(filepath.Glob("/proc/self/task/*/status"))(t)
	for _, thread := range threads {
		switch list := cores(t, thread); {
		case list == "":
		case list == process:
			free++
		case strings.ContainsAny(list, "-,"):
			t.Errorf("a thread keeps to the cores %s, where the process has %s", list, process)
		default:
			kept++
		}
	}
	return kept, free
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
