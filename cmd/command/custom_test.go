package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// ownProgram is a program as docs/EXTENDING.md has it.
const ownProgram = `package main

import (
	"context"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

type Mine struct{ Weight float64 }

func (c Mine) ITC(f negative.Features) negative.Contrasted {
	return negative.Consistency{Weight: c.Weight}.ITC(f)
}

type Sure struct{}

func (Sure) ITC(f negative.Features) negative.Contrasted { return negative.InfoNCE{}.ITC(f) }

type Answer struct{}

func (Answer) Metrics() []eval.Info { return []eval.Info{{Metric: "answer", What: "to everything"}} }

func (Answer) Check(framework.Framework, datasets.Set) error { return nil }

func (Answer) Measure(context.Context, eval.Subject) (eval.Measured, error) {
	return eval.Measured{Metrics: eval.Result{"answer": 42}}, nil
}


func main() {
	clip, err := scale.FindKind("CLIP")
	if err != nil {
		panic(err)
	}
	pair := plan.Framework{Kind: scale.Kind{Name: "Pair", What: "CLIP by another name", Preset: clip.Preset, At: clip.At, Build: clip.Build}}
	vlpx.Main(negative.Method{Name: "Mine", Contrast: Mine{Weight: .5}, Batches: negative.Grouped{}}, Sure{}, Answer{}, pair)
}
`

// A program outside of the module, with one line in its go.mod, has all commands with its methods, parts, tasks and frameworks by name.
func TestProgramOfOnesOwn(t *testing.T) {
	dir, checkout := t.TempDir(), must.Get(filepath.Abs("../.."))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(ownProgram), 0o644))
	for _, args := range [][]string{
		{"mod", "init", "mine"}, {"mod", "edit", "-replace", "vlpx.internal=" + checkout},
		{"build", "-mod=mod", "-ldflags=-s", "-o", "mine", "."},
	} {
		c := exec.Command("go", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	built.Do(build)
	defer func(vlpx string) { program = vlpx }(program)
	program = filepath.Join(dir, "mine")
	for _, call := range []struct {
		args []string
		says string
	}{
		{[]string{"show", "methods"}, "main.Mine"},
		{[]string{"show", "frameworks"}, "CLIP by another name"},
		{[]string{"show", "tasks"}, "to everything"},
		{shortest("compare", "Mine", "GRIT-VLP, contrast=Mine, weight=.1", "Mine, contrast=sure"), "Mine, contrast=Sure"},
		{shortest("train", "InfoNCE", "-framework", "pair"), "InfoNCE"},
		{shortest("eval", "Mine", "-task", "answer"), "42"},
		{append(shortest("reproduce", "falcon/table1", "-without", "NLVR2,VQA"), "-methods", "Mine"), "Mine"},
		{append(shortest("sweep", "falcon/table1", "-without", "NLVR2,VQA"), "-jobs", "1", "-methods", "InfoNCE,Mine"), "Mine"},
	} {
		if out, _ := succeed(t, dir, call.args...); !strings.Contains(out, call.says) {
			t.Errorf("mine %s does not say %q: %s", strings.Join(call.args, " "), call.says, out)
		}
	}
	if _, errs, status := executed(t, dir, "compare", "Mien"); status != 1 ||
		!strings.HasPrefix(errs, `mine: no method "Mien"; did you mean "Mine"?`) {
		t.Errorf("status %d: %s", status, errs)
	}
}
