package run

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// settingsWith is as much of a run's JSON as tells its parts, and besides something of it.
func settingsWith(t *testing.T, m negative.Method, besides any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Train": map[string]any{"Method": m.WithDefaults()}, "Tasks": besides})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A new method beside others is no other code of theirs; whatever may reach them is.
func TestCodeOfParts(t *testing.T) {
	const source = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	files := sourceFiles(t)
	settings := [][]byte{
		settingsWith(t, negative.Method{}, nil),
		settingsWith(t, negative.Method{Contrast: negative.SogCLR{Gamma: .8, Temperature: .1}}, nil),
		settingsWith(t, negative.Method{}, map[string]any{"main.task": map[string]any{}, "Source": source}),
	}
	codes := func() (all []string) {
		c := readCode(files)
		for _, s := range settings {
			all = append(all, c.code(albef.Model{}, s))
		}
		return all
	}
	first := codes()
	if first[0] == first[1] || first[0] == first[2] || first[1] == first[2] {
		t.Errorf("got the codes %q, want three", first)
	}
	if reached, all := len(computing().parts.reached(nil)), len(computing().parts.names); reached > all/20 {
		t.Errorf("no name at all reaches %d of %d names", reached, all)
	}
	method := `package negative

// Debiased corrects the negatives by the share of positives.
type Debiased struct{ TauPlus float64 }

func (d Debiased) ITC(f Features) Contrasted { return InfoNCE{}.ITC(f) }

func DebiasedCLIP() Method { return Method{Name: "Debiased", Contrast: Debiased{.1}} }

const halfOfThem, theOtherHalf = .5, .5
`
	for _, c := range []struct {
		what, file, old, new string
		changed              []bool // of each of the settings
	}{
		{"a new method", "vlpx/negative/debiased.go", "", method, []bool{false, false, true}},
		{"which registers itself", "vlpx/negative/debiased.go", "", method + "\nfunc init() { roles[0] = \"x\" }\n", []bool{true, true, true}},
		{"by a variable", "vlpx/negative/debiased.go", "", method + "\nvar registered = DebiasedCLIP()\n", []bool{true, true, true}},
		{"with a directive", "vlpx/negative/debiased.go", "", method + "\n//go:linkname halfOf other.half\nfunc halfOf()\n", []bool{true, true, true}},
		{"with a method for another's type", "vlpx/negative/debiased.go", "", method + "\nfunc (Hardest) Validate() error { return nil }\n", []bool{true, true, true}},
		{"with a method for a pointer to another's", "vlpx/negative/debiased.go", "", method + "\nfunc (s *SogCLR) Names() error { return nil }\n", []bool{false, true, true}},
		{"a part that one run has", "vlpx/negative/sogclr.go", "\nfunc (", "\nfunc (SogCLR) x() {}\n\nfunc (", []bool{false, true, true}},
		{"a function of that part", "vlpx/negative/global.go", "return ", "_ = 1\n\treturn ", []bool{false, true, true}},
		{"what all mention", "vlpx/negative/infonce.go", "return ", "_ = 1\n\treturn ", []bool{true, true, true}},
	} {
		before := files[c.file]
		text := c.new
		if before != nil {
			if text = strings.Replace(string(before.Data), c.old, c.new, 1); text == string(before.Data) {
				t.Fatalf("%s was not changed", c.file)
			}
		}
		files[c.file] = &fstest.MapFile{Data: []byte(text)}
		for k, now := range codes() {
			if (now != first[k]) != c.changed[k] {
				t.Errorf("%s: the code of settings %d changed: %v", c.what, k, now != first[k])
			}
		}
		if delete(files, c.file); before != nil {
			files[c.file] = before
		}
	}
}

// What a run's JSON tells of its code is what the run itself tells, and older results tell whole packages.
func TestCodeOfADescription(t *testing.T) {
	r := Run{}
	r.Train.Framework.Framework = albef.Model{}
	r.Train.Method = negative.Method{Contrast: negative.SogCLR{Gamma: .8, Temperature: .1}}.WithDefaults()
	d := Description{Run: Run{}, JSON: r.JSON()}
	d.Run.Train.Framework = r.Train.Framework // without the parts of the method, which JSON does not give back
	whole := computing().of("vlpx/framework/albef", nil)
	for _, c := range []struct {
		code  string
		other bool
	}{{r.Code(), false}, {whole, false}, {"", false}, {"0123456789abcdef", true}, {Run{Train: r.Train}.Code(), false}} {
		if result := (Result{Code: c.code}); d.OtherCode(result) != c.other || r.OtherCode(result) != c.other {
			t.Errorf("%q: got %v of the description and %v of the run, want %v", c.code, d.OtherCode(result), r.OtherCode(result), c.other)
		}
	}
	if r.Code() == whole {
		t.Error("a run of known parts is of whole packages")
	}
}
