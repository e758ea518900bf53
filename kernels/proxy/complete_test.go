package proxy

import (
	"strings"
	"testing"
)

func TestIsComplete(t *testing.T) {
	for _, test := range []struct{ cell, status, indent string }{
		{"", Complete, ""},
		{"\n\n", Complete, ""},
		{"// a comment", Complete, ""},
		{`import "vlpx.internal/vlpx"`, Complete, ""},
		{"package main\n\nvar x = 1", Complete, ""},
		{"const side = 7\n%%\nfmt.Println(side)", Complete, ""},
		{"%%\nif true {\n\tfmt.Println(1)\n}", Complete, ""},
		{"//gonb:%%\nfmt.Println(1)", Complete, ""},
		{"%main -flag=1\nfmt.Println(1)", Complete, ""},
		{"%% -flag=1\nfmt.Println(1)", Complete, ""},
		{"!ls \\\n  | wc {", Complete, ""},
		{"%env GOPROXY=off\nvar x int", Complete, ""},
		{"%%bash\nls {\n", Complete, ""},
		{"%%\n", Complete, ""},

		{"%%", Incomplete, ""},
		{"var x = 1\n%%", Incomplete, ""},
		{"%%bash", Incomplete, ""},
		{"%%writefile a.txt\nfor {", Incomplete, ""},
		{"func f() {", Incomplete, "\t"},
		{"func f() {\n\tfor {", Incomplete, "\t\t"},
		{"%%\nfor {", Incomplete, "\t"},
		{"%%\nvlpx.Run(\"x\", vlpx.Options{", Incomplete, "\t"},
		{"%%\nfor _, x := range []int{\n\t1,", Incomplete, "\t"},
		{"var x =", Incomplete, ""},
		{"%%\nx := 1 +", Incomplete, ""},
		{"import (", Incomplete, "\t"},
		{"var s = `one {", Incomplete, ""},
		{"%%\nfmt.Println(`one\n", Incomplete, ""},
		{"/* a comment", Incomplete, ""},

		{"%%\nfmt.Println(1))", Invalid, ""},
		{"fmt.Println(1)", Invalid, ""},
		{"func f( {", Invalid, ""},
		{"func f() {\n)", Invalid, ""},
		{`var s = "one`, Invalid, ""},
		{"%%\nf(1\n", Invalid, ""}, // Go ends the statement at the line's end
		{"%%\nif true {\n}\nelse {\n}", Invalid, ""},
		{"var := `one {", Invalid, ""},
		{"%%\nfmt.Println(1)\n}", Invalid, ""},
		{"%%\nx\n%%\ny", Invalid, ""},
		{"\x00", Invalid, ""},
	} {
		status, indent := IsComplete(test.cell)
		if status != test.status || indent != test.indent {
			t.Errorf("%q is %s, indent %q; want %s, %q", test.cell, status, indent, test.status, test.indent)
		}
	}
}

// Whatever is typed, the answer is one of the protocol's; white space at the end of a cell that is complete does not make it another.
func FuzzIsComplete(f *testing.F) {
	for _, cell := range []string{"%%\nfor {", "func f() {\n}", "`", "/*", "%%bash\n", "!ls \\", "}\n%%", "\"\n", "%exec f"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		status, indent := IsComplete(cell)
		if strings.Trim(indent, "\t") != "" || indent != "" && status != Incomplete {
			t.Errorf("%q is %s with indent %q", cell, status, indent)
		}
		switch status {
		case Complete:
			if again, _ := IsComplete(cell + "\n"); again != Complete {
				t.Errorf("%q is %s, with an empty line %s", cell, status, again)
			}
		case Incomplete, Invalid:
		default:
			t.Errorf("%q is %q", cell, status)
		}
	})
}
