package command

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
)

func TestVersion(t *testing.T) {
	out, _ := succeed(t, t.TempDir(), "version")
	if !regexp.MustCompile(`^vlpx commit \S+.*, go1\.\d+.* \(\w+/\w+\)\n$`).MatchString(out) {
		t.Errorf("vlpx version says %q", out)
	}
}

// NOTICE names the modules that are in the program, each once.
func TestNotice(t *testing.T) {
	out := must.Get(exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}",
		"../vlpx").Output())(t)
	linked := map[string]bool{}
	for module := range strings.FieldsSeq(string(out)) {
		linked[module] = true
	}
	notice := must.Get(os.ReadFile("../../NOTICE"))(t)
	var want, got []string
	for module := range linked {
		want = append(want, module)
	}
	for _, found := range regexp.MustCompile(`(?m)^  ([a-z0-9.]+\.[a-z]+/[^\s,]+?)[.,]?(?: |$)`).FindAllStringSubmatch(string(notice), -1) {
		got = append(got, found[1])
	}
	slices.Sort(got)
	slices.Sort(want)
	listtest.Equal(t, "modules in NOTICE", got, want)
}
