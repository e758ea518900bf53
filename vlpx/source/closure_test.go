package source

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"vlpx.internal/internal/test/must"
)

// cell is a program as a notebook makes one of its cells.
const cell = `package main

import (
	"regexp"

	. "github.com/gomlx/gomlx/core/graph"

	"mylab/helpers"
	"vlpx.internal/vlpx"
	"vlpx.internal/vlpx/negative"
)

// Filter leaves out likely false negatives.
type Filter struct{ Margin float64 }

func (f Filter) ITC(in negative.Features) negative.Contrasted {
	limit := bound(in, f.Margin)
	return negative.Contrasted{Loss: Add(limit, weights[one])}
}

func bound(in negative.Features, margin float64) *Node { return MulScalar(in.Image, margin*slope+shift()) }

const (
	zero = iota
	one
)

const slope = 2.5

const far = 100.0

var weights = []float64{1, 2, 3}

var words = regexp.MustCompile("[a-z]+")

func shift() float64 { return helpers.Shift() }

type Pivot struct{ Filter }

func (p Pivot) Start(run negative.Start) (negative.Sampler, error) { return p.order(run, words.String()) }

func (p *Pivot) order(run negative.Start, by string) (negative.Sampler, error) { return nil, nil }

type Other struct{}

func (Other) Start(run negative.Start) (negative.Sampler, error) { return unrelated(far) }

func unrelated(x float64) (negative.Sampler, error) { return nil, nil }

func main() {
	vlpx.Run("Filter", shift())
}
`

// helping is a package of the same module.
const helping = `package helpers

func Shift() float64 { return step }

func Unused() float64 { return 1 }

const step = .5
`

// lab is a program of two packages in a folder.
func lab(t *testing.T, main, helpers string) (*program, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module mylab\n", "main.go": main, "helpers/helpers.go": helpers} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	deps := []*debug.Module{{Path: "github.com/gomlx/gomlx", Version: "v0.28.8", Sum: "h1:a"}, {Path: "vlpx.internal", Version: "(devel)"}}
	return &program{
		modules: modules{"mylab", deps}, packages: map[string]*parsed{},
		built: func() (time.Time, error) { return time.Now().Add(time.Hour), nil },
	}, dir
}

// sum is what a type of the program is identified by.
func sum(t *testing.T, typeName, main, helpers string) (string, error) {
	t.Helper()
	p, dir := lab(t, main, helpers)
	of, err := p.folder(dir, filepath.Join(dir, "main.go"))
	if err != nil {
		return "", err
	}
	return p.closureOf(of, typeName)
}

// A type is identified by the declarations that it reaches, of its own package and of others of its module: changed ones make it another,
// comments, layout and other declarations do not.
func TestSourceOfAType(t *testing.T) {
	want := map[string]string{}
	for _, of := range []string{"Filter", "Pivot", "Other"} {
		got, err := sum(t, of, cell, helping)
		if err != nil || len(got) != 64 {
			t.Fatalf("%s: got %q, %v", of, got, err)
		}
		want[of] = got
	}
	if want["Filter"] == want["Pivot"] || want["Pivot"] == want["Other"] {
		t.Errorf("types share an identity: %v", want)
	}
	for name, c := range map[string]struct {
		old, new string
		changed  string // the types that it changes
	}{
		"a comment":           {"// Filter leaves out", "// Filter drops", ""},
		"a comment inside":    {"	limit := bound", "	// first\n	limit := bound", ""},
		"the layout":          {"bound(in, f.Margin)", "bound(\n\t\tin,\n\t\tf.Margin,\n\t)", ""},
		"lines for one":       {"{ return 1 }", "{\n\treturn 1\n}", ""},
		"a type":              {"struct{ Margin float64 }", "struct{ Margin, Slack float64 }", "Filter Pivot"},
		"a method":            {"f.Margin)", "2*f.Margin)", "Filter Pivot"},
		"the name of a local": {"limit", "most", "Filter Pivot"},
		"a function":          {"margin*slope", "margin+slope", "Filter Pivot"},
		"a constant":          {"slope = 2.5", "slope = 2.6", "Filter Pivot"},
		"a counted constant":  {"zero = iota", "zero = iota + 1", "Filter Pivot"},
		"a variable":          {"{1, 2, 3}", "{1, 2, 4}", "Filter Pivot"},
		"another package":     {"step = .5", "step = .6", "Filter Pivot"},
		"another's other":     {"return 1", "return 2", ""},
		"a pointer's method":  {"return nil, nil }\n\ntype Other", "return nil, error(nil) }\n\ntype Other", "Pivot"},
		"a pattern":           {"[a-z]+", "[A-Z]+", "Pivot"},
		"main":                {`vlpx.Run("Filter", shift())`, `vlpx.Run("Filter", vlpx.Options{Seeds: []uint64{3}})`, ""},
		"an unrelated function": {"func unrelated(x float64) (negative.Sampler, error) { return nil, nil }", "func unrelated(x float64) " +
			"(negative.Sampler, error) { panic(x) }", "Other"},
		"an unrelated constant": {"far = 100.0", "far = 10.0", "Other"},
		"a shadowed name":       {"	vlpx.Run", "	slope := 3\n	slope++\n	vlpx.Run", ""},
		"an init of others":     {"func main()", "func init() { println(far) }\n\nfunc main()", ""},
		"an init of its own":    {"func main()", "func init() { weights[1] = far }\n\nfunc main()", "Filter Pivot"},
		"its own use":           {"	limit := bound", "	change(weights)\n	limit := bound", "Filter Pivot"},
		"an import besides":     {"\t\"vlpx.internal/vlpx\"\n", "\t\"vlpx.internal/vlpx\"\n\t_ \"strings\"\n", ""},
	} {
		main, helpers := strings.ReplaceAll(cell, c.old, c.new), strings.ReplaceAll(helping, c.old, c.new)
		if main == cell && helpers == helping {
			t.Fatalf("%s changes nothing", name)
		}
		for of, before := range want {
			got, err := sum(t, of, main, helpers)
			if err != nil {
				t.Errorf("%s: %s: %v", name, of, err)
			} else if changed := got != before; changed != strings.Contains(c.changed, of) {
				t.Errorf("%s: %s changed: %v", name, of, changed)
			}
		}
	}
	p, dir := lab(t, cell, helping)
	p.modules.deps[0].Version = "v0.29.0"
	of := must.Get(p.folder(dir, filepath.Join(dir, "main.go")))(t)
	for name, before := range want {
		if got, err := p.closureOf(of, name); err != nil || got == before {
			t.Errorf("another version of a module: %s is %s (%v), was %s", name, got, err, before)
		}
	}
}

