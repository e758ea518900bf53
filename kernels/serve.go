package kernels

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Server is a Jupyter server for one person on this machine: it listens on 127.0.0.1 only, behind a random token.
type Server struct {
	Program string // a server of Jupyter's, as JupyterServer finds it
	Prefix  string // where the kernel is installed; "" is the user's place
	// the folder or notebook to open; "" is the notebooks of the checkout at or above the working directory, else of that which installed
	// the kernel
	Open    string
	Port    int       // 0 takes Jupyter's usual 8888 or, where that is taken, any free one
	Browser bool      // let Jupyter open the browser, if it finds one
	Log     io.Writer // Jupyter's warnings
}

// stopTimeout is what a server gets to end its kernels, each of which gets five seconds from it.
const stopTimeout = 30 * time.Second

// errTaken is of a port that was free when it was looked for, and another program's when the server started.
var errTaken = errors.New("another program took the port first")

// Serve runs the server until ctx is cancelled, which ends it and its kernels, or the user ends it in the browser; neither
// is an error. Once it answers, ready is called with its address, token included.
func Serve(ctx context.Context, s Server, ready func(address string)) error {
	err := s.serve(ctx, ready)
	for range 2 {
		if s.Port != 0 || !errors.Is(err, errTaken) {
			break
		}
		err = s.serve(ctx, ready) // which finds that port taken
	}
	if err != nil {
		return fmt.Errorf("kernels: serve: %w", err)
	}
	return nil
}

func (s Server) serve(ctx context.Context, ready func(string)) error {
	data, err := dataDir(s.Prefix)
	if err != nil {
		return err
	}
	kernel, err := readSpec(specDir(data))
	if err != nil {
		return fmt.Errorf("the kernel is not installed: %w; run vlpx notebook -install", err)
	}
	folder, notebook, err := s.place(kernel.Checkout)
	if err != nil {
		return err
	}
	port, err := freePort(s.Port)
	if err != nil {
		return err
	}
	arguments := []string{"--ip=127.0.0.1", "--port=" + strconv.Itoa(port), "--port-retries=0", "--log-level=WARN"}
	if !s.Browser {
		arguments = append(arguments, "--no-browser")
	}
	if os.Geteuid() == 0 {
		arguments = append(arguments, "--allow-root")
	}
	runtime, err := runtimeDir()
	if err != nil {
		return err
	}
	token := rand.Text()
	started := time.Now()
	command := exec.CommandContext(ctx, s.Program, append(arguments, filepath.Join(folder, notebook))...)
	command.Dir = folder
	// An argument with the token would show in every user's ps.
	command.Env = append(environment(data), "JUPYTER_RUNTIME_DIR="+runtime, "JUPYTER_TOKEN="+token)
	command.Stdout, command.Stderr = s.Log, s.Log
	apart(command, syscall.SIGTERM, stopTimeout)
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	origin := func() string { return origin(runtime, port, started) }
	answered := false
	select {
	case known := <-answers(ctx, origin, token):
		if !known {
			if err, ends := endsSoon(ended); ends && ctx.Err() == nil {
				return fmt.Errorf("%w: port %d (%v); what %s says is above", errTaken, port, err, s.Program)
			} else if ends {
				return nil
			}
			select { // whoever answered may have ended meanwhile, and left the port to this one
			case known = <-answers(ctx, origin, token):
			case err := <-ended:
				ended <- err
			}
		}
		answered = true
		query := ""
		if known {
			query = "?token=" + token
		}
		ready(origin() + address(s.Program, notebook) + query)
		err = <-ended
	case err = <-ended:
		if _, taken := freePort(port); ctx.Err() == nil && taken != nil {
			return fmt.Errorf("%w: port %d (%v); what %s says is above", errTaken, port, err, s.Program)
		}
		if ctx.Err() == nil && err == nil {
			err = errors.New("it ended before it answered")
		}
	}
	switch {
	case ctx.Err() != nil && (command.ProcessState.Success() || !answered):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s had to be ended (%s); its kernels may still run", s.Program, command.ProcessState)
	case err != nil:
		return fmt.Errorf("%s: %w; what it says is above", s.Program, err)
	}
	return nil
}

