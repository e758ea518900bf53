package notebooks

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/vlpx/paper"
)

func TestCommittedFilesAreTheGenerated(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, notebook := range files {
		names = append(names, name)
		want, err := notebook.Encode()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its Go code generates; run go generate ./notebooks", name)
		}
	}
	committed, err := filepath.Glob("*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	if !slices.Equal(committed, names) {
		t.Errorf("the notebooks here are %q, the generated ones %q", committed, names)
	}
}

func TestFALCONShowsAllThereIs(t *testing.T) {
	notebook, err := falcon()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := notebook.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range paper.All() {
		got := strings.Contains(string(encoded), `vlpx.Show(\"`+a.ID+`\"`)
		if want := a.Paper() == "falcon" && a.Status() != paper.NotYet; got != want {
			t.Errorf("%s (%s): shown is %v, want %v", a.ID, a.Status(), got, want)
		}
	}
}

func TestUnknownArtifactIsAnError(t *testing.T) {
	_, err := compose("", []section{{"falcon/tabel1", ""}})
	if err == nil || !strings.Contains(err.Error(), `"falcon/table1"`) {
		t.Errorf("error %v, want one that suggests falcon/table1", err)
	}
}
