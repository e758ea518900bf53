package browser

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
)

// classic is Debian's Jupyter with the classic page.
const classic = "/usr/bin/jupyter-notebook"

// jupyter is a running server with a store and a folder for temporary files of its own.
type jupyter struct {
	folder  string   // whose notebooks it shows
	scratch string   // GoNB builds cells here
	address *url.URL // of the folder's page, token included
}

// startJupyter installs the kernel and starts Jupyter for the notebooks in folder, which it makes. It ends with the test.
func startJupyter(t *testing.T, folder string) *jupyter {
	t.Helper()
	must.Do(t, os.MkdirAll(folder, 0o755))
	// Not t.TempDir: its long names do not fit into the addresses of GoNB's sockets.
	scratch := must.Get(os.MkdirTemp("", "vlpx-"))(t)
	t.Cleanup(func() { os.RemoveAll(scratch) })
	prefix := filepath.Join(scratch, "prefix")
	must.Do(t, kernels.Install(t.Context(), prefix, t.Output()))
	t.Setenv("TMPDIR", scratch)
	t.Setenv("VLPX_HOME", filepath.Join(scratch, "home"))
	t.Setenv("JUPYTER_CONFIG_DIR", filepath.Join(scratch, "config"))
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(scratch, "runtime"))

	ctx, cancel := context.WithCancel(context.Background())
	var log bytes.Buffer
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		server := kernels.Server{Program: classic, Prefix: prefix, Open: folder, Log: &log}
		ended <- kernels.Serve(ctx, server, func(address string) { ready <- address })
	}()
	j := &jupyter{folder: folder, scratch: scratch}
	select {
	case address := <-ready:
		j.address = must.Get(url.Parse(address))(t)
	case err := <-ended:
		cancel()
		t.Fatalf("Jupyter ended: %v\n%s", err, log.String())
	}
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("Jupyter's log:\n%s", log.String())
		}
	})
	return j
}

// add writes a notebook into the folder.
func (j *jupyter) add(t *testing.T, notebook string, encoded []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(j.folder, notebook), encoded, 0o644))
}

// project copies one of the project's notebooks into the folder, for Jupyter saves what it shows, and returns its name.
func (j *jupyter) project(t *testing.T, notebook string) string {
	t.Helper()
	encoded, err := os.ReadFile(filepath.Join("..", "..", "notebooks", notebook))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	j.add(t, notebook, encoded)
	return notebook
}

// page is the address of a notebook in the folder.
func (j *jupyter) page(notebook string) string {
	page := *j.address
	page.Path = "/notebooks/" + notebook
	return page.String()
}

// cells lists the processes of cells that live, those that a kernel left behind among them.
func (j *jupyter) cells(t *testing.T) []string {
	t.Helper()
	links := must.Get(filepath.Glob("/proc/[0-9]*/exe"))(t)
	var cells []string
	for _, link := range links {
		program, err := os.Readlink(link) // an error: it ended meanwhile
		if err == nil && strings.HasPrefix(program, filepath.Join(j.scratch, "gonb_")) {
			cells = append(cells, filepath.Dir(link)+" "+program)
		}
	}
	return cells
}

// eventually waits until what is said holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > stepLimit {
			t.Fatalf("after %s it does not hold that %s", stepLimit, what)
		}
	}
}
