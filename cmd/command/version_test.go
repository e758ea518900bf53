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

// SECURITY.md lists the modules of go.mod with their releases and months, and the licences that NOTICE has of those in the program.
func TestDependencies(t *testing.T) {
	list := exec.Command("go", "list", "-m", "-f", `{{if not .Main}}{{.Path}} {{.Version}} {{.Time.Format "2006-01"}}{{end}}`)
	required := regexp.MustCompile(`(?m)^\t(\S+) v\S+`)
	for _, found := range required.FindAllStringSubmatch(string(must.Get(os.ReadFile("../../go.mod"))(t)), -1) {
		list.Args = append(list.Args, found[1])
	}
	want := strings.Split(strings.TrimSpace(string(must.Get(list.Output())(t))), "\n")
	page := string(must.Get(os.ReadFile("../../docs/SECURITY.md"))(t))
	notice := string(must.Get(os.ReadFile("../../NOTICE"))(t))
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (\\S+) \\| (\\S+) \\| (\\S+) \\|$").FindAllStringSubmatch(page, -1) {
		module, licence := row[1], row[2]
		got = append(got, strings.Join([]string{module, row[3], row[4]}, " "))
		before, _, linked := strings.Cut(notice, "\n  "+module)
		headings := regexp.MustCompile(`(?m)^\S.*$`).FindAllString(before, -1)
		if heading := headings[len(headings)-1]; linked && !strings.HasPrefix(strings.ReplaceAll(heading, "Creative Commons Attribution ",
			"CC-BY-"), licence) {
			t.Errorf("SECURITY.md says of %s %q, and NOTICE %q", module, licence, heading)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	listtest.Equal(t, "modules in SECURITY.md", got, want)
}
