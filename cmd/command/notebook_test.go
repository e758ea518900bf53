package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// What does not go together is told before anything is installed.
func TestNotebookMistakes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.ipynb", "b.ipynb", "sub/a.ipynb", "home/.keep"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, nil, 0o644))
	}
	for _, c := range []struct {
		args string
		want []string // words of the line
	}{
		{"-install -run", []string{"-install and -run do not go together", "vlpx notebook -h"}},
		{"-install -uninstall", []string{"-install and -uninstall"}},
		{"-run a.ipynb -port 8888", []string{"-port and -run"}},
		{"-run a.ipynb -no-browser", []string{"-no-browser and -run"}},
		{"-install a.ipynb", []string{"-install takes no notebook", "a.ipynb"}},
		{"-prefix p -uninstall a.ipynb", []string{"-uninstall takes no notebook", "a.ipynb"}},
		{"-run", []string{"-run needs a notebook", "falcon.ipynb"}},
		{"-run missing.ipynb", []string{"missing.ipynb", "no such file", "name a notebook"}},
		{"missing", []string{"missing", "no such file"}},
		{"a.ipynb b.ipynb", []string{"one folder or notebook", "not 2", "-run"}},
		{"a.ipynb -o c.ipynb", []string{"-o goes with -run"}},
		{"-run a.ipynb b.ipynb -o c.html", []string{"c.html is one file for 2 notebooks", "name a folder"}},
		{"-run a.ipynb sub/a.ipynb -o copies", []string{"a.ipynb and sub/a.ipynb", "copies/a.ipynb", "one by one"}},
		{"-run a.ipynb -o c.pdf", []string{"c.pdf", ".ipynb or .html"}},
		{"-port x", []string{`"x"`, "vlpx notebook -h"}},
		{"-no-brouser", []string{"-no-brouser", "did you mean -no-browser"}},
		{"-uninstall -prefix p", []string{"no kernel is installed", "-prefix"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			out, errs, status := executed(t, dir, append([]string{"notebook"}, strings.Fields(c.args)...)...)
			if status != 1 || out != "" || !strings.HasPrefix(errs, "vlpx: ") || strings.Count(errs, "\n") != 1 {
				t.Errorf("got status %d, output %q and errors %q, want status 1 and one line of error", status, out, errs)
			}
			for _, want := range c.want {
				if !strings.Contains(errs, want) {
					t.Errorf("got %q, want %q in it", errs, want)
				}
			}
		})
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("the folder holds %v (%v), want what was there", entries, err)
	}
}

func TestExecutedCopies(t *testing.T) {
	folder := t.TempDir()
	one, two := []string{"x/a.ipynb"}, []string{"x/a.ipynb", "b.ipynb"}
	under := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(folder, name))
		}
		return paths
	}
	for _, test := range []struct {
		name      string
		out       string
		notebooks []string
		want      []string
	}{
		{"nothing is written unless asked for", "", two, []string{"", ""}},
		{"a copy", filepath.Join(folder, "c.ipynb"), one, under("c.ipynb")},
		{"a page in a folder that is made", filepath.Join(folder, "new", "c.html"), one, under("new/c.html")},
		{"into a folder", folder, one, under("a.ipynb")},
		{"several into a folder that is made", filepath.Join(folder, "all"), two, under("all/a.ipynb", "all/b.ipynb")},
		{"pages", filepath.Join(folder, "pages"), two, under("pages/a.html", "pages/b.html")},
	} {
		got, err := notebook{out: test.out, pages: test.name == "pages"}.outputs(test.notebooks)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q (%v), want %q", test.name, got, err, test.want)
		}
		for _, path := range got {
			if path != "" && !isDir(filepath.Dir(path)) {
				t.Errorf("%s: the folder of %s is not there", test.name, path)
			}
		}
	}
}
