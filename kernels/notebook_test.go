package kernels

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// awkward is a notebook of what JSON writers treat differently.
var awkward = Notebook{Cells: []Cell{
	Markdown("# Ünïcode 😀 <b> & \"quotes\" \\ \n\n\tand a tab"),
	Go("%%\nfmt.Println(\"<&>\", '\\n')\n\n"),
	Go(""),
}}

func TestEncode(t *testing.T) {
	got := must.Get(awkward.Encode())(t)
	const want = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "cell-01",
   "metadata": {},
   "source": [
    "# Ünïcode 😀 <b> & \"quotes\" \\ \n",
    "\n",
    "\tand a tab"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "cell-02",
   "metadata": {},
   "outputs": [],
   "source": [
    "%%\n",
    "fmt.Println(\"<&>\", '\\n')"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "cell-03",
   "metadata": {},
   "outputs": [],
   "source": []
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Go (vlpx)",
   "language": "go",
   "name": "vlpx"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNbconvertWritesTheSameBytes(t *testing.T) {
	nbconvert := needNbconvert(t)
	want := must.Get(awkward.Encode())(t)
	path := filepath.Join(t.TempDir(), "awkward.ipynb")
	must.Do(t, os.WriteFile(path, want, 0o644))
	if out, err := exec.Command(nbconvert, "--clear-output", "--inplace", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("nbconvert wrote\n%s\nwant\n%s", got, want)
	}
}

func TestEncodeRefusesWhatPythonReadsDifferently(t *testing.T) {
	for name, source := range map[string]string{
		"line separator":      "a\u2028b",
		"paragraph separator": "a\u2029b",
		"next line":           "a\u0085b",
		"carriage return":     "a\r\nb",
		"delete":              "a\x7fb",
		"escape":              "a\x1b[0mb",
		"invalid UTF-8":       "a\xffb",
	} {
		_, err := Notebook{Cells: []Cell{Go("1"), Markdown(source)}}.Encode()
		if err == nil || !strings.Contains(err.Error(), "cell 2") {
			t.Errorf("%s: error %v, want one about cell 2", name, err)
		}
	}
	if _, err := (Notebook{Cells: []Cell{{}}}).Encode(); err == nil {
		t.Error("a cell without a kind: no error")
	}
}
