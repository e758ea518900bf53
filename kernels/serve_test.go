package kernels

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// need skips the test for want of a program of Jupyter's, unless $VLPX_REQUIRE, a list with commas, names notebook.
func need(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "notebook") {
		t.Fatalf("VLPX_REQUIRE names notebook, but %v", err)
	}
	t.Skip(err)
}

func needNbconvert(t *testing.T) string {
	t.Helper()
	nbconvert, err := Nbconvert()
	need(t, err)
	return nbconvert
}

// standInKey is set where this binary is to be the stand-in for Jupyter.
const standInKey = "VLPX_TEST_STAND_IN"

func TestMain(m *testing.M) {
	if os.Getenv(standInKey) != "" {
		serveAsJupyter(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// serveAsJupyter is the stand-in for Jupyter: a server that knows its token and ends when it is told to.
func serveAsJupyter(arguments []string) {
	fmt.Println("arguments", arguments)
	port := ""
	for _, argument := range arguments {
		if value, found := strings.CutPrefix(argument, "--port="); found {
			port = value
		}
	}
	if strings.Contains(arguments[len(arguments)-1], "broken") {
		fmt.Println("a broken configuration")
		os.Exit(3)
	}
	if folder := arguments[len(arguments)-1]; strings.HasSuffix(folder, "snatched") &&
		os.Mkdir(filepath.Join(folder, "first"), 0o755) == nil {
		listener, err := net.Listen("tcp", "127.0.0.1:"+port) // of another program, which answers nobody
		if err != nil {
			os.Exit(1)
		}
		socket, err := listener.(*net.TCPListener).File()
		if err != nil {
			os.Exit(1)
		}
		other := exec.Command("sleep", "5")
		other.ExtraFiles = []*os.File{socket}
		if other.Start() != nil {
			os.Exit(3)
		}
		os.Exit(1)
	}
	first := ""
	if folder := arguments[len(arguments)-1]; strings.HasSuffix(folder, "contested") {
		if first = filepath.Join(folder, "first"); os.Mkdir(first, 0o755) != nil {
			first = ""
		}
	}
	var others time.Time // until then it is another program that answers
	if strings.HasSuffix(arguments[len(arguments)-1], "left") {
		others = time.Now().Add(time.Second)
	}
	server := http.Server{Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first != "" || time.Now().Before(others) || r.FormValue("token") != os.Getenv("JUPYTER_TOKEN") {
			w.WriteHeader(http.StatusForbidden)
		}
		if first != "" { // another program's answer, and what Jupyter does where it finds the port taken
			time.AfterFunc(200*time.Millisecond, func() { os.Exit(1) })
		}
	})}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		os.Exit(1) // as Jupyter does where another program has the port
	}
}

// standIn writes a program that TestServe starts in place of a server of Jupyter's.
func standIn(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", standInKey, os.Args[0])
	must.Do(t, os.WriteFile(path, []byte(script), 0o755))
	return path
}

// installedSpec returns a prefix with a kernelspec, whose checkout is there, but no kernel.
func installedSpec(t *testing.T) (prefix, checkout string) {
	t.Helper()
	prefix, checkout = t.TempDir(), t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(checkout, "notebooks"), 0o755))
	data := must.Get(dataDir(prefix))(t)
	must.Do(t, writeSpec(specDir(data), installed{Checkout: checkout}))
	return prefix, checkout
}

// served runs a server until it answers, and returns its address, what it logged, and how it ended when it was stopped.
func served(t *testing.T, s Server) (address *url.URL, log string, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var told strings.Builder
	s.Log = &told
	err = Serve(ctx, s, func(text string) {
		defer cancel()
		var err error
		if address, err = url.Parse(text); err != nil {
			t.Error(err)
			return
		}
		if address.Hostname() != "127.0.0.1" {
			t.Errorf("the server is at %s, want it on this machine only", text)
		}
		if len(address.Query().Get("token")) < 26 {
			t.Errorf("no token of 128 bits in %s", text)
		}
		client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		base := regexp.MustCompile("/(tree|lab|notebooks)(/.*)?$").ReplaceAllString(address.Path, "")
		for token, want := range map[string]int{address.Query().Get("token"): http.StatusOK, "": http.StatusForbidden} {
			response, err := client.Get(address.Scheme + "://" + address.Host + base + "/api/status?token=" + token)
			if err != nil {
				t.Error(err)
				return
			}
			response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("token %q: status %d, want %d", token, response.StatusCode, want)
			}
		}
	})
	return address, told.String(), err
}

