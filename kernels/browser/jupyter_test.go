package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/kerneltest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/kernels"
)

// front is a page of Jupyter's.
type front struct {
	program   string // its server
	driver    string // what page.mjs drives it by
	notebook  string // where it shows notebooks
	hub       bool   // whether it stands behind a proxy with TLS and at another path than /, as JupyterHub and Binder have it
	completes bool   // whether names are completed, for which gopls reads vlpx first, for ten seconds of a processor
}

// classic is Debian's Jupyter with the classic page.
var classic = front{program: "/usr/bin/jupyter-notebook", driver: "classic", notebook: "/notebooks/"}

// seven and lab are Notebook 7 and JupyterLab 4, which .ci/pages/build builds into the folder pages.
func seven(pages string) front {
	return front{program: filepath.Join(pages, "jupyter-lab"), driver: "lab", notebook: "/notebooks/"}
}

func lab(pages string) front {
	return front{program: filepath.Join(pages, "jupyter-lab"), driver: "lab", notebook: "/lab/tree/", hub: true}
}

// jupyter is a running server with a store and a folder for temporary files of its own.
type jupyter struct {
	front   front
	folder  string  // whose notebooks it shows
	scratch string  // GoNB builds cells here
	address url.URL // of the server, token included
}

// startJupyter installs the kernel and starts Jupyter for the notebooks in folder, which it makes. It ends with the test.
func startJupyter(t *testing.T, f front, folder string) *jupyter {
	t.Helper()
	must.Do(t, os.MkdirAll(folder, 0o755))
	prefix := kerneltest.Prefix(t)
	// Not t.TempDir: its long names do not fit into the addresses of GoNB's sockets.
	scratch := must.Get(os.MkdirTemp("", "vlpx-"))(t)
	t.Cleanup(func() { os.RemoveAll(scratch) })
	config := filepath.Join(scratch, "config")
	t.Setenv("TMPDIR", scratch)
	t.Setenv("VLPX_HOME", filepath.Join(scratch, "home"))
	t.Setenv("JUPYTER_CONFIG_DIR", config)
	t.Setenv("JUPYTER_RUNTIME_DIR", filepath.Join(scratch, "runtime"))
	if !f.completes {
		t.Setenv("VLPX_UNATTENDED", "1")
	}
	const base, token = "/user/anna", "secret"
	if f.hub {
		must.Do(t, os.MkdirAll(config, 0o755))
		must.Do(t, os.WriteFile(filepath.Join(config, "jupyter_server_config.json"),
			fmt.Appendf(nil, `{"ServerApp": {"base_url": %q, "token": %q}}`, base, token), 0o644))
	}

	ctx, cancel := context.WithCancel(context.Background())
	var said bytes.Buffer
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		server := kernels.Server{Program: f.program, Prefix: prefix, Open: folder, Log: &said}
		ended <- kernels.Serve(ctx, server, func(address string) { ready <- address })
	}()
	j := &jupyter{front: f, folder: folder, scratch: scratch}
	select {
	case address := <-ready:
		j.address = *must.Get(url.Parse(address))(t)
	case err := <-ended:
		cancel()
		t.Fatalf("Jupyter ended: %v\n%s", err, said.String())
	}
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("Jupyter's log:\n%s", said.String())
		}
	})
	j.address.Path = ""
	if f.hub {
		server := &url.URL{Scheme: "http", Host: j.address.Host}
		hub := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(server)
			r.Out.Host = r.In.Host // Jupyter compares it with the page's origin
		}})
		hub.Config.ErrorLog = log.New(io.Discard, "", 0) // the browser complains of the certificate once a connection
		hub.StartTLS()
		t.Cleanup(hub.Close)
		j.address = *must.Get(url.Parse(hub.URL + base + "?token=" + token))(t)
	}
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
	page := j.address
	page.Path += j.front.notebook + notebook
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
	for start := time.Now(); !holds(); time.Sleep(200 * time.Millisecond) {
		if time.Since(start) > stepLimit {
			t.Fatalf("after %s it does not hold that %s", stepLimit, what)
		}
	}
}
