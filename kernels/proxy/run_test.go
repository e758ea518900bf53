package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// roleKey is set where this binary is a program: the proxy, or the kernel program behind it.
const roleKey = "VLPX_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleKey) {
	case "proxy":
		os.Setenv(roleKey, "kernel")
		status, err := Run(os.Args[1], os.Args[0], os.Args[2:]...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(status)
	case "kernel":
		standIn(os.Args[1], os.Args[len(os.Args)-1])
	}
	os.Exit(m.Run())
}

// standIn is a kernel program that tells its connection file and sends back what the shell channel gets, until a client asks it to
// end, or, for the order, at once.
func standIn(order, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d\n%s\n%s\n", os.Getpid(), path, text)
	switch order {
	case "fail":
		os.Exit(7)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	c, err := readConnection(path)
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen(c.address(c.shell))
	if err != nil {
		panic(err)
	}
	for {
		client, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go io.Copy(client, client)
	}
}

// proxyOf starts the proxy on a connection file in dir, and returns what the kernel program tells.
func proxyOf(t *testing.T, dir, transport, order string) (proxy *exec.Cmd, port int, kernel int, path string, connection map[string]any) {
	t.Helper()
	ip := filepath.Join(dir, "channel")
	port = 1
	if transport == "tcp" {
		ip = "127.0.0.1"
		listener := must.Get(net.Listen("tcp", ip+":0"))(t)
		port = listener.Addr().(*net.TCPAddr).Port
		listener.Close()
	}
	file := filepath.Join(dir, "kernel-one.json")
	text := fmt.Sprintf(`{"transport": %q, "ip": %q, "shell_port": %d, "hb_port": 2, "key": "a key", "kernel_name": "vlpx"}`,
		transport, ip, port)
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	proxy = exec.Command(os.Args[0], file, order)
	proxy.Env = append(os.Environ(), roleKey+"=proxy", "TMPDIR="+dir)
	proxy.Stderr = t.Output()
	out := must.Get(proxy.StdoutPipe())(t)
	must.Do(t, proxy.Start())
	t.Cleanup(func() { proxy.Process.Kill() })
	must.Get(fmt.Fscan(out, &kernel, &path))(t)
	decoder := json.NewDecoder(out)
	must.Do(t, decoder.Decode(&connection))
	return proxy, port, kernel, path, connection
}

// gone waits until a process has ended.
func gone(t *testing.T, process int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
		if errors.Is(err, os.ErrNotExist) || strings.Contains(string(status), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", process)
		}
	}
}

// A client of the shell channel is connected to the kernel program, whose connection file is the client's but for the port.
func TestRun(t *testing.T) {
	for _, transport := range []string{"tcp", "ipc"} {
		t.Run(transport, func(t *testing.T) {
			dir := t.TempDir()
			if transport == "ipc" {
				dir = shortDir(t)
			}
			proxy, port, kernel, path, told := proxyOf(t, dir, transport, "serve")
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || filepath.Base(path) != "kernel-one.json" {
				t.Errorf("the connection file %s: %v (%v)", path, info, err)
			}
			if inner := int(told["shell_port"].(float64)); inner == port || inner == 2 || told["key"] != "a key" ||
				told["kernel_name"] != "vlpx" {
				t.Errorf("the kernel's connection %v", told)
			}
			network, address := "tcp", "127.0.0.1:"+strconv.Itoa(port)
			if transport == "ipc" {
				network, address = "unix", filepath.Join(dir, "channel-1")
			}
			for range 3 { // clients come and go
				client := must.Get(net.Dial(network, address))(t)
				client.SetDeadline(time.Now().Add(20 * time.Second))
				sent := stream(sent("execute_request", "1", "", "{}", make([]byte, 3<<20)))
				go client.Write(sent)
				got := make([]byte, len(sent))
				if _, err := io.ReadFull(client, got); err != nil || !bytes.Equal(got, sent) {
					t.Errorf("what was sent does not come back: %v", err)
				}
				client.Close()
			}
			if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the connection file is there after the kernel has read it (%v)", err)
			}
			must.Do(t, proxy.Process.Signal(syscall.SIGINT))
			must.Do(t, proxy.Process.Signal(syscall.SIGTERM))
			if err := proxy.Wait(); err == nil || err.Error() != "exit status 143" {
				t.Errorf("it ended with %v, want 143 of its kernel", err)
			}
			gone(t, kernel)
		})
	}
}

// shortDir is a folder whose name a socket's can be made of.
func shortDir(t *testing.T) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("/tmp", "vlpx"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// The proxy ends as its kernel does.
func TestRunEndsWithItsKernel(t *testing.T) {
	for order, want := range map[string]string{"fail": "exit status 7", "kill": "exit status 137"} {
		proxy, _, _, path, _ := proxyOf(t, t.TempDir(), "tcp", order)
		if err := proxy.Wait(); err == nil || err.Error() != want {
			t.Errorf("%s: it ended with %v, want %s", order, err, want)
		}
		if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the connection file is left (%v)", order, err)
		}
	}
}

func TestConnectionThatIsNone(t *testing.T) {
	for name, text := range map[string]string{"no JSON": "{", "no transport": `{"ip": "127.0.0.1"}`,
		"another one": `{"transport": "udp"}`} {
		path := filepath.Join(t.TempDir(), "kernel.json")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		must.Fail(t, must.Err(Run(path, "/bin/false")), path, "%s", name)
	}
	if _, err := Run("/nowhere", "/bin/false"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}
