package sweep

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"vlpx.internal/datasets/content"
)

// SSH is hosts that the user reaches by ssh without a password, and that have the store at the same path, as by a network file system. A
// worker is a process of a host, with the connection for its input: where that ends it keeps a checkpoint and ends, too.
type SSH struct {
	// Say, if not nil, hears of hosts that are left.
	Say func(line string)

	pool
	slots []hostSlot
	out   map[string]*outage // by host
	pause time.Duration      // before a host is tried again
}

// hostSlot is the place of a worker on a host.
type hostSlot struct{ host, gpus string }

// outage is a host's that has not been reached, or does not work.
type outage struct {
	times int // in a row
	until time.Time
	why   string
}

const (
	hostPause   = 30 * time.Second
	hostTries   = 3   // in a row, after which a host is left
	unreachable = 255 // ssh's exit status for an error of its own
	notRunnable = 126 // a shell's, for a program that it cannot run
	notFound    = 127 // and for one that is not there
	mostOnHost  = 256 // workers of a host: more are a slip of the pen
)

// hostName is what names of hosts look like, with a user in front or without: none that ssh could take for an option.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_\[][A-Za-z0-9_.@:%\[\]-]*$`)

// NewSSH is a launcher on the hosts of a file: a line each, HOST [jobs=N] [gpus=0,1], as ssh knows the host by name. It takes N workers at
// once, one if that is not set, or one for each of its GPUs. Empty lines and what is behind a # are passed over.
func NewSSH(file string) (*SSH, error) {
	text, err := content.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ssh: %w", err)
	}
	l := &SSH{out: map[string]*outage{}, pause: hostPause}
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		slots, err := hostSlots(fields)
		if err == nil && l.out[fields[0]] != nil {
			err = fmt.Errorf("%s is there twice; give it jobs=N", fields[0])
		}
		if err != nil {
			return nil, fmt.Errorf("ssh: %s: line %d: %w", file, n+1, err)
		}
		l.slots, l.out[fields[0]] = append(l.slots, slots...), new(outage)
	}
	if len(l.slots) == 0 {
		return nil, fmt.Errorf("ssh: %s names no host; write one a line", file)
	}
	return l, nil
}

// hostSlots are the places of a line's host.
func hostSlots(fields []string) ([]hostSlot, error) {
	host, jobs := fields[0], 0
	if !hostName.MatchString(host) {
		return nil, fmt.Errorf("%q is no name of a host", host)
	}
	var gpus []string
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "jobs":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > mostOnHost {
				return nil, fmt.Errorf("%s: write a number of workers from 1 to %d", field, mostOnHost)
			}
			jobs = n
		case "gpus":
			if value == "" {
				return nil, fmt.Errorf("%s: write the GPUs as gpus=0,1", field)
			}
			gpus = strings.Split(value, ",")
		default:
			return nil, fmt.Errorf("%q is no setting of a host; there are jobs and gpus", field)
		}
	}
	if jobs == 0 {
		jobs = max(1, len(gpus))
	}
	slots := make([]hostSlot, jobs)
	for k := range slots {
		slots[k].host = host
		if len(gpus) > 0 {
			slots[k].gpus = gpus[k%len(gpus)]
		}
	}
	return slots, nil
}

// Begin makes ready; no host is asked yet.
func (l *SSH) Begin(_ context.Context, s *Sweep, w Worker) error {
	if _, err := exec.LookPath("ssh"); err != nil {
		return fmt.Errorf("ssh: %w; install an ssh client", err)
	}
	l.start, l.free, l.lost = l.startOn, l.reachable, l.miss
	l.open(s, w, len(l.slots))
	return nil
}

// startOn starts a worker on the host of a slot.
func (l *SSH) startOn(k int, call Call, input, log *os.File) (*exec.Cmd, error) {
	c := exec.Command("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15", "-o",
		"ServerAliveCountMax=3", "--", l.slots[k].host, l.script(k, call))
	c.SysProcAttr = apart
	c.Stdin, c.Stdout, c.Stderr = input, log, log
	return c, c.Start()
}

// script is what the shell of a host does for a call: the worker in its place, with what the environment here says of vlpx and its engine.
func (l *SSH) script(k int, call Call) string {
	args, env := l.worker.command(call)
	words := []string{"exec", "env"}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "VLPX_") || strings.HasPrefix(variable, "GOMLX_") {
			words = append(words, shellQuoted(variable))
		}
	}
	if gpus := l.slots[k].gpus; gpus != "" {
		env = append(env, cudaEnv+"="+gpus)
	}
	for _, variable := range env {
		words = append(words, shellQuoted(variable))
	}
	for _, word := range append([]string{l.worker.Program(l.sweep)}, args...) {
		words = append(words, shellQuoted(word))
	}
	return strings.Join(words, " ")
}

// reachable tells whether a slot's host may be tried now.
func (l *SSH) reachable(k int) bool {
	o := l.out[l.slots[k].host]
	return o.times < hostTries && !time.Now().Before(o.until)
}

// miss notes whether the host of a slot has failed, by a worker's exit status, so that the task goes to another.
func (l *SSH) miss(k, index, status int) bool {
	host := l.slots[k].host
	o := l.out[host]
	switch status {
	case unreachable:
		o.why = "it cannot be reached, or was lost"
	case notFound, notRunnable:
		o.why = fmt.Sprintf("it has no %s, or cannot run it; let all hosts have the store at the same path, and the same processors",
			l.worker.Program(l.sweep))
	default:
		o.times = 0
		return false
	}
	if time.Now().Before(o.until) { // another worker of the host has just told so
		return true
	}
	o.times++
	o.until = time.Now().Add(l.pause)
	what := fmt.Sprintf("and is tried again in %v", l.pause)
	if o.times >= hostTries {
		what = fmt.Sprintf("%d times in a row, and is left", o.times)
	}
	if l.Say != nil {
		l.Say(fmt.Sprintf("%s: %s (see %s), %s", host, o.why, l.Log(index), what))
	}
	return true
}

// Queued are the tasks that wait for a host or have one. It is an error where none is left.
func (l *SSH) Queued(ctx context.Context) (map[int]bool, error) {
	queued, err := l.pool.Queued(ctx)
	if err != nil || len(l.running) > 0 || len(queued) == 0 {
		return queued, err
	}
	var all []string
	for host, o := range l.out {
		if o.times < hostTries {
			return queued, nil
		}
		all = append(all, host+": "+o.why)
	}
	slices.Sort(all)
	return nil, fmt.Errorf("ssh: no host is left: %s; what was done is kept, and the same call goes on", strings.Join(all, "; "))
}

// Pace is the time between looks at the files.
func (l *SSH) Pace() time.Duration { return time.Second }
