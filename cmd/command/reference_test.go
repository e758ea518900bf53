package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/paper"
)

// What a store has becomes the shipped results, is as shipped when it is held against them, and no more when a value was changed.
func TestReference(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "reference.json")
	must.Do(t, os.WriteFile(file, []byte("[]"), 0o600))
	of := func(command string, more ...string) []string {
		return append(shortest(command, "falcon/table1", "-methods", "InfoNCE", "-without", "NLVR2,VQA"), more...)
	}
	succeed(t, dir, of("reproduce")...)
	_, errs, status := executed(t, dir, of("reference", "-file", file, "-check")...)
	if status == 0 || !strings.Contains(errs, "no run that is shipped") {
		t.Errorf("of nothing shipped: status %d: %s", status, errs)
	}
	succeed(t, dir, of("reference", "-file", file)...)
	out, _ := succeed(t, dir, of("reference", "-file", file, "-check")...)
	if !strings.Contains(out, " 0 within what rounding may do, 0 too far off") {
		t.Errorf("of what is shipped: %s", out)
	}

	all := must.Get(paper.ParseReferences(must.Get(os.ReadFile(file))(t)))(t)
	changed := *all[0].Rows[0].Values["TR@1"][0] + 1
	all[0].Rows[0].Values["TR@1"][0] = &changed
	must.Do(t, os.WriteFile(file, must.Get(json.Marshal(all))(t), 0o600))
	out, errs, status = executed(t, dir, of("reference", "-file", file, "-check")...)
	if status == 0 || !strings.Contains(out, "InfoNCE, seed 1, TR@1: ") || !strings.Contains(errs, "1 of ") {
		t.Errorf("of a value that was changed: status %d: %s %s", status, out, errs)
	}
}
