package kernels

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"vlpx.internal/docs/upstream"
)

const gonbPath = "github.com/janpfeifer/gonb"

// kernelNotes are the notes of upstream.Kernel.
func kernelNotes() (notes []string, err error) {
	err = fs.WalkDir(upstream.Kernel, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := upstream.Kernel.ReadFile(path)
		notes = append(notes, string(text))
		return err
	})
	return notes, err
}

// patchedTools writes into dir a copy of GoNB's sources with the patches, and returns a go.mod which is that of tools with the copy in
// GoNB's place. A file that a patch does not fit is an error.
func patchedTools(ctx context.Context, dir, root string) (modfile string, err error) {
	folder := filepath.Join(root, tools)
	if _, err := goCommand(ctx, folder, nil, "mod", "download", gonbPath); err != nil {
		return "", err
	}
	source, err := goCommand(ctx, folder, nil, "list", "-m", "-f", "{{.Dir}}", gonbPath)
	if err != nil {
		return "", err
	}
	gonb := filepath.Join(dir, "gonb")
	if err := copySources(gonb, strings.TrimSpace(string(source))); err != nil {
		return "", err
	}
	notes, err := kernelNotes()
	if err != nil {
		return "", err
	}
	for _, note := range notes {
		if err := patch(gonb, patchOf(note)); err != nil {
			return "", fmt.Errorf("%s does not fit: %w", gonbPath, err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return "", err
		}
	}
	modfile = filepath.Join(dir, "go.mod")
	_, err = goCommand(ctx, folder, nil, "mod", "edit", "-replace="+gonbPath+"="+gonb, modfile)
	return modfile, err
}

// copySources copies a module, but for its documents, which are many times as large.
func copySources(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, entry := range entries {
		path, copied := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		switch {
		case entry.Name() == "docs" || entry.Name() == "examples":
		case entry.IsDir():
			err = os.CopyFS(copied, os.DirFS(path))
		default:
			var text []byte
			if text, err = os.ReadFile(path); err == nil {
				err = os.WriteFile(copied, text, 0o644)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// patchOf is the unified diff that a note has, "" for none.
func patchOf(note string) string {
	_, diff, _ := strings.Cut(note, "```diff\n")
	diff, _, _ = strings.Cut(diff, "```\n")
	return diff
}

// hunkHead tells how many lines a hunk has of the file before and after.
var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// patch applies a unified diff to the files in dir. What a hunk replaces must be there exactly once, wherever that is.
func patch(dir, diff string) error {
	path, lines := "", strings.SplitAfter(diff, "\n")
	for len(lines) > 0 {
		line := lines[0]
		lines = lines[1:]
		if name, found := strings.CutPrefix(line, "+++ b/"); found {
			path = filepath.Join(dir, filepath.FromSlash(strings.TrimSpace(name)))
		}
		head := hunkHead.FindStringSubmatch(line)
		if head == nil {
			continue
		}
		var before, after strings.Builder
		for n, m := size(head[1]), size(head[2]); (n > 0 || m > 0) && len(lines) > 0; lines = lines[1:] {
			mark, text := lines[0][0], lines[0][1:]
			if mark != '+' {
				before.WriteString(text)
				n--
			}
			if mark != '-' {
				after.WriteString(text)
				m--
			}
		}
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := strings.Count(string(old), before.String()); n != 1 {
			return fmt.Errorf("%s has %d times what is to be replaced, want once:\n%s", path, n, before.String())
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(old), before.String(), after.String(), 1)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// size is a number of lines in a hunk's head, which leaves out 1.
func size(n string) int {
	lines, err := strconv.Atoi(n)
	if err != nil {
		return 1
	}
	return lines
}
