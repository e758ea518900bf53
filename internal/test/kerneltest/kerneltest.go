// Package kerneltest has what the tests share that execute cells: one installation of the kernel, and what an executed cell shows.
package kerneltest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
	"vlpx.internal/vlpx/engine"
)

// Skip skips the test for want of a program, unless $VLPX_REQUIRE, a list with commas, names what is wanted.
func Skip(t testing.TB, wanted, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), wanted) {
		t.Fatalf("VLPX_REQUIRE names %s, but %s", wanted, why)
	}
	t.Skip(why)
}

// Fast skips the test where training is slow.
func Fast(t testing.TB, wanted string) {
	t.Helper()
	if choice, _ := engine.Choose(engine.Cache()); choice.Slower != "" {
		Skip(t, wanted, "training is too slow on "+choice.Name+": "+choice.Slower)
	}
}

// Prefix is where the kernel is installed for the tests of this checkout, in the user's cache: building it takes a processor's minute, so
// packages share it, and later tests. It is brought up to date first.
func Prefix(t testing.TB) string {
	t.Helper()
	root := must.Get(exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}").Output())(t)
	prefix := filepath.Join(engine.Cache(), "kernels for tests", fmt.Sprintf("%x", sha256.Sum256(root))[:12])
	must.Do(t, os.MkdirAll(prefix, 0o755))
	lock := flock.New(filepath.Join(prefix, "lock"))
	must.Do(t, lock.Lock())
	defer lock.Unlock()
	must.Do(t, kernels.Install(t.Context(), prefix, t.Output()))
	return prefix
}

// Execute runs a notebook of these cells that lies outside of the checkout, and returns the executed cells.
func Execute(t testing.TB, prefix string, cells ...kernels.Cell) ([]Cell, error) {
	t.Helper()
	encoded := must.Get(kernels.Notebook{Cells: cells}.Encode())(t)
	dir := t.TempDir()
	notebook, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	must.Do(t, os.WriteFile(notebook, encoded, 0o644))
	failed := kernels.Execute(t.Context(), prefix, notebook, out)
	return Read(t, out), failed
}

// Cell is what the tests read of an executed cell.
type Cell struct {
	Source  []string
	Outputs []struct {
		Text []string
		Data map[string]any
	}
}

// Read returns the cells of an executed notebook.
func Read(t testing.TB, path string) []Cell {
	t.Helper()
	encoded := must.Get(os.ReadFile(path))(t)
	var notebook struct{ Cells []Cell }
	must.Do(t, json.Unmarshal(encoded, &notebook))
	return notebook.Cells
}

// Text is what the cell wrote.
func (c Cell) Text() string {
	var all string
	for _, output := range c.Outputs {
		all += strings.Join(output.Text, "")
	}
	return all
}

// HTML is what the cell displayed as a page.
func (c Cell) HTML() string {
	var all string
	for _, output := range c.Outputs {
		if page, found := output.Data["text/html"]; found {
			all += fmt.Sprint(page)
		}
	}
	return all
}

// Figures counts the PNGs that the cell displayed.
func (c Cell) Figures() int {
	n := 0
	for _, output := range c.Outputs {
		if _, found := output.Data["image/png"]; found {
			n++
		}
	}
	return n
}
