package lab

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/run"
)

// written returns the page as HTML, which it checks: elements are closed, ids are there once, links lead to them, and nothing
// outside of the page is referred to.
func written(t *testing.T, p *Page) (page string, ids []string) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, p.HTML(&b))
	page = b.String()
	var links []string
	decoder := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(page, "<br>", "<br/>")))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if slices.Contains([]string{"script", "link", "iframe", "object", "embed", "base"}, element.Name.Local) {
			t.Errorf("the page has a <%s>", element.Name.Local)
		}
		for _, a := range element.Attr {
			switch {
			case a.Name.Local == "id":
				if slices.Contains(ids, a.Value) {
					t.Errorf("id %q is there twice", a.Value)
				}
				ids = append(ids, a.Value)
			case strings.HasPrefix(a.Name.Local, "on"):
				t.Errorf("<%s> has a handler %s", element.Name.Local, a.Name.Local)
			case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#"):
				links = append(links, a.Value[1:])
			case a.Name.Local == "href" || a.Name.Local == "src":
				if !strings.HasPrefix(a.Value, "data:") {
					t.Errorf("<%s> refers to %.60q, outside of the page", element.Name.Local, a.Value)
				}
			}
		}
	}
	for _, link := range links {
		if !slices.Contains(ids, link) {
			t.Errorf("a link leads to #%s, which is not there", link)
		}
	}
	for _, found := range regexp.MustCompile(`(?i)@import|url\([^)]{0,40}`).FindAllString(page, -1) {
		if !strings.HasPrefix(found, "url(data:") {
			t.Errorf("the styles refer to %q, outside of the page", found)
		}
	}
	return page, ids
}

// An empty store gives a page of every artifact all the same.
func TestPageOfEveryArtifact(t *testing.T) {
	var told []string
	p := must.Get(NewPage(t.Context(), nil, Options{Scale: "tiny", Seeds: []uint64{1}, Home: t.TempDir()},
		func(line string) { told = append(told, line) }))(t)
	if err := p.Faults(); err != nil {
		t.Error(err)
	}
	page, ids := written(t, p)
	ready := 0
	for _, a := range catalogue.List() {
		section := strings.ReplaceAll(a.ID, "/", "-")
		if a.Status() != paper.NotYet {
			ready++
			if !slices.Contains(ids, section) {
				t.Errorf("%s has no section", a.ID)
			}
		} else if slices.Contains(ids, section) || !strings.Contains(page[strings.Index(page, `<section id="not-yet"`):], ">"+a.ID+"<") {
			t.Errorf("%s, which is not there yet, has a section, or is not told of", a.ID)
		}
	}
	if got := strings.Count(page, "<article"); got != ready || len(told) != ready {
		t.Errorf("%d sections and %d lines of progress, want %d of both", got, len(told), ready)
	}
	if p.Have != 0 || p.Need == 0 || p.HasFigure() {
		t.Errorf("have %d, need %d, figure %v of an empty store", p.Have, p.Need, p.HasFigure())
	}
	if got, want := tally(paper.Untested, p.Claims()), len(p.Claims()); got != want {
		t.Errorf("%d of %d claims are not yet tested, want all", got, want)
	}
}

// shortestRuns are the smallest that train at all, in pure Go.
func shortestRuns(t *testing.T) Options {
	t.Setenv("GOMLX_BACKEND", "go:ops_sequential")
	return Options{Scale: "tiny", Seeds: []uint64{1}, Home: t.TempDir(), Methods: []string{"InfoNCE"}, Without: []string{"NLVR2", "VQA"},
		Set: []string{"scenes.train=16", "scenes.test=4", "scenes.val=4", "rerank=2", "epochs=2"}}
}

// madeRuns makes an artifact's runs.
func madeRuns(t *testing.T, id string, o Options) {
	t.Helper()
	grid := must.Get(Open(id, o))(t)
	must.Do(t, grid.Make(t.Context(), nil))
}

