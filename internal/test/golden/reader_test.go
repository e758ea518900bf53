package golden_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
)

// small has every encoding the format knows.
const small = `{
	"name": "small", "source": {"repo": "paper", "how": "by hand"}, "seed": 7, "variant": "a", "tolerance": 1e-10,
	"params": {"tau": 0.07, "n": 3, "whole": 4.0, "flag": true, "scheme": "cosine", "none": null, "negatives": [2, 0, 1],
	           "ragged": [[1, 2], [3]], "big": 9007199254740993},
	"inputs": {"x": {"shape": [2, 3], "dtype": "float64", "data": [[1.5, 2, 3], [4, 5, 6]]},
	           "mask": {"shape": [3], "dtype": "float64", "data": [0.0, 1.0, 1.0]},
	           "empty": {"shape": [0, 5], "dtype": "float64", "data": []},
	           "short": {"shape": [3], "dtype": "float64", "data": [1, 2]}},
	"expected": {"loss": {"shape": [], "dtype": "float64", "data": -0.25},
	             "steps": [{"u": [1, 2]}, {"u": [[3, 4], [5, 6]]}]}
}`

func parse(t *testing.T, text string) golden.Case {
	t.Helper()
	c := must.Get(golden.Parse("small.json", strings.NewReader(text)))(t)
	return c
}