// What the declarations do not tell is an error that says which and why.
func TestSourceThatCannotBeToldApart(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"assigned": {"	vlpx.Run", "	weights = nil\n	vlpx.Run", "the variable weights, which main may change; make it " +
			"a constant"},
		"an element": {"	vlpx.Run", "	weights[2] = 5\n	vlpx.Run", "which main may change"},
		"counted":    {"	vlpx.Run", "	weights[2]++\n	vlpx.Run", "which main may change"},
		"handed out": {"	vlpx.Run", "	change(weights)\n	vlpx.Run", "which main may change"},
		"pointed at": {"	vlpx.Run", "	at := &weights[0]\n	*at = 3\n	vlpx.Run", "which main may change"},
		"of a range": {"	vlpx.Run", "	for _, weights[0] = range []float64{1} {\n	}\n	vlpx.Run",
			"which main may change"},
		"counted by itself": {"	limit := bound", "	weights[0]++\n	limit := bound", "which Filter.ITC may change"},
		"read in main":      {"	vlpx.Run", "	println(weights[0])\n	vlpx.Run", "which main may change"},
		"called beside":     {"func shift() float64 {", "func shift() float64 {\n	weights[0] = 2;", "which shift may change"},
		"without a body": {"func shift() float64 { return helpers.Shift() }", "func shift() float64", "it calls shift, which is not " +
			"written in Go"},
		"embedded": {"var weights = []float64{1, 2, 3}", "//go:embed weights\nvar weights []float64", "it uses weights, which " +
			"has what the source does not show (//go:embed)"},
		"C": {"return helpers.Shift()", "return float64(C.shift())", "it calls C"},
		"a module's folder": {"return helpers.Shift()", "return nearby.Shift()", "it uses example.com/nearby, of another module, which " +
			"has no version here"},
		"a variable of all":   {"return step }", "return Step }\n\nvar Step = 1.0", "the variable Step, which other packages may change"},
		"without its package": {"mylab/helpers", "mylab/gone/helpers", "its source cannot be read"},
		"source with a hole":  {"func main() {", "func main() {{", "its source cannot be read"},
	} {
		main, helpers := strings.Replace(cell, c.old, c.new, 1), strings.Replace(helping, c.old, c.new, 1)
		if main == cell && helpers == helping {
			t.Fatalf("%s changes nothing", name)
		}
		main = strings.Replace(main, "import (", "import (\n\t\"C\"\n\t\"example.com/nearby\"", 1)
		p, dir := lab(t, main, helpers)
		p.modules.deps = append(p.modules.deps, &debug.Module{Path: "example.com/nearby", Version: "v0.0.0",
			Replace: &debug.Module{Path: "../nearby"}})
		of, err := p.folder(dir, filepath.Join(dir, "main.go"))
		if err == nil {
			_, err = p.closureOf(of, "Filter")
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	p, dir := lab(t, cell, helping)
	p.built = func() (time.Time, error) { return time.Now().Add(-time.Hour), nil }
	must.Fail(t, must.Err(p.folder(dir, filepath.Join(dir, "main.go"))), "main.go has changed since "+
		"the program was built", "an edited file")
}

// Tokens of a text are the same however it is laid out.
func FuzzTokens(f *testing.F) {
	f.Add([]byte(cell))
	f.Add([]byte("f(a,\n)"))
	f.Fuzz(func(t *testing.T, source []byte) {
		marked := bytes.HasPrefix(source, []byte("\ufeff")) || !utf8.Valid(source) // as another encoding, which the parser refuses
		if moved := append([]byte("\n\t "), source...); tokens(moved) != tokens(source) && !marked {
			t.Errorf("space before %q changes its tokens", source)
		}
	})
}
