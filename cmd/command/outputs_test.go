package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// The files of a report are in the formats that are asked for; a choice of what they show has a name of its own and runs nothing anew.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, shortest("reproduce", "falcon/table1", "-methods", "InfoNCE,GRIT-VLP", "-without", "VQA,NLVR2", "-tables", "md")...)
	show := shortest("show", "falcon/table1", "-methods", "InfoNCE,GRIT-VLP", "-without", "VQA,NLVR2", "-tables",
		"tex,seeds.csv,claims.tex",
		"-figures", "svg",
		"-metrics", "ir@1,fn in batch", "-rows", "GRIT-VLP", "-title", "Fewer 50%", "-width", "70mm", "-height", "1in")
	before := files(t, dir)
	out, _ := succeed(t, dir, show...)
	base := filepath.Join("results", "falcon", "table1")
	for ending, want := range map[string][]string{
		"tex":       {`\caption{Fewer 50\%}`, `\label{tab:Fewer-50}`, "GRIT-VLP & paper", "in batch", "scenes.train=16"},
		"seeds.csv": {"artifact,row,scenes.train,", "falcon/table1,InfoNCE,16,", ",TR@10,"},
		"svg":       {"Fewer 50%", `width="198.4`, "GRIT-VLP"},
	} {
		found := ""
		for name, text := range files(t, dir) {
			if strings.HasPrefix(name, base) && strings.HasSuffix(name, "."+ending) && strings.Contains(out, "wrote "+name) &&
				before[name] == "" {
				found = text
			}
		}
		for _, part := range want {
			if !strings.Contains(found, part) {
				t.Errorf("%s has no %q:\n%.2000s", ending, part, found)
			}
		}
		if ending != "seeds.csv" && strings.Contains(found, "InfoNCE</text>") {
			t.Errorf("%s has a row that was not chosen", ending)
		}
	}
	after := files(t, dir)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("the choice wrote over %s", name)
		}
	}
	if len(before) != 2 || strings.Contains(out, "claims.tex") {
		t.Errorf("got %d files of the whole, want table and figure, or there are claims of one row: %s", len(before), out)
	}
	chosen := shortest("show", "falcon/table1", "-methods", "InfoNCE,GRIT-VLP", "-without", "VQA,NLVR2")
	succeed(t, dir, append(chosen, "-o", "mine/short.seeds.csv")...)
	succeed(t, dir, append(chosen, "-o", "mine/other", "-tables", "tex", "-figures", "pdf")...)
	var names []string
	for _, entry := range must.Get(os.ReadDir(filepath.Join(dir, "mine")))(t) {
		names = append(names, entry.Name())
	}
	if want := []string{"other.pdf", "other.tex", "short.seeds.csv"}; !slices.Equal(names, want) {
		t.Errorf("with -o got %v, want %v", names, want)
	}
	_, errs, status := executed(t, dir, "show", "falcon/table1", "falcon/table2", "-o", "x")
	if status == 0 || !strings.Contains(errs, "one artifact") {
		t.Errorf("got status %d and %q, want one name for two artifacts refused", status, errs)
	}
	if out, _ := succeed(t, dir, shortest("show", "falcon/table5")...); strings.Contains(out, "wrote") {
		t.Errorf("show wrote files without being asked: %s", out)
	}
}

// files are those below the folder of results, by their names.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, filepath.WalkDir(filepath.Join(dir, "results"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(text)
		return err
	}))
	return all
}

// A figure is drawn of what is shipped. One that cannot be drawn is reported.
func TestFigureOfShippedResults(t *testing.T) {
	dir := t.TempDir()
	out, errs := succeed(t, dir, "show", "falcon/table1", "-figures", "svg", "-home", dir+"/store", "-out", dir+"/out")
	if !strings.Contains(out, "table1.svg") || strings.Contains(errs, "no figure is written") {
		t.Errorf("it says %q and %q", out, errs)
	}
	_, errs = succeed(t, dir, "show", "glofnd/warmup", "-figures", "svg", "-home", dir+"/store", "-out", dir+"/out")
	if !strings.Contains(errs, "no figure is written") {
		t.Errorf("it says %q", errs)
	}
}
