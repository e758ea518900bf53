package kernels

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFailures(t *testing.T) {
	const executed = `{"cells": [
		{"cell_type": "markdown", "source": "text"},
		{"cell_type": "code", "outputs": [
			{"output_type": "stream", "name": "stdout", "text": ["not this\n"]},
			{"output_type": "stream", "name": "stderr", "text": ["\u001b[31mline 1\u001b[0m\n", "line 2\n"]},
			{"output_type": "error", "ename": "ERROR", "evalue": "exit status 1", "traceback": []}]},
		{"cell_type": "code", "outputs": [{"output_type": "stream", "name": "stderr", "text": "a warning\n"}]},
		{"cell_type": "code", "outputs": [{"output_type": "error", "evalue": "undefined: x\n"}]}]}`
	err := failures([]byte(executed))
	if err == nil {
		t.Fatal("no error")
	}
	if got, want := err.Error(), "cell 2: exit status 1: line 1\nline 2\ncell 4: undefined: x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := failures([]byte(`{"cells": [{"outputs": []}]}`)); err != nil {
		t.Errorf("no cell failed, but: %v", err)
	}
	if err := failures([]byte(`{"cells": [`)); err == nil {
		t.Error("a file cut off: no error")
	}
}

func TestExecuteLeavesTheOldCopyWhenItCannotRun(t *testing.T) {
	needNbconvert(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	prefix := filepath.Join(dir, "prefix")
	if err := writeSpec(filepath.Join(prefix, "share", "jupyter", "kernels", Name), installed{Checkout: dir}); err != nil {
		t.Fatal(err)
	}
	notebook, text := filepath.Join(dir, "a.ipynb"), filepath.Join(dir, "text")
	for path, content := range map[string]string{notebook: `{"nbformat": 4, "cells": []}`, text: "text"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
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
			if err := os.WriteFile(out, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
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
