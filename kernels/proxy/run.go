package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// Run starts the kernel program with these arguments and, after them, --kernel and a connection file like that of Jupyter's but for
// the shell's port, which Run serves itself. It returns the program's exit status once it has ended, 128 and more for a signal.
//
// SIGTERM and SIGHUP end the program, SIGINT is left to it; on Linux it does not outlive this process. Run must be called by the
// main goroutine.
func Run(connectionFile, program string, arguments ...string) (status int, err error) {
	connection, err := readConnection(connectionFile)
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen(connection.address(connection.shell))
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	dir, err := os.MkdirTemp("", "vlpx-kernel-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	inner, err := connection.freePort()
	if err != nil {
		return 0, err
	}
	path := filepath.Join(dir, filepath.Base(connectionFile)) // GoNB reads the kernel's identity from its name
	if err := connection.write(path, inner); err != nil {
		return 0, err
	}
	command := exec.Command(program, append(arguments, "--kernel", path)...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{}
	endWithParent(command.SysProcAttr)
	runtime.LockOSThread() // whose end is what Linux takes for the parent's
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if err := command.Start(); err != nil {
		return 0, err
	}
	go handOn(signals, command.Process)
	network, address := connection.address(inner)
	dial := func() (net.Conn, error) {
		kernel, err := net.Dial(network, address)
		if err == nil {
			os.RemoveAll(dir) // read by now; a process that is killed could not remove the key that is in it
		}
		return kernel, err
	}
	go serve(listener, dial, connection.key)
	err = command.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	if state := command.ProcessState.Sys().(syscall.WaitStatus); state.Signaled() {
		return 128 + int(state.Signal()), nil
	}
	return command.ProcessState.ExitCode(), nil
}

// grace is what the kernel program gets to end by itself, since a signal to the whole process group has reached it, too.
const grace = time.Second

// handOn ends the kernel program where this process alone is told to end.
func handOn(signals <-chan os.Signal, kernel *os.Process) {
	for received := range signals {
		if received == syscall.SIGINT {
			continue
		}
		time.Sleep(grace)
		kernel.Signal(received) // no error counts: it may have ended
	}
}

// serve accepts clients of the shell channel, and connects each to the kernel program.
func serve(listener net.Listener, dial func() (net.Conn, error), key []byte) {
	for {
		client, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // too many open files, for one
			continue
		}
		go connect(client, dial, key)
	}
}

// startTimeout is how long the kernel program may take until it listens.
const startTimeout = time.Minute

// connect is one client's connection, until either side ends it.
func connect(client net.Conn, dial func() (net.Conn, error), key []byte) {
	defer client.Close()
	kernel, err := dial()
	for end := time.Now().Add(startTimeout); err != nil && time.Now().Before(end); kernel, err = dial() {
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return
	}
	defer kernel.Close()
	s, ended := newSession(key), make(chan struct{}, 2)
	pass := func(to io.Writer, from io.Reader, r rewriting) {
		relay(to, from, r) // its error is that the connection has ended
		ended <- struct{}{}
	}
	go pass(kernel, client, s.requests())
	go pass(client, kernel, s.replies())
	<-ended
}

// connection is what Jupyter's connection file says.
type connection struct {
	fields        map[string]json.RawMessage
	transport, ip string
	shell         int
	key           []byte
}

// readConnection reads a connection file.
func readConnection(path string) (connection, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return connection{}, err
	}
	var file struct {
		Transport, IP, Key string
		Shell              int `json:"shell_port"`
	}
	c := connection{}
	if err := errors.Join(json.Unmarshal(text, &file), json.Unmarshal(text, &c.fields)); err != nil {
		return connection{}, fmt.Errorf("%s: %w", path, err)
	}
	if file.Transport != "tcp" && file.Transport != "ipc" {
		return connection{}, fmt.Errorf("%s: transport %q, want tcp or ipc", path, file.Transport)
	}
	c.transport, c.ip, c.shell, c.key = file.Transport, file.IP, file.Shell, []byte(file.Key)
	return c, nil
}

// address is where a channel with this port is, as package net has it.
func (c connection) address(port int) (network, address string) {
	if c.transport == "ipc" {
		return "unix", c.ip + "-" + strconv.Itoa(port)
	}
	return "tcp", net.JoinHostPort(c.ip, strconv.Itoa(port))
}

// freePort returns a port that nobody listens at. As with those that Jupyter chooses, another program may be faster to take it.
func (c connection) freePort() (int, error) {
	if c.transport == "ipc" {
		for port := c.shell + 1; ; port++ {
			_, path := c.address(port)
			if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) && !c.uses(port) {
				return port, nil
			}
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(c.ip, "0"))
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// uses reports whether a channel has the port already.
func (c connection) uses(port int) bool {
	for _, field := range c.fields {
		if string(field) == strconv.Itoa(port) {
			return true
		}
	}
	return false
}

// write writes the connection file for a kernel whose shell has another port.
func (c connection) write(path string, shell int) error {
	fields := map[string]any{}
	for name, value := range c.fields {
		fields[name] = value
	}
	fields["shell_port"] = shell
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600) // it has the key
}
