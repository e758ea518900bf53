package enginetest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
)

// plugin is the source of a PJRT plugin that records programs.
//
//go:embed testdata/pjrt.c
var plugin string

// Recorder is XLA for CUDA as far as it is Go: graphs are built and lowered to StableHLO by go-xla, as on a GPU, and each program ends in a
// file. Nothing is compiled or run, so it tells nothing about numbers or speed, nor whether XLA itself would take a program.
type Recorder struct {
	compute.Backend
	folder string
}

// Record opens a Recorder until the test ends. Where this build is without XLA, or without a C compiler for its plugin, the test is
// skipped.
func Record(t testing.TB) *Recorder {
	t.Helper()
	return record(t, "")
}

// record is Record with options of the engine, such as ",tf32=false".
func record(t testing.TB, options string) *Recorder {
	t.Helper()
	if !slices.Contains(compute.List(), "xla") {
		t.Skip("this build is without XLA")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc to compile a plugin with; install gcc")
	}
	folder := t.TempDir()
	source, library := filepath.Join(folder, "pjrt.c"), filepath.Join(folder, "pjrt_c_api_cuda_plugin.so")
	must.Do(t, os.WriteFile(source, []byte(plugin), 0o600))
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	if err != nil {
		t.Fatalf("where go-xla has pjrt_c_api.h: %v", err)
	}
	headers := filepath.Join(strings.TrimSpace(string(module)), "pjrt")
	record := fmt.Sprintf("-DRECORD=%q", folder)
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-Wall", "-Werror", "-I", headers, record, "-o", library,
		source).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	t.Setenv("GOPJRT_CUDA_CHECKS", "0") // there are no libraries of CUDA to look for
	backend := must.Get(engine.Open(engine.Choice{Name: "xla:cuda" + options, Library: library}))(t)
	t.Cleanup(backend.Finalize)
	return &Recorder{backend, folder}
}

// Programs are the programs since the last call, in order.
func (r *Recorder) Programs(t testing.TB) []string {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(r.folder, "*.mlir")))(t)
	var all []string
	for _, file := range files { // in the order of their numbers
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}