// A page has the figures of finished runs, and no name is ever read as markup.
func TestPageOfFinishedRuns(t *testing.T) {
	o := shortestRuns(t)
	method := negative.DiHT()
	method.Name = `<script>"a" & 'b'</script>`
	o.Own = []negative.Method{method}
	madeRuns(t, "falcon/table1", o)
	p := must.Get(NewPage(t.Context(), []string{"falcon/table1"}, o, nil))(t)
	page, _ := written(t, p)
	if p.Have != 2 || p.Need != 2 || len(p.Engines) != 1 || len(p.Commits) != 1 {
		t.Errorf("have %d of %d runs on %v, %v; want 2 of 2 on one engine and commit", p.Have, p.Need, p.Engines, p.Commits)
	}
	for _, want := range []string{`<svg role="img" aria-label="falcon/table1`, "@font-face", "&lt;script&gt;", "Own: own",
		"<dt>Changed from the scale</dt><dd>scenes.train=16, scenes.test=4"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.Contains(page, "vlpx reproduce") {
		t.Error("the page has a command, which does not know a method of one's own")
	}
}

// A damaged result stands in the section of its artifact, which has the rest; the others are there.
func TestPageWithDamagedResult(t *testing.T) {
	o := shortestRuns(t)
	madeRuns(t, "falcon/table1", o)
	results, err := filepath.Glob(filepath.Join(o.Home, "runs", "*", "result.json"))
	if err != nil || len(results) != 1 {
		t.Fatalf("got results %v (%v), want one", results, err)
	}
	must.Do(t, os.WriteFile(results[0], []byte("{"), 0o644))
	o.Methods, o.Without = nil, nil
	p := must.Get(NewPage(t.Context(), []string{"falcon/table1", "falcon/table5"}, o, nil))(t)
	if err := p.Faults(); err == nil || !strings.HasPrefix(err.Error(), "falcon/table1: ") || !strings.Contains(err.Error(), results[0]) {
		t.Errorf("got %v, want an error that names falcon/table1 and %s", err, results[0])
	}
	page, ids := written(t, p)
	if !slices.Contains(ids, "falcon-table5") || strings.Count(page, "hyper-parameter") == 0 || !strings.Contains(page, "result.json") {
		t.Errorf("sections %v, want one of falcon/table5, and the error", ids)
	}
	if !strings.Contains(page, "Damaged.") || !strings.Contains(page, `aria-label="Results of falcon/table1"`) {
		t.Error("the damaged artifact does not have its table, with what is damaged")
	}
}

func TestPageOfNothing(t *testing.T) {
	for _, c := range []struct {
		names []string
		o     Options
		want  string
	}{
		{[]string{"falcom"}, Options{}, `did you mean "falcon"?`},
		{[]string{"falcon/tabel1"}, Options{}, `did you mean "falcon/table1"?`},
		{nil, Options{Scale: "tinny"}, `did you mean "tiny"`},
	} {
		c.o.Home = t.TempDir()
		must.Fail(t, must.Err(NewPage(t.Context(), c.names, c.o, nil)), c.want, "%v %q", c.names, c.o.Scale)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := NewPage(stopped, []string{"falcon/table5"}, Options{Home: t.TempDir()}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v of a cancelled page", err)
	}
}

func TestCallsMakeItAgain(t *testing.T) {
	for _, c := range []struct {
		o           Options
		shell, cell string
	}{
		{Options{}, "vlpx reproduce a/b -scale mini -seeds 1,2,3",
			`vlpx.Reproduce("a/b", vlpx.Options{Scale: "mini", Seeds: []uint64{1, 2, 3}})`},
		{
			Options{Scale: "tiny", Seeds: []uint64{7}, Data: "/my data/it's", Set: []string{"epochs=3", "x=a b"}},
			`vlpx reproduce a/b -scale tiny -seeds 7 -data 'it'\''s' -set epochs=3 -set 'x=a b'`,
			`vlpx.Reproduce("a/b", vlpx.Options{Scale: "tiny", Seeds: []uint64{7}, Data: "it's", Set: []string{"epochs=3", "x=a b"}})`,
		},
		{
			Options{Scale: "tiny", Seeds: []uint64{7}, Data2: "/my/other", Without: []string{"VQA", "NLVR2"}},
			"vlpx reproduce a/b -scale tiny -seeds 7 -data2 other -without VQA,NLVR2",
			`vlpx.Reproduce("a/b", vlpx.Options{Scale: "tiny", Seeds: []uint64{7}, Data2: "other", Without: []string{"VQA", "NLVR2"}})`,
		},
		{
			Options{Scale: "tiny", Seeds: []uint64{7}, Framework: "clip"},
			"vlpx reproduce a/b -scale tiny -seeds 7 -framework clip",
			`vlpx.Reproduce("a/b", vlpx.Options{Scale: "tiny", Seeds: []uint64{7}, Framework: "clip"})`,
		},
		{
			Options{Scale: "tiny", Seeds: []uint64{7}, Weights: []string{"vision=/mine/vit.safetensors", "text=none"}},
			"vlpx reproduce a/b -scale tiny -seeds 7 -weights vision=vit.safetensors,text=none",
			`vlpx.Reproduce("a/b", vlpx.Options{Scale: "tiny", Seeds: []uint64{7}, Weights: []string{"vision=vit.safetensors", "text=none"}})`,
		},
	} {
		if shell, cell := c.o.calls("a/b"); shell != c.shell || cell != c.cell {
			t.Errorf("got\n%s\n%s\nwant\n%s\n%s", shell, cell, c.shell, c.cell)
		}
	}
}

// A damaged result of a run that only another run needs is told as well, and stepped around where the time is estimated.
func TestPageWithADamagedReferenceModel(t *testing.T) {
	o := Options{Scale: "tiny", Seeds: []uint64{1}, Home: t.TempDir()}
	grid := must.Get(Open("falcon/table1", o))(t)
	shown := map[string]bool{}
	for _, row := range grid.Plan.Rows {
		for _, r := range row {
			shown[r.ID()] = true
		}
	}
	runs := grid.Plan.Runs()
	i := slices.IndexFunc(runs, func(r run.Run) bool { return !shown[r.ID()] })
	if i < 0 {
		t.Fatal("no run of falcon/table1 is needed by others alone")
	}
	path := filepath.Join(grid.Store.Dir(runs[i]), "result.json")
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("{"), 0o644)))
	p := must.Get(NewPage(t.Context(), []string{"falcon/table1"}, o, nil))(t)
	if err := p.Faults(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got the faults %v, want one that names %s", err, path)
	}
	if d, err := grid.estimate(runs[:1], "go"); err != nil || d <= 0 {
		t.Errorf("estimating: got %v (%v), want some time", d, err)
	}
}
