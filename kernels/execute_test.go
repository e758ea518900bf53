package kernels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestFailures(t *testing.T) {
	const executed = `{"cells": [
		{"cell_type": "markdown", "source": "text"},
		{"cell_type": "code", "execution_count": 1, "outputs": [
			{"output_type": "stream", "name": "stdout", "text": ["not this\n"]},
			{"output_type": "stream", "name": "stderr", "text": ["\u001b[31mline 1\u001b[0m\n", "line 2\n"]},
			{"output_type": "error", "ename": "ERROR", "evalue": "exit status 1", "traceback": []}]},
		{"cell_type": "code", "outputs": [{"output_type": "stream", "name": "stderr", "text": "a warning\n"}]},
		{"cell_type": "code", "execution_count": 3, "outputs": [{"output_type": "error", "evalue": "# gonb_1\n./main.go:16:19: undefined: x\n./main.go:9:2: no place\n",
			"traceback": ["# gonb_1", "Cell[2]: Line 14\nx\nundefined: x", "no place", ""]}]},
		{"cell_type": "code", "execution_count": 4, "outputs": [{"output_type": "error",
			"evalue": "failed to run \"/a prefix/bin/go get\": exit status 1\n\nno module here has the package x/y\n"}]},
		{"cell_type": "code", "execution_count": 5, "outputs": [
			{"output_type": "stream", "name": "stderr", "text": "panic: no\n\nmain.f(...)\n\t \u001b[7m[[ Cell [1] Line 4 ]]\u001b[0m /gonb_1/main.go:9\nmain.main()\n\t \u001b[7m[[ Cell [5] Line 3 ]]\u001b[0m /gonb_1/main.go:16 +0x95\n"},
			{"output_type": "stream", "name": "stderr", "text": "exit status 2\n"},
			{"output_type": "error", "evalue": "exit status 2", "traceback": ["exit status 2"]}]},
		{"cell_type": "code", "execution_count": 6, "outputs": [
			{"output_type": "stream", "name": "stderr", "text": "exit status 3\n"},
			{"output_type": "error", "evalue": "exit status 3", "traceback": ["exit status 3"]}]}]}`
	err := failures([]byte(executed))
	if err == nil {
		t.Fatal("no error")
	}
	if got, want := err.Error(), "cell In [1]: exit status 1: line 1\nline 2\n"+
		"cell In [3]: In [2], line 14: undefined: x\n./main.go:9:2: no place\n"+
		"cell In [4]: no module here has the package x/y\n"+
		"cell In [5]: exit status 2: panic: no\n\nmain.f(...)\n\tIn [1], line 4\nmain.main()\n\tIn [5], line 3\n"+
		"cell In [6]: exit status 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := failures([]byte(`{"cells": [{"outputs": []}]}`)); err != nil {
		t.Errorf("no cell failed, but: %v", err)
	}
	if err := failures([]byte(`{"cells": [`)); err == nil {
		t.Error("a file cut off: no error")
	}
}

// Whatever nbconvert wrote, it is refused, or as many failures are told as cells have error outputs, without a terminal's colours.
func FuzzFailures(f *testing.F) {
	for _, outputs := range []string{
		`{"output_type": "error", "evalue": "exit status 1"}`,
		`{"output_type": "stream", "name": "stderr", "text": ["\u001b[31mline 1\u001b[0m\n", "line 2"]}, {"output_type": "error", "evalue": "\u001b[1mred"}`,
		`{"output_type": "stream", "name": "stderr", "text": "one"}, {"output_type": "error"}, {"output_type": "error", "evalue": "two\nlines"}`,
		`{"output_type": "stream", "text": 3}`, `null`, `{"output_type": "stream", "text": null}`,
		`{"output_type": "error", "evalue": "\u001b[\u001b[0m0m"}`,
	} {
		f.Add([]byte(`{"cells": [{"outputs": []}, {"outputs": [` + outputs + `]}]}`))
	}
	f.Add([]byte(`{"cells": [`))
	f.Fuzz(func(t *testing.T, notebook []byte) {
		err := failures(notebook)
		var file struct {
			Cells []struct {
				Outputs []struct {
					Type string `json:"output_type"`
				} `json:"outputs"`
			} `json:"cells"`
		}
		if json.Unmarshal(notebook, &file) != nil {
			if err == nil {
				t.Fatalf("%s: no error", notebook)
			}
			return
		}
		want := 0
		for _, cell := range file.Cells {
			for _, output := range cell.Outputs {
				if output.Type == "error" {
					want++
				}
			}
		}
		joined, ok := err.(interface{ Unwrap() []error })
		switch {
		case want == 0 && ok, ok && len(joined.Unwrap()) != want:
			t.Fatalf("%s: got %v, want %d failures", notebook, err, want)
		case want > 0 && err == nil:
			t.Fatalf("%s: no error, want %d failures", notebook, want)
		case ok && strings.Contains(err.Error(), "\x1b"):
			t.Fatalf("%s: got %q, want it without escapes", notebook, err)
		}
	})
}