func TestServe(t *testing.T) {
	prefix, installed := installedSpec(t)
	here, nowhere := t.TempDir(), t.TempDir()
	write(t, here, map[string]string{"go.mod": "module vlpx.internal\n", "notebooks/a.ipynb": ""})
	write(t, installed, map[string]string{"go.mod": "module vlpx.internal\n"})
	mine := filepath.Join(t.TempDir(), "my büro.ipynb")
	must.Do(t, os.WriteFile(mine, nil, 0o644))
	for _, test := range []struct{ name, in, program, open, path, argument string }{
		{"the checkout's notebooks", here, "jupyter-notebook", "", "/tree", filepath.Join(here, "notebooks")},
		{"those of the kernel's", nowhere, "jupyter-notebook", "", "/tree", filepath.Join(installed, "notebooks")},
		{"in JupyterLab", nowhere, "jupyter-lab", "", "/lab", filepath.Join(installed, "notebooks")},
		{"one's own", here, "jupyter-notebook", mine, "/notebooks/my büro.ipynb", mine},
		{"one's own in JupyterLab", nowhere, "jupyter-lab", mine, "/lab/tree/my büro.ipynb", mine},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(test.in)
			address, log, err := served(t, Server{Program: standIn(t, test.program), Prefix: prefix, Open: test.open})
			if err != nil || address == nil {
				t.Fatalf("address %v, error %v", address, err)
			}
			if address.Path != test.path {
				t.Errorf("address %s, want path %s", address, test.path)
			}
			for _, want := range []string{"--ip=127.0.0.1", "--port=" + address.Port(), "--no-browser", test.argument} {
				if !strings.Contains(log, want) {
					t.Errorf("%s started with %q, want %s", test.program, log, want)
				}
			}
			if strings.Contains(log, address.Query().Get("token")) {
				t.Error("the token is among the arguments, which everybody can read")
			}
		})
	}
}

// Another program that has the port first costs the server neither its start nor its token.
func TestServeWhereAnotherHadThePort(t *testing.T) {
	prefix, _ := installedSpec(t)
	for _, test := range []struct {
		name   string
		starts int
	}{
		{"contested", 2}, // the other one answers
		{"snatched", 2},  // it answers nobody
		{"left", 1},      // it answers, and then leaves the port to the server
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), test.name)
			must.Do(t, os.Mkdir(folder, 0o755))
			address, log, err := served(t, Server{Program: standIn(t, "jupyter-notebook"), Prefix: prefix, Open: folder})
			if err != nil || address == nil || strings.Count(log, "arguments") != test.starts {
				t.Errorf("address %v, error %v, log %s; want start %d to be served, with its token", address, err, log, test.starts)
			}
		})
	}
}

func TestServeThatCannot(t *testing.T) {
	prefix, _ := installedSpec(t)
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	broken := filepath.Join(t.TempDir(), "broken.ipynb")
	must.Do(t, os.WriteFile(broken, nil, 0o644))
	program := standIn(t, "jupyter-lab")
	for _, test := range []struct {
		name string
		Server
		says string
	}{
		{"the port is taken", Server{Program: program, Prefix: prefix, Port: listener.Addr().(*net.TCPAddr).Port}, "choose another"},
		{"no kernel", Server{Program: program, Prefix: t.TempDir()}, "vlpx notebook -install"},
		{"no such folder", Server{Program: program, Prefix: prefix, Open: "nowhere"}, "nowhere"},
		{"it ends at once", Server{Program: program, Prefix: prefix, Open: broken}, "exit status 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			must.Fail(t, must.Err2(served(t, test.Server)), test.says)
		})
	}
}

