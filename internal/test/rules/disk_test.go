package rules

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// writes are functions of package os that change files.
var writes = []string{"Chmod", "Chtimes", "Create", "CreateTemp", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "Remove",
	"RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile"}

// undisturbed are the files that change others by package os, by none of package disk's ways, with the reason why nothing is lost.
var undisturbed = map[string]string{
	"cmd/bench/apart.go":         "a setting of the kernel's",
	"cmd/bench/entrant.go":       "a temporary folder",
	"cmd/bench/export.go":        "a temporary folder, which PyTorch's twin reads",
	"cmd/bench/ops.go":           "a temporary folder",
	"cmd/bench/race.go":          "a temporary folder",
	"cmd/command/doctor.go":      "an empty file, to see whether there can be one",
	"datasets/content/digest.go": "a cache, whole by renameio, below package disk: without it files are read again",
	"datasets/content/open.go":   "opens for reading",
	"kernels/execute.go":         "a temporary folder, and an empty file, to see whether there can be one",
	"kernels/html.go":            "a temporary folder",
	"kernels/install.go":         "a temporary folder",
	"kernels/patch.go":           "sources in a folder that is removed once they are built",
	"kernels/proxy/run.go":       "a temporary folder",
	"kernels/uninstall.go":       "removes what there is",
	"vlpx/run/memory.go":         "a setting of the kernel's",
	"vlpx/train/probe.go":        "a temporary folder",
}

// Files are written by package disk, so that they are whole or not at all where that matters, and faults reach them in tests.
func TestDisk(t *testing.T) {
	found := map[string]bool{}
	for _, f := range files(t) {
		if f.in("vlpx/disk", "internal/test") {
			continue
		}
		var by []string
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := sel.X.(*ast.Ident); ok && of.Name == "os" && slices.Contains(writes, sel.Sel.Name) {
					by = append(by, "os."+sel.Sel.Name)
				}
			}
			return true
		})
		for _, i := range f.syntax.Imports {
			if strings.Contains(i.Path.Value, "renameio") {
				by = append(by, "renameio")
			}
		}
		if len(by) == 0 {
			continue
		}
		found[f.path] = true
		if undisturbed[f.path] == "" {
			t.Errorf("%s calls %s: call package disk, or say in this test why nothing is lost", f.path, strings.Join(by, ", "))
		}
	}
	for path := range undisturbed {
		if !found[path] {
			t.Errorf("%s changes no files any more: take it from this test", path)
		}
	}
}