// Whatever lies in a file, it is a notebook or none; one that is made here is one, and one that is cut off is none.
func FuzzNotebook(f *testing.F) {
	for _, text := range []string{`{"nbformat": 4, "cells": []}`, `{"nbformat": 3, "worksheets": [{}]}`, `{"nbformat": 4, "cells": [null]}`,
		`{"nbformat": "4"}`, `{"nbformat": 4, "cells": {}}`, `{"nbformat": -1}`, "[]", "null", ""} {
		f.Add([]byte(text), "text")
	}
	f.Fuzz(func(t *testing.T, text []byte, source string) {
		if isNotebook(text) {
			failures(text)
			readable(text)
			if !json.Valid(text) || !bytes.Contains(bytes.ToLower(text), []byte("nbformat")) && !bytes.Contains(text, []byte(`\`)) {
				t.Fatalf("%q passed", text)
			}
		}
		made, err := Notebook{Cells: []Cell{Markdown(source), Go(source)}}.Encode()
		if err != nil {
			return
		}
		if !isNotebook(made) || readable(made) != nil {
			t.Fatalf("%q is refused: %v", made, readable(made))
		}
		if cut := made[:len(made)-1-len(text)%(len(made)-2)]; len(bytes.TrimSpace(cut)) < len(bytes.TrimSpace(made)) && isNotebook(cut) {
			t.Fatalf("%q passed", cut)
		}
	})
}

func TestExecuteLeavesTheOldCopyWhenItCannotRun(t *testing.T) {
	needNbconvert(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	prefix := filepath.Join(dir, "prefix")
	must.Do(t, writeSpec(filepath.Join(prefix, "share", "jupyter", "kernels", Name), installed{Checkout: dir}))
	notebook, text := filepath.Join(dir, "a.ipynb"), filepath.Join(dir, "text")
	for path, content := range map[string]string{notebook: empty, text: "text"} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o644))
	}
	for _, test := range []struct {
		name             string
		ctx              context.Context
		prefix, notebook string
		is               error
		says             string
	}{
		{"no kernel", t.Context(), dir, notebook, os.ErrNotExist, "not installed"},
		{"cancelled", cancelled, prefix, notebook, context.Canceled, ""},
		{"no file", t.Context(), prefix, filepath.Join(dir, "missing.ipynb"), os.ErrNotExist, "missing.ipynb"},
		{"no notebook", t.Context(), prefix, text, nil, "it is no notebook"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.ipynb")
			must.Do(t, os.WriteFile(out, []byte("old"), 0o644))
			err := Execute(test.ctx, test.prefix, test.notebook, out)
			if err == nil || !strings.Contains(err.Error(), test.says) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want one that is %v and says %q", err, test.is, test.says)
			}
			entries, _ := os.ReadDir(filepath.Dir(out))
			if text, err := os.ReadFile(out); string(text) != "old" || len(entries) != 1 {
				t.Errorf("the old copy is %q (%v) among %d files, want it alone and unchanged", text, err, len(entries))
			}
		})
	}
}
