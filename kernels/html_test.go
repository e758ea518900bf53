package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestFetched(t *testing.T) {
	for page, want := range map[string]string{
		`<script src="https://cdn.example/a.js"></script>`:           "https://cdn.example/a.js",
		`<script type="module" src='//cdn.example/a.js'></script>`:   "//cdn.example/a.js",
		`<img alt="x" src=http://example/a.png>`:                     "http://example/a.png",
		`<link rel="stylesheet" href="https://example/a.css">`:       "https://example/a.css",
		`<a href="https://example.org">a link</a>`:                   "",
		`<img src="data:image/png;base64,AAAA">`:                     "",
		`<script>var home = "https://example.org"</script>`:          "",
		`<svg xmlns="http://www.w3.org/2000/svg"><image href="#a"/>`: "",
		`<p>&lt;script src="https://cdn.example/a.js"&gt;</p>`:       "",
	} {
		got := ""
		if found := fetched.FindStringSubmatch(page); found != nil {
			got = found[1]
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}

// An executed notebook becomes one page that needs no network: pictures in it, none of the scripts of nbconvert's template.
func TestToHTML(t *testing.T) {
	nbconvert := needNbconvert(t)
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	notebook := func(page string) string {
		path := filepath.Join(t.TempDir(), "a.ipynb")
		text := `{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "Ünïcode and $x^2$"},
			{"cell_type": "code", "execution_count": 1, "metadata": {}, "source": "show", "outputs": [
			{"output_type": "display_data", "metadata": {}, "data": {"image/png": "` + pixel + `"}},
			{"output_type": "display_data", "metadata": {}, "data": {"text/html": "` + page + `"}}]}],
			"metadata": {}, "nbformat": 4, "nbformat_minor": 4}`
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	page, err := toHTML(t.Context(), nbconvert, notebook("<table><tr><td>cell</td></tr></table>"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Ünïcode", "data:image/png;base64," + pixel[:20], "<td>cell</td>", "</html>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in the page", want)
		}
	}
	_, err = toHTML(t.Context(), nbconvert, notebook("<script src='https://cdn.example/plot.js'></script>"))
	if err == nil || !strings.Contains(err.Error(), "https://cdn.example/plot.js") {
		t.Errorf("error %v, want one that names what the page would fetch", err)
	}
}
