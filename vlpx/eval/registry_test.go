package eval_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// TestEveryTaskIsRegisteredInItsFile: a type with the methods of a task is registered by the file that defines it.
func TestEveryTaskIsRegisteredInItsFile(t *testing.T) {
	registered := map[string]bool{}
	for _, e := range eval.Registered() {
		registered[fmt.Sprintf("%T", e.Task)] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	tasks := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text := must.Get(os.ReadFile(path))(t)
		file := must.Get(parser.ParseFile(token.NewFileSet(), path, text, 0))(t)
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Name.Name != "Measure" || f.Recv == nil {
				continue
			}
			tasks++
			name := f.Recv.List[0].Type.(*ast.Ident).Name
			if call := "Register("; !registered["eval."+name] || !strings.Contains(string(text), call) ||
				!strings.Contains(string(text), name+"{") {
				t.Errorf("%s: the task %s is not registered there", path, name)
			}
		}
	}
	if tasks != len(registered) {
		t.Errorf("%d tasks are registered, but %d defined", len(registered), tasks)
	}
}

// TestMetricsAreOfAllTasks: none is missing, each has a name of its own, and a heading and a meaning for readers.
func TestMetricsAreOfAllTasks(t *testing.T) {
	all, seen := eval.Metrics(), map[eval.Metric]bool{}
	for _, info := range all {
		if seen[info.Metric] {
			t.Errorf("two tasks measure %q", info.Metric)
		}
		seen[info.Metric] = true
		if info.Group == "" || info.Column == "" || info.What == "" {
			t.Errorf("%q has no heading or no meaning: %+v", info.Metric, info)
		}
	}
	for _, m := range []eval.Metric{eval.CIDEr, eval.WrittenAnswers, eval.ReasoningAccuracy, eval.AssignmentAccuracy,
		eval.ITMScore(eval.OwnPairs, 3)} {
		if info, known := eval.InfoOf(m); !known || info.Metric != m {
			t.Errorf("%q is no metric of any task", m)
		}
	}
	if all[0].Metric != eval.TR1 {
		t.Errorf("the first metric is %q, not retrieval's", all[0].Metric)
	}
}

// TestRegistered: the usual task comes first, then the others by their names, then those that the command does not name.
func TestRegistered(t *testing.T) {
	var names []string
	for _, e := range eval.Registered() {
		names = append(names, e.Name)
	}
	first := slices.Index(names, "")
	if names[0] != eval.Usual || !slices.IsSorted(names[1:first]) || strings.Join(names[first:], "") != "" {
		t.Errorf("got the order %q", names)
	}
}
