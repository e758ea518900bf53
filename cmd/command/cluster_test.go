package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// cluster is a Slurm of nodes on this machine's loopback, with keys and ports of its own, which ends with the test.
type cluster struct{ dir string }

// clusterConfig leaves RequeueExit alone, as most clusters do, and finds a lost node within seconds.
const clusterConfig = `ClusterName=vlpx
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthInfo=socket=%[5]s/munge.sock,cred_expire=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool/%%n
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd-%%n.pid
SlurmctldLogFile=%[5]s/slurmctld.log
SlurmdLogFile=%[5]s/slurmd-%%n.log
SlurmdTimeout=5
KillWait=2
MinJobAge=10
ReturnToService=2
MaxArraySize=4
CommunicationParameters=EnableIPv6
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,requeue_delay=0
NodeName=n[1-%[4]d] NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=[%[6]d-%[7]d] CPUs=1
PartitionName=test Nodes=ALL Default=YES
`

// newCluster starts one. Where Slurm is missing the test is skipped, unless $VLPX_REQUIRE, a list with commas, names slurm.
func newCluster(t *testing.T, nodes int) *cluster {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "slurm") {
				t.Fatalf("VLPX_REQUIRE names slurm, but %v", err)
			}
			t.Skipf("%v: Debian has it in slurmctld, slurmd, slurm-client and munge", err)
		}
	}
	dir, err := os.MkdirTemp("", "slurm") // a short name: sockets have short ones
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{dir}
	t.Cleanup(func() {
		c.down(t)
		os.RemoveAll(dir)
	})
	host := must.Get(os.Hostname())(t)
	host, _, _ = strings.Cut(host, ".")
	who := must.Get(user.Current())(t)
	key := make([]byte, 1024)
	rand.Read(key)
	port := freePorts(t, nodes+1)
	config := fmt.Sprintf(clusterConfig, host, who.Username, port, nodes, dir, port+1, port+nodes)
	for name, content := range map[string][]byte{"munge.key": key, "slurm.conf": []byte(config)} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	for _, sub := range []string{"state", "spool"} {
		must.Do(t, os.Mkdir(filepath.Join(dir, sub), 0o755))
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	c.call(t, "munged", "--force", "--key-file="+dir+"/munge.key", "--socket="+dir+"/munge.sock", "--pid-file="+dir+"/munged.pid",
		"--log-file="+dir+"/munged.log", "--seed-file="+dir+"/munge.seed")
	c.call(t, "slurmctld", "-i", "-c")
	for k := range nodes {
		c.call(t, "slurmd", "-N", fmt.Sprintf("n%d", k+1))
	}
	c.await(t, 20*time.Second, "all nodes are idle", func() bool {
		return strings.TrimSpace(c.ask("sinfo", "-h", "-t", "idle", "-o", "%D")) == strconv.Itoa(nodes)
	})
	return c
}

// freePorts finds so many free ports beside each other.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	for first := 17000 + os.Getpid()%1000; first < 32000; first += n {
		free := true
		for port := first; port < first+n; port++ {
			l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
			if err != nil {
				free = false
				break
			}
			l.Close()
		}
		if free {
			return first
		}
	}
	t.Fatal("no free ports")
	return 0
}

// call runs a program of Slurm's that starts something.
func (c *cluster) call(t *testing.T, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	// Output goes to a file: a daemon keeps it open.
	file := must.Get(os.Create(filepath.Join(c.dir, name+".out")))(t)
	defer file.Close()
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout, command.Stderr = file, file
	if err := command.Run(); err != nil {
		text, _ := os.ReadFile(file.Name())
		t.Fatalf("%s: %v: %s", name, err, text)
	}
}

// ask is what a client says; empty where it fails.
func (c *cluster) ask(name string, args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func (c *cluster) await(t *testing.T, limit time.Duration, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it is not so after %v that %s\n%s\n%s", limit, what, c.ask("squeue"), c.logs())
		}
	}
}

// logs are the ends of the daemons' logs.
func (c *cluster) logs() string {
	files, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
	var all string
	for _, file := range files {
		text, _ := os.ReadFile(file)
		all += fmt.Sprintf("%s:\n%s\n", filepath.Base(file), text[max(0, len(text)-2000):])
	}
	return all
}

// processes are the cluster's whose environment has a variable: of jobs, by what Slurm tells them.
func (c *cluster) processes(variable string) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		has := func(v string) bool { return bytes.Contains(append([]byte{0}, environment...), []byte("\x00"+v+"\x00")) }
		if has(variable) && has("SLURM_CONF="+filepath.Join(c.dir, "slurm.conf")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill kills a node at once: its jobs, their keepers, and its daemon.
func (c *cluster) kill(t *testing.T, node string) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(c.dir, "slurmd-"+node+".pid")))(t)
	daemon := must.Get(strconv.Atoi(strings.TrimSpace(string(text))))(t)
	syscall.Kill(daemon, syscall.SIGKILL)
	for _, pid := range c.processes("SLURMD_NODENAME=" + node) {
		if keeper := parent(pid); keeper > 1 && strings.HasPrefix(commandOf(keeper), "slurmstepd") {
			syscall.Kill(keeper, syscall.SIGKILL)
		}
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func parent(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}

func commandOf(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(text)
}

// down ends all of the cluster's processes.
func (c *cluster) down(t *testing.T) {
	c.ask("scancel", "-u", strconv.Itoa(os.Getuid()))
	files, _ := filepath.Glob(filepath.Join(c.dir, "*.pid"))
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, file := range files {
			text, _ := os.ReadFile(file)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if command := commandOf(pid); err == nil && pid > 1 &&
				(strings.Contains(command, "munged") || strings.Contains(command, "slurm")) {
				syscall.Kill(pid, signal)
			}
		}
		time.Sleep(500 * time.Millisecond)
	}
	for _, pid := range c.processes("SLURM_CONF=" + filepath.Join(c.dir, "slurm.conf")) {
		if pid != os.Getpid() && strings.HasPrefix(commandOf(pid), "slurm") {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
