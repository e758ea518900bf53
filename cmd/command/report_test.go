package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// report writes one file, whole or not at all; an artifact that cannot be read costs the exit status, not the page.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	out, errs := succeed(t, dir, "report", "falcon/table1", "srcl", "-scale", "tiny", "-o", "page.html")
	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	if err != nil || !strings.HasPrefix(out, "wrote page.html") || !strings.Contains(errs, "falcon/table1 (1 of ") {
		t.Fatalf("got %v, output %q and errors %q, want the page and progress", err, out, errs)
	}
	text := string(page)
	if !strings.Contains(text, `id="falcon-table1"`) || !strings.Contains(text, `id="srcl-table4"`) ||
		strings.Contains(text, `id="falcon-table2"`) {
		t.Error("the page does not have falcon/table1 and SRCL's artifacts alone")
	}
	if !strings.HasSuffix(text, "</html>\n") {
		t.Errorf("the page ends in %q", text[len(text)-20:])
	}

	if out, _ = succeed(t, dir, "report", "falcon/table5", "-scale", "tiny", "-set", "epochs=7"); !strings.HasPrefix(out,
		"wrote report-falcon-table5-tiny-epochs-7-75b5964d.html ") {
		t.Errorf("got %q, want a file of its own name", out)
	}

	out, errs, status := executed(t, dir, "report", "falcon/table5", "-o", "nowhere/page.html")
	if _, err := os.Stat(filepath.Join(dir, "nowhere")); status != 1 || out != "" || !strings.Contains(errs, "nowhere/page.html") ||
		!strings.Contains(errs, "another place with -o") || err == nil {
		t.Errorf("got status %d, output %q, errors %q and the place (%v), want an error that names it", status, out, errs, err)
	}

	succeed(t, dir, shortest("train", "InfoNCE")...)
	results, err := filepath.Glob(filepath.Join(dir, "home", "runs", "*", "result.json"))
	if err != nil || len(results) != 1 {
		t.Fatalf("got results %v (%v), want one", results, err)
	}
	must.Do(t, os.WriteFile(results[0], []byte("{"), 0o644))
	out, errs, status = executed(t, dir, shortest("report", "falcon/table1", "falcon/table5", "-o", "damaged.html")...)
	if status != 1 || !strings.Contains(out, "wrote damaged.html") || !strings.Contains(errs, "falcon/table1: ") ||
		!strings.Contains(errs, "result.json") {
		t.Errorf("got status %d, output %q and errors %q, want the page and an error that names the artifact and the file",
			status, out, errs)
	}
	if page, err = os.ReadFile(filepath.Join(dir, "damaged.html")); err != nil || !strings.Contains(string(page), `id="falcon-table5"`) {
		t.Errorf("%v; the page has no falcon/table5", err)
	}
}
