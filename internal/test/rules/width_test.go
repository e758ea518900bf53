package rules

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"vlpx.internal/internal/test/must"
)

// widest is how many letters a line of Go has at most, a tab for one, where no text or quoted output makes it longer.
const widest = 140

// A line of Go fits on a page. What stands in quotes, and the output of an example, may be as long as it is.
func TestWidth(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	must.Do(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != root || d.Name() == "testdata" || d.Name() == "build") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text := must.Get(os.ReadFile(name))(t)
		for _, line := range wide(name, text) {
			t.Errorf("%s:%d has more than %d letters", name, line, widest)
		}
		return nil
	}))
}

// wide are the lines of a file with more letters than the widest, which no string touches and which are no output of an example.
func wide(name string, text []byte) (lines []int) {
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(text))
	quoted := map[int]bool{}
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	output := false
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		output = kind == token.COMMENT && (output || strings.HasPrefix(strings.ToLower(literal), "// output:"))
		if kind == token.STRING || output {
			for line := file.Line(pos); line <= file.Line(pos+token.Pos(len(literal)-1)); line++ {
				quoted[line] = true
			}
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		if utf8.RuneCountInString(line) > widest && !quoted[i+1] {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func TestWide(t *testing.T) {
	long := strings.Repeat("x", widest)
	text := "package p\n// " + long + "\nvar a = \"" + long + "\"\nvar b" + long + " = 1\n// Output:\n// " + long + "\n"
	if got := wide("p.go", []byte(text)); len(got) != 2 || got[0] != 2 || got[1] != 4 {
		t.Errorf("lines %v, want 2 and 4", got)
	}
}
