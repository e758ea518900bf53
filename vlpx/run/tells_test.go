package run

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// What parts tell is known by its name before they train, where their source has it; of code from elsewhere nothing is.
func TestTells(t *testing.T) {
	files := sourceFiles(t)
	const debiased = `package negative

type Debiased struct{}

func (d Debiased) ITC(f Features) Contrasted {
	f.TellShare("joined pairs", nil, nil)
	return margin(f)
}

func margin(f Features) Contrasted {
	f.Tell("margin", nil)
	return InfoNCE{}.ITC(f)
}

type Named struct{ Name string }

func (n Named) ITC(f Features) Contrasted {
	f.TellMean(n.Name, "nats", nil, nil)
	return InfoNCE{}.ITC(f)
}
`
	files["vlpx/negative/debiased.go"] = &fstest.MapFile{Data: []byte(debiased)}
	step := files["vlpx/framework/albef/step.go"]
	c := readCode(files)
	plain := settingsWith(t, negative.Method{}, nil)
	with := func(part string) []byte { return []byte(strings.Replace(string(plain), "negative.InfoNCE", part, 1)) }
	for _, of := range []struct {
		settings []byte
		names    []string
		more     bool
	}{
		{plain, nil, false},
		{with("negative.Debiased"), []string{"joined pairs", "margin"}, false},
		{with("negative.Named"), nil, true},
		{with("main.Debiased"), nil, true},
	} {
		if names, more := c.tells("vlpx/framework/albef", of.settings); !slices.Equal(names, of.names) || more != of.more {
			t.Errorf("%s: got %q and more %v, want %q and %v", of.settings, names, more, of.names, of.more)
		}
	}
	files["vlpx/framework/albef/step.go"] = &fstest.MapFile{Data: append(slices.Clone(step.Data), "\nfunc say(u framework.Use) { u.Tell(\"gap\", nil) }\n"...)}
	if names, more := readCode(files).tells("vlpx/framework/albef", plain); !slices.Equal(names, []string{"gap"}) || more {
		t.Errorf("of the framework: got %q and more %v", names, more)
	}
	r := Run{}
	if _, more := r.Tells(); !more {
		t.Error("of no framework that is known, everything is said to be known")
	}
	r.Train.Framework.Framework, r.Train.Method = albef.Model{}, negative.Method{}.WithDefaults()
	if names, more := r.Tells(); len(names) > 0 || more {
		t.Errorf("of parts that tell nothing: got %q and more %v", names, more)
	}
}
