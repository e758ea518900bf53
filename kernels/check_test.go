package kernels

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vlpx.internal/internal/test/must"
)

// empty is a notebook without cells.
const empty = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`

// with is a notebook with one cell.
func with(cell string) string { return strings.Replace(empty, "[]", "["+cell+"]", 1) }

// What nbconvert would not read is told in a line, which says what it is; what it reads passes.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	nested := func(deep int) string {
		return strings.Replace(empty, "{}", strings.Repeat(`{"a": `, deep)+"1"+strings.Repeat("}", deep), 1)
	}
	for text, want := range map[string]string{
		"":                   "no notebook",
		"text":               "no notebook",
		empty[:len(empty)-1]: "no notebook",
		"\ufeff" + empty:     "no notebook",
		`{"nbformat": "4"}`:  "no notebook",
		nested(20000):        "no notebook", // deeper than any JSON that is read
		nested(3000):         "3001 deep",
		nested(deepest):      "deep",
		nested(deepest - 1):  "",
		strings.Replace(empty, "{}", `{"a": "`+"\xff"+`"}`, 1):                                   "UTF-8",
		with(`{"cell_type": "raw", "metadata": {}, "source": "\ud83d\uDE00 \\ud83d \u00e9 \\"}`): "",
		"\n" + with(`{"cell_type": "raw", "metadata": {}, "source": "\\\ud83d"}`):                `line 2 of the notebook has \ud83d, half`,
		with(`{"cell_type": "raw", "metadata": {}, "source": "\ud83d\u00e9"}`):                   `has \ud83d, half`,
		with(`{"cell_type": "raw", "metadata": {}, "source": "\ude00\ud83d"}`):                   `has \ude00, half`,
		strings.Replace(empty, "{}", `{"\udfff": 1}`, 1):                                         `has \udfff, half`,
		`{"nbformat": 99}`:                                     "format 99",
		`{"nbformat": 3, "worksheets": []}`:                    "",
		`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}`: "lacks",
		`{"nbformat": 4, "nbformat_minor": 5, "cells": []}`:    "lacks",
		strings.Replace(empty, "[]", "{}", 1):                  `"cells" is an object`,
		strings.Replace(empty, "[]", "[1]", 1):                 `"cells" is a number`,
		strings.Replace(empty, "{}", "[1]", 1):                 `"metadata" is a list`,
		strings.Replace(empty, "{}", `{"kernelspec": 7}`, 1):   `"metadata.kernelspec" is a number`,
		empty:                    "",
		with("null"):             `cell 1 of the notebook: its cell_type is ""`,
		with(`{"cell_type": 5}`): `"cells.cell_type" is a number`,
		with(`{"cell_type": "strange", "metadata": {}, "source": ""}`):                                      `"strange"`,
		with(`{"cell_type": "raw", "source": ""}`):                                                          "it lacks metadata",
		with(`{"cell_type": "raw", "metadata": [1], "source": ""}`):                                         `"cells.metadata" is a list`,
		with(`{"cell_type": "raw", "metadata": {}}`):                                                        "its source is no text",
		with(`{"cell_type": "raw", "metadata": {}, "source": 7}`):                                           "its source is no text",
		with(`{"cell_type": "raw", "metadata": {}, "source": ["a", 1]}`):                                    "its source is no text",
		with(`{"cell_type": "raw", "metadata": {}, "source": ["a", "b"]}`):                                  "",
		with(`{"cell_type": "code", "metadata": {}, "source": ""}`):                                         "it lacks outputs",
		with(`{"cell_type": "code", "metadata": {}, "source": "", "outputs": "x", "execution_count": 1}`):   `"cells.outputs" is a text`,
		with(`{"cell_type": "code", "metadata": {}, "source": "", "outputs": [1], "execution_count": 1}`):   `"cells.outputs" is a number`,
		with(`{"cell_type": "code", "metadata": {}, "source": "", "outputs": [], "execution_count": null}`): "",
	} {
		file := filepath.Join(dir, "a.ipynb")
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		err := Check(file)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%.200s: got %v, want %q", text, err, want)
		}
	}
}

// Only a regular file that ends in .ipynb and is not huge is read, whatever else its path has.
func TestCheckPaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"a b's \"c\"\n[d]*? 数据.ipynb", "-x.ipynb", ".ipynb", `{a,b}\c.ipynb`} {
		must.Do(t, os.WriteFile(name, []byte(empty), 0o644))
		must.Do(t, Check(name))
		must.Do(t, Check(filepath.Join("..", filepath.Base(dir), name)))
	}
	must.Do(t, os.Symlink("-x.ipynb", "link.ipynb"))
	must.Do(t, Check("link.ipynb"))
	must.Do(t, os.Symlink("nowhere", "broken.ipynb"))
	must.Do(t, os.Mkdir("folder.ipynb", 0o755))
	must.Do(t, syscall.Mkfifo("pipe.ipynb", 0o644))
	must.Do(t, os.WriteFile("a.txt", []byte(empty), 0o644))
	must.Do(t, os.WriteFile("huge.ipynb", nil, 0o644))
	must.Do(t, os.Truncate("huge.ipynb", 1<<30))
	for name, want := range map[string]string{
		"broken.ipynb": "no such file", "missing.ipynb": "no such file", "folder.ipynb": "no regular file", "pipe.ipynb": "no regular file",
		"a.txt": "no notebook", "huge.ipynb": "1073741824 bytes",
	} {
		must.Fail(t, Check(name), want, "%s", name)
	}
}

// nbconvert reads what passes, at paths of every kind.
func TestCheckedIsConverted(t *testing.T) {
	nbconvert := needNbconvert(t)
	dir, out := t.TempDir(), t.TempDir()
	deep := strings.Repeat(`{"a": `, deepest-1) + "1" + strings.Repeat("}", deepest-1)
	for i, text := range []string{empty, strings.Replace(empty, "{}", deep, 1),
		`{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}`,
		with(`{"cell_type": "raw", "metadata": {}, "source": ["a", "b"]}`)} {
		file := filepath.Join(dir, fmt.Sprintf("a\nb's [%d].ipynb", i))
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		must.Do(t, Check(file))
		must.Do(t, convert(t.Context(), nbconvert, os.Environ(), file, "--to", "notebook", "--output-dir", out))
		if _, err := os.Stat(filepath.Join(out, filepath.Base(file))); err != nil {
			t.Error(err)
		}
	}
}