// A user's own configuration of Jupyter may give it a certificate and another path.
func TestServeConfigured(t *testing.T) {
	program, err := JupyterServer(t.Context())
	need(t, err)
	config := t.TempDir()
	for _, variable := range []string{"JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"} {
		t.Setenv(variable, t.TempDir())
	}
	t.Setenv("JUPYTER_CONFIG_DIR", config)
	https := httptest.NewTLSServer(nil)
	https.Close()
	certificate := https.TLS.Certificates[0]
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	settings := fmt.Sprintf(`{"base_url": "/user/anna", "certfile": %q, "keyfile": %q}`, filepath.Join(config, "cert.pem"),
		filepath.Join(config, "key.pem"))
	write(t, config, map[string]string{
		"cert.pem":                     encode("CERTIFICATE", certificate.Certificate[0]),
		"key.pem":                      encode("PRIVATE KEY", must.Get(x509.MarshalPKCS8PrivateKey(certificate.PrivateKey))(t)),
		"jupyter_notebook_config.json": fmt.Sprintf(`{"NotebookApp": %s, "ServerApp": %[1]s}`, settings),
		"jupyter_server_config.json":   fmt.Sprintf(`{"ServerApp": %s}`, settings),
	})
	prefix, _ := installedSpec(t)
	address, log, err := served(t, Server{Program: program, Prefix: prefix})
	if err != nil || address == nil || address.Scheme != "https" || !strings.HasPrefix(address.Path, "/user/anna/") {
		t.Errorf("address %v, error %v, log %s", address, err, log)
	}
}

// A server of before that had the port, and a kernel, do not tell where the server is.
func TestOrigin(t *testing.T) {
	dir, started := t.TempDir(), time.Now()
	const free = "http://127.0.0.1:8888/"
	for _, test := range []struct{ name, file, want string }{
		{"kernel-1.json", `{"shell_port": 8888}`, free},
		{"jpserver-1.json", `{"port": 8889, "base_url": "/other/", "secure": true}`, free},
		{"jpserver-2.json", `{"port": 8888, "base_`, free},
		{"jpserver-2.json", `{"port": 8888, "base_url": "/", "secure": true}`, "https://127.0.0.1:8888/"},
		{"jpserver-2.json", `{"port": 8888, "base_url": "/a/", "secure": false}`, "http://127.0.0.1:8888/a/"},
	} {
		write(t, dir, map[string]string{test.name: test.file})
		if got := origin(dir, 8888, started); got != test.want {
			t.Errorf("%s with %s: %s, want %s", test.name, test.file, got, test.want)
		}
	}
	if got := origin(dir, 8888, started.Add(time.Minute)); got != free {
		t.Errorf("a server of a minute before: %s, want %s", got, free)
	}
	if got := origin(filepath.Join(dir, "none"), 8888, started); got != free {
		t.Errorf("no folder: %s, want %s", got, free)
	}
}

// TestServeJupyter has the true Jupyter take the token, and end when it is told to.
func TestServeJupyter(t *testing.T) {
	program, err := JupyterServer(t.Context())
	need(t, err)
	for _, variable := range []string{"JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR"} { // without the user's settings
		t.Setenv(variable, t.TempDir())
	}
	prefix, _ := installedSpec(t)
	if address, log, err := served(t, Server{Program: program, Prefix: prefix}); err != nil || address == nil {
		t.Errorf("address %v, error %v, log %s", address, err, log)
	}
}

// A program that does not tell its version is waited for no longer than a limit.
func TestStartsEnds(t *testing.T) {
	program := filepath.Join(t.TempDir(), "jupyter-lab")
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755))
	begun := time.Now()
	if starts(t.Context(), program, 10*time.Millisecond) || time.Since(begun) > 30*time.Second {
		t.Errorf("it starts, or was waited for %v", time.Since(begun))
	}
}