func TestAccessors(t *testing.T) {
	c := parse(t, small)
	if c.Name != "small" || c.Seed != 7 || c.Variant != "a" || c.Tolerance != 1e-10 || c.Source.How != "by hand" {
		t.Errorf("got head %+v", c)
	}
	for _, v := range []struct {
		got, want any
	}{
		{c.Float("params", "tau"), 0.07},
		{c.Float("expected", "loss"), -0.25},
		{c.Float("params", "flag"), 1.0},
		{c.Int("params", "n"), 3},
		{c.Int("params", "whole"), 4},
		{c.Bool("params", "flag"), true},
		{c.Text("params", "scheme"), "cosine"},
		{c.Len("expected", "steps"), 2},
		{c.Ints("params", "negatives"), []int{2, 0, 1}},
		{c.Ints("inputs", "mask"), []int{0, 1, 1}},
		{c.Ints("params", "big"), []int{9007199254740993}},
		{c.Matrix("inputs", "x"), [][]float64{{1.5, 2, 3}, {4, 5, 6}}},
		{c.Matrix("expected", "steps", "1", "u"), [][]float64{{3, 4}, {5, 6}}},
		{c.Tensor("expected", "steps", "0", "u"), golden.Tensor{Shape: []int{2}, Float: []float64{1, 2}, Int: []int64{1, 2}}},
		{c.Tensor("inputs", "empty").Shape, []int{0, 5}},
		{c.Tensor("inputs", "x").Int, []int64(nil)},
		{c.Keys("inputs"), []string{"empty", "mask", "short", "x"}},
		{c.Has("params", "none"), false},
		{c.Has("params", "tau"), true},
		{c.Has("params", "tau", "deeper"), false},
	} {
		if got, want := fmt.Sprintf("%#v", v.got), fmt.Sprintf("%#v", v.want); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

func TestErrNamesFileAndPath(t *testing.T) {
	for _, v := range []struct {
		read func(c golden.Case)
		want string
	}{
		{func(c golden.Case) { c.Float("params", "sigma") }, `golden: small.json: params.sigma: params has no "sigma"`},
		{func(c golden.Case) { c.Float("params", "scheme") }, "golden: small.json: params.scheme: holds a string where a number belongs"},
		{func(c golden.Case) { c.Float("inputs", "x") }, "golden: small.json: inputs.x: is a tensor of shape [2 3], want one number"},
		{func(c golden.Case) { c.Int("params", "tau") }, "golden: small.json: params.tau: is 0.07, want a whole number"},
		{func(c golden.Case) { c.Ints("inputs", "x") }, "golden: small.json: inputs.x: holds fractions, want whole numbers"},
		{func(c golden.Case) { c.Matrix("inputs", "mask") }, "golden: small.json: inputs.mask: has shape [3], want a matrix"},
		{func(c golden.Case) { c.Tensor("inputs", "short") }, "golden: small.json: inputs.short: does not fill shape [3]: a list of 2 " +
			"where 3 belong"},
		{func(c golden.Case) { c.Tensor("params", "ragged") }, "golden: small.json: params.ragged: does not fill shape [2 2]: a list of " +
			"1 where 2 belong"},
		{func(c golden.Case) { c.Tensor("params") },
			`golden: small.json: params: is an object without "data", want a tensor, a list or a number`},
		{func(c golden.Case) { c.Tensor("expected", "steps", "2") },
			`golden: small.json: expected.steps.2: expected.steps is a list of 2, it has no element "2"`},
		{func(c golden.Case) { c.Len("params", "tau") }, "golden: small.json: params.tau: is a number, want a list"},
		{func(c golden.Case) { c.Text("params", "none") }, "golden: small.json: params.none: is null, want a string"},
		{func(c golden.Case) { c.Keys("params", "negatives") }, "golden: small.json: params.negatives: is a list, want an object"},
	} {
		c := parse(t, small)
		v.read(c)
		c.Float("nothing", "here")
		if err := c.Err(); err == nil || err.Error() != v.want {
			t.Errorf("got  %v\nwant %s", err, v.want)
		}
	}
}

func TestParseRejects(t *testing.T) {
	for text, want := range map[string]string{
		``:                              "unexpected end of JSON input",
		`{"name": "x"`:                  "unexpected end of JSON input",
		`{"tolerance": 1}`:              `no "name"`,
		`{"name": "x"}`:                 `no positive "tolerance"`,
		`{"name": "x", "tolerance": 0}`: `no positive "tolerance"`,
		`[1]`:                           "cannot unmarshal array",
	} {
		_, err := golden.Parse("f.json", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "golden: f.json: ") {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestCasesEmbedded(t *testing.T) {
	t.Setenv(golden.Env, "")
	cases := must.Get(golden.Cases())(t)
	if got, want := len(cases), 60+22; got != want {
		t.Errorf("got %d shipped cases, want %d", got, want)
	}
	for _, c := range cases {
		if c.Title() != c.Name {
			t.Errorf("%s: is case %s, want %s", c.File, c.Name, c.Title())
		}
		for _, top := range []string{"params", "inputs", "expected"} {
			if !c.Has(top) {
				t.Errorf("%s has no %s", c.File, top)
			}
		}
	}
}

func TestCasesFromDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(golden.Env, dir)
	must.Fail(t, must.Err(golden.Cases()), "no .json file here", "empty directory")
	for name, text := range map[string]string{"b.json": small, "a.json": small, "FORMAT.md": "not read"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cases := must.Get(golden.Cases())(t)
	var files []string
	for _, c := range cases {
		files = append(files, c.File)
	}
	if want := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")}; !slices.Equal(files, want) {
		t.Errorf("got %v, want %v", files, want)
	}
	one, err := golden.Read(files[0])
	if err != nil || one.Float("params", "tau") != 0.07 {
		t.Errorf("Read: got %v, %v", one.Name, err)
	}

	for _, below := range []string{"models/b", "models/a", "models/deep/er"} {
		folder := filepath.Join(dir, filepath.FromSlash(below))
		must.Do(t, os.MkdirAll(folder, 0o700))
		must.Do(t, os.WriteFile(filepath.Join(folder, "case.json"),
			[]byte(strings.Replace(small, `"params"`, `"files": {"weights": "w"}, "params"`, 1)), 0o600))
	}
	cases = must.Get(golden.Cases())(t)
	var titles []string
	for _, c := range cases {
		titles = append(titles, c.Title())
	}
	if want := []string{"a", "b", "a", "b", "er"}; !slices.Equal(titles, want) {
		t.Errorf("got the cases %v, want %v", titles, want)
	}
	if got, want := cases[2].Beside("weights"), filepath.Join(dir, "models", "a", "w"); got != want {
		t.Errorf("weights: got %s, want %s", got, want)
	}
	t.Setenv(golden.Env, filepath.Join(dir, "missing"))
	must.Fail(t, must.Err(golden.Cases()), golden.Env, "missing directory")
}

// FuzzParse reads whatever parses: no accessor may panic, and a tensor's values must fill its shape.
func FuzzParse(f *testing.F) {
	f.Add(small, "x")
	f.Add(`{"name":"n","tolerance":1,"inputs":{"x":{"shape":[2,0],"dtype":"int64","data":[[],[]]}}}`, "x")
	f.Add(`{"name":"n","tolerance":1,"inputs":{"x":{"shape":[1e9,1e9],"dtype":"int64","data":[1]}}}`, "x")
	f.Add(`{"name":"n","tolerance":1,"inputs":{"x":[[[]],1e400,null]}}`, "x")
	f.Fuzz(func(t *testing.T, text, key string) {
		c, err := golden.Parse("fuzz", strings.NewReader(text))
		if err != nil {
			return
		}
		x := c.Tensor("inputs", key)
		if c.Err() == nil {
			cells := 1
			for _, n := range x.Shape {
				cells *= n
			}
			if len(x.Float) != cells || (x.Int != nil && len(x.Int) != cells) {
				t.Errorf("shape %v holds %d floats and %d ints", x.Shape, len(x.Float), len(x.Int))
			}
			for i := range x.Int {
				if math.Abs(x.Float[i]-float64(x.Int[i])) > math.Abs(x.Float[i])*1e-15 {
					t.Errorf("cell %d: %v and %d differ", i, x.Float[i], x.Int[i])
				}
			}
		}
		c.Matrix("inputs", key)
		c.Ints("inputs", key)
		c.Int("inputs", key)
		c.Len("inputs", key)
		c.Keys("inputs", key)
		c.Text("inputs", key)
	})
}
