package negative

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// elsewhere is a type without a name, and so none of this module: it stands for a part in a cell.
type elsewhere = struct{ Grouped }

// A part from elsewhere is identified by its code, here the program as it has no name, whichever part that is, and by its fields.
func TestCodeIsPartOfTheIdentity(t *testing.T) {
	path := must.Get(os.Executable())(t)
	executable := must.Get(os.ReadFile(path))(t)
	hash := fmt.Sprintf("%x", sha256.Sum256(executable))
	for _, c := range []struct {
		method Method
		want   string
	}{
		{Method{Batches: elsewhere{Grouped{SearchSpace: 8}}, Masking: 0.5}.WithDefaults(),
			`{"Batches":{"Executable":"` + hash +
				`","struct { negative.Grouped }":{"SearchSpace":8,"Queue":0}},"Contrast":{"negative.InfoNCE":{}},` +
				`"Masking":0.5,"Matching":{"negative.Hardest":{}}}`},
		{Method{Contrast: struct{ InfoNCE }{}, Masking: 0.5}.WithDefaults(),
			`{"Batches":{"negative.Uniform":{}},"Contrast":{"Executable":"` + hash + `","struct { negative.InfoNCE }":{}},"Masking":0.5,` +
				`"Matching":{"negative.Hardest":{}}}`},
	} {
		if got, err := json.Marshal(c.method); err != nil || string(got) != c.want {
			t.Errorf("got %s, error %v; want %s", got, err, c.want)
		}
		if why := c.method.Vague(); len(why) != 1 || !strings.Contains(why[0], "it has no name of its own") {
			t.Errorf("got %q, want why the part is identified by the program", why)
		}
	}
}

func TestPartsThatAreNotPlainData(t *testing.T) {
	type inner struct {
		Deep []map[string]struct{ secret int }
	}
	if why := GRITVLP(8, 16).Vague(); len(why) > 0 {
		t.Errorf("parts of this module: got %q", why)
	}
	for _, c := range []struct {
		method Method
		want   string // "" for none
	}{
		{Method{}, ""},
		{ALBEF(64), ""},
		{GRITVLP(8, 16), ""},
		{Method{Batches: &elsewhere{}}, ""},
		{Method{Batches: struct {
			Uniform
			Weights []float64
			At      *struct{ Epoch int }
		}{}}, ""},
		{Method{Batches: struct {
			Uniform
			margin float64
		}{}}, "the field margin holds; give it an exported field"},
		{Method{Contrast: &struct {
			InfoNCE
			Inner inner
		}{Inner: inner{Deep: []map[string]struct{ secret int }{{"a": {}}}}}}, "the field Inner.Deep.secret holds"},
		{Method{Contrast: struct{ Contrast }{InfoNCE{}}}, "the field Contrast holds"},
		{Method{Matching: struct {
			Hardest
			By func() int
		}{}}, "unsupported type: func() int; a part is plain data"},
	} {
		err := c.method.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want one with %q", c.method, err, c.want)
		}
	}
}
