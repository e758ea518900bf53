// Package enginetest opens engines for tests.
package enginetest

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
)

// Compiled are the engines besides pure Go, as $GOMLX_BACKEND spells them.
var Compiled = []string{"onnx:cpu", "xla:cpu", "xla:cuda"}

// Open opens an engine until the test ends. Where it is missing the test is skipped with the reason, or fails if $VLPX_REQUIRE, a list
// with commas, names it, as in "onnx".
func Open(t testing.TB, name string) compute.Backend {
	t.Helper()
	kind, _, _ := strings.Cut(name, ":")
	wish := name
	if name == "xla:cuda" {
		wish += ",tf32=false" // by which products in float32 have 10 bits
	}
	t.Setenv(compute.ConfigEnvVar, wish)
	choice, missing := engine.Choose(engine.Cache())
	why := ""
	if i := slices.IndexFunc(missing, func(m engine.Missing) bool { return m.Name == name }); i >= 0 {
		why = missing[i].Why + "; " + missing[i].Get
	} else if !slices.Contains(compute.List(), kind) {
		why = "this build is without it"
	}
	if why != "" && slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), kind) {
		t.Fatalf("VLPX_REQUIRE names %s, but %s", kind, why)
	}
	if why != "" {
		t.Skipf("%s: %s", name, why)
	}
	backend := must.Get(engine.Open(choice))(t)
	t.Cleanup(backend.Finalize)
	return backend
}

// PureGo opens GoMLX's own engine, one operation at a time, until the test ends.
func PureGo(t testing.TB) compute.Backend {
	t.Helper()
	backend := must.Get(gobackend.New("ops_sequential"))(t)
	t.Cleanup(backend.Finalize)
	return backend
}
