package engine_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/engine/fusion"
)

// timed is an event of an operation, and ran that of a run.
func timed(name string, index, microseconds int) string {
	return fmt.Sprintf(`{"cat":"Node","dur":%d,"ts":1,"name":"%s_kernel_time","args":{"op_name":"Add","node_index":"%d",`+
		`"input_type_shape":[{"float":[2,3]},{"int64":[]}],"output_type_shape":[{"float":[2,3]}],"thread_scheduling_stats":{"main":{}}}}`,
		microseconds, name, index)
}

func ran(microseconds int) string {
	return fmt.Sprintf(`{"cat":"Session","dur":%d,"name":"model_run","args":{}}`, microseconds)
}

func TestReadProfile(t *testing.T) {
	events := []string{`{"cat":"Session","dur":9,"name":"session_initialization","args":{}}`, timed("b", 7, 20), timed("a", 2, 3), ran(30),
		timed("b", 7, 22), timed("a", 2, 0), ran(31)}
	got := must.Get(engine.ReadProfile(strings.NewReader("[\n" + strings.Join(events, ",\n") + "\n]\n")))(t)
	inputs, outputs := []engine.ProfiledTensor{{Type: "float", Dims: []int{2, 3}}, {Type: "int64", Dims: []int{}}},
		[]engine.ProfiledTensor{{Type: "float", Dims: []int{2, 3}}}
	want := engine.Profile{Runs: []float64{30e-6, 31e-6}, Operations: []engine.ProfiledOperation{
		{Name: "a", Type: "Add", Inputs: inputs, Outputs: outputs, Seconds: []float64{3.5e-6, .5e-6}},
		{Name: "b", Type: "Add", Inputs: inputs, Outputs: outputs, Seconds: []float64{20.5e-6, 22.5e-6}},
	}}
	for _, times := range [][]float64{got.Runs, got.Operations[0].Seconds, got.Operations[1].Seconds} {
		for k, x := range times {
			times[k] = math.Round(1e7*x) / 1e7
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if n := got.Operations[0].Inputs[0].Size(); n != 6 {
		t.Errorf("got %d values of a tensor of 2x3", n)
	}
}

func TestReadProfileMistakes(t *testing.T) {
	list := func(events ...string) string { return "[" + strings.Join(events, ",") + "]" }
	for _, c := range []struct{ text, want string }{
		{"", "released first"},
		{"[", "released first"},
		{"[" + timed("a", 0, 1) + ",", "event 1: it ends before its end"},
		{"{}", "no list of events"},
		{list(`{"dur":"x"}`), "event 0"},
		{list(timed("a", 0, -1)), "took -1 microseconds"},
		{list(timed("a", -1, 1)), `"a" has the place "-1"`},
		{list(timed("a", 1<<17, 1)), "below 131072"},
		{list(timed("a", 0, 1), timed("b", 0, 1)), `operation 0 is "b" of type "Add", and was "a"`},
		{list(timed("a", 0, 1), ran(1), ran(1)), `"a" was timed 1 times in 2 runs`},
		{list(timed("a", 0, 1), ran(1), timed("a", 0, 1)), `"a" was timed 2 times in 1 runs`},
		{list(strings.Replace(timed("a", 0, 1), "[2,3]", "[2,-3]", 1)), "dimensions [2 -3]"},
		{list(strings.Replace(timed("a", 0, 1), "[2,3]", "[1099511627776,9]", 1)), "dimensions [1099511627776 9]"},
		{list(strings.Replace(timed("a", 0, 1), `{"float"`, `{"bool":[],"float"`, 1)), "a tensor of 2 types"},
		{list(ran(1)), "no run with operations"},
	} {
		must.Fail(t, must.Err(engine.ReadProfile(strings.NewReader(c.text))), c.want, "%s", c.text)
	}
	must.Fail(t, must.Err(engine.LongestProfile(t.TempDir())), "has written a profile")
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "x.json"), []byte("["), 0o644))
	must.Fail(t, must.Err(engine.LongestProfile(dir)), filepath.Join(dir, "x.json"))
}

// Whatever a profile has, it is read or refused, and what was read has a time of each operation in each run.
func FuzzReadProfile(f *testing.F) {
	f.Add("[" + timed("a", 0, 1) + "," + ran(2) + "]")
	f.Add("[" + timed("a", 0, 1) + ",")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := engine.ReadProfile(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, o := range p.Operations {
			if len(o.Seconds) != len(p.Runs) {
				t.Errorf("%q was timed %d times in %d runs", o.Name, len(o.Seconds), len(p.Runs))
			}
			for _, x := range o.Inputs {
				if x.Size() < 0 {
					t.Errorf("%q reads a tensor of %d values", o.Name, x.Size())
				}
			}
		}
	})
}

// A session that begins while sessions are profiled tells what it did, and one that begins later tells nothing.
func TestProfileSessions(t *testing.T) {
	backend, dir := enginetest.Open(t, "onnx:cpu"), t.TempDir()
	run := func() {
		exec := must.Get(graph.NewExec(backend, func(x, w *graph.Node) []*graph.Node {
			y := graph.MatMul(x, w)
			centred := graph.Sub(y, graph.ReduceAndKeep(y, graph.ReduceMean, -1))
			variance := graph.ReduceAndKeep(graph.Square(centred), graph.ReduceMean, -1)
			return []*graph.Node{graph.Div(centred, graph.AddScalar(graph.Sqrt(variance), 1))}
		}))(t)
		defer exec.Finalize()
		for range 3 {
			for _, x := range must.Get(exec.Call([][]float32{{1, 2}, {3, 4}, {5, 6}}, [][]float32{{1, 2, 3}, {4, 5, 6}}))(t) {
				x.FinalizeAll()
			}
		}
	}
	end := must.Get(engine.ProfileSessions(backend, dir))(t)
	run()
	end()
	run()
	if files := must.Get(os.ReadDir(dir))(t); len(files) != 1 {
		t.Errorf("got %d profiles, want one: %v", len(files), files)
	}
	p := must.Get(engine.LongestProfile(dir))(t)
	works := map[fusion.Work]int{}
	for _, o := range p.Operations {
		work, _ := fusion.Named(o.Name)
		works[work]++
	}
	if len(p.Runs) != 3 || works[fusion.Products] != 1 || works[fusion.Normalisation] == 0 || works[fusion.Rest] != 0 {
		t.Errorf("got %d runs of operations by works %v; want 3, of a product and a normalisation", len(p.Runs), works)
	}
}

func TestProfileSessionsOfOtherEngines(t *testing.T) {
	backend := enginetest.Open(t, "go:ops_sequential")
	must.Fail(t, must.Err(engine.ProfileSessions(backend, t.TempDir())), compute.ConfigEnvVar+"=onnx:cpu")
}