// endsSoon tells whether a server ends, as it does where another program has taken its port, and how. Whoever answered there then was
// the other program.
func endsSoon(ended <-chan error) (error, bool) {
	select {
	case err := <-ended:
		return err, true
	case <-time.After(5 * time.Second):
		return nil, false
	}
}

// place returns the folder to serve and, if one is to be opened, the notebook in it.
func (s Server) place(installed string) (folder, notebook string, err error) {
	path := s.Open
	if path == "" {
		here, err := checkout(installed)
		if err != nil {
			return "", "", err
		}
		path = filepath.Join(here, "notebooks")
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if info.IsDir() {
		return path, "", nil
	}
	return filepath.Dir(path), filepath.Base(path), nil
}

// runtimeDir is where Jupyter's servers say where they are (docs.jupyter.org, "Runtime files").
func runtimeDir() (string, error) {
	if dir := os.Getenv("JUPYTER_RUNTIME_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	data, err := dataDir("")
	return filepath.Join(data, "runtime"), err
}

// origin is where the server of this port is, from the file that it writes when it starts: a user's own configuration of Jupyter may give
// it a certificate, and a path that all its addresses begin with. It ends with a slash. Without a file since the server was started it is
// what Jupyter does by itself.
func origin(runtime string, port int, started time.Time) string {
	scheme, base := "http", "/"
	entries, _ := os.ReadDir(runtime) // none before Jupyter has made the folder
	for _, entry := range entries {
		var server struct {
			Port   int
			Secure bool
			Base   string `json:"base_url"`
		}
		info, err := entry.Info()
		if err != nil || info.ModTime().Before(started.Add(-time.Second)) || filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(runtime, entry.Name()))
		if err != nil || json.Unmarshal(text, &server) != nil || server.Port != port || server.Base == "" {
			continue // a kernel's, or half written
		}
		if base = server.Base; server.Secure {
			scheme = "https"
		}
	}
	return fmt.Sprintf("%s://127.0.0.1:%d%s", scheme, port, base)
}

// address is where below its origin a server shows the notebook, or its folder if there is none.
func address(program, notebook string) string {
	switch {
	case notebook == "" && isLab(program):
		return "lab"
	case notebook == "":
		return "tree"
	case isLab(program):
		return "lab/tree/" + url.PathEscape(notebook)
	}
	return "notebooks/" + url.PathEscape(notebook)
}

// freePort returns the port asked for, or an error if another program has it. For 0 it is Jupyter's usual one, or any.
func freePort(port int) (int, error) {
	choices := []int{port}
	if port == 0 {
		choices = []int{8888, 0}
	}
	for _, choice := range choices {
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(choice)))
		if err != nil {
			continue
		}
		defer listener.Close()
		return listener.Addr().(*net.TCPAddr).Port, nil
	}
	return 0, fmt.Errorf("port %d cannot be used, perhaps another program has it; choose another one, or none", port)
}

// answers waits for the server at origin, which may become another one while it starts, and tells once whether it takes the token, which
// a user's own configuration of Jupyter can replace.
func answers(ctx context.Context, origin func() string, token string) <-chan bool {
	// A user's certificate is rarely one for 127.0.0.1, whose other end is on this machine.
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	known := make(chan bool, 1)
	go func() {
		defer client.CloseIdleConnections()
		for ctx.Err() == nil {
			asked := origin()
			if response, err := client.Get(asked + "api/status?token=" + token); err == nil {
				response.Body.Close()
				if asked == origin() {
					known <- response.StatusCode == http.StatusOK
					return
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	return known
}

// apart keeps a program of Jupyter's from what is typed in the terminal, so that Ctrl-C reaches it once: as the signal by
// which it ends its kernels. It is killed where that takes longer than wait.
func apart(command *exec.Cmd, signal os.Signal, wait time.Duration) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(signal) }
	command.WaitDelay = wait
}
