package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// outsideEnv has faults from outside tried on all methods, so many of each kind, "N:KIND" so many of one; "SEED:KIND:TRIAL" tries one
// alone. outsideSeedEnv draws others.
const (
	outsideEnv     = "VLPX_OUTSIDE"
	outsideSeedEnv = "VLPX_OUTSIDE_SEED"
)

// site is a store at which processes make the same run, and what befalls them.
type site struct {
	dir, home string
	processes []*process
	group     group
}

// process is a vlpx at work.
type process struct {
	*exec.Cmd
	said  *os.File
	ended chan struct{}
	err   error
}

// start starts the command; the function, if there is one, changes how.
func (s *site) start(how func(*exec.Cmd), args ...string) (*process, error) {
	c, _, _ := prepared(s.dir, args...)
	said, err := os.CreateTemp(s.dir, "said")
	if err != nil {
		return nil, err
	}
	p := &process{Cmd: c, said: said, ended: make(chan struct{})}
	c.Stdout, c.Stderr = nil, said
	if how != nil {
		how(c)
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = c.Wait()
		close(p.ended)
	}()
	return p, nil
}

// within waits for a process's end, and kills it where that takes too long.
func (p *process) within(limit time.Duration) (status int, said string, err error) {
	select {
	case <-p.ended:
	case <-time.After(limit):
		p.Process.Kill()
		<-p.ended
		err = fmt.Errorf("it had not ended after %v", limit)
	}
	text, _ := os.ReadFile(p.said.Name())
	p.said.Close()
	var exit *exec.ExitError
	if errors.As(p.err, &exit) {
		status = exit.ExitCode()
	}
	return status, string(text), err
}

func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// ofAll does something with each process.
func (s *site) ofAll(do func(*process) error) error {
	for _, p := range s.processes {
		if p.alive() {
			if err := do(p); err != nil && p.alive() {
				return err
			}
		}
	}
	return nil
}

// signalled sends the first process signals.
func signalled(all ...syscall.Signal) func(*site) error {
	return func(s *site) error {
		for i, signal := range all {
			if i > 0 {
				time.Sleep(20 * time.Millisecond)
			}
			s.processes[0].Process.Signal(signal)
		}
		return nil
	}
}

// outside is a fault from outside.
type outside struct {
	strike func(*site) error // while the processes are at work
	repair func(*site) error // once they have ended; nil for nothing
	// again is a call between the fault and the repair; nil for none. It may fail.
	again func(*exec.Cmd)
	// ends is how long the first process may take to end then; 0 for as long as it needs. Others do their work.
	ends time.Duration
	all  bool // it befalls all processes
	dies bool // the process may end with a crash, as of what a kernel takes from it
	// disk is how much the store's file system holds, in KiB, 0 for that of the test.
	disk int
	how  func(*exec.Cmd) // how the processes start; nil for as usual
	// alone has only the first process start so.
	alone bool
	// can tells why the fault cannot be made here; nil for one that can be made everywhere.
	can func(*testing.T) error
}

const soon = 10 * time.Second // a second, on a machine that others use, too

// outsides are the kinds of faults.
//
//   - lacking: a program that becomes another one, on file systems that lack something.
func outsides(lacking string) map[string]outside {
	without := func(what string) func(*exec.Cmd) {
		return func(c *exec.Cmd) { c.Path, c.Args = lacking, append([]string{lacking, what, c.Path}, c.Args[1:]...) }
	}
	kill := signalled(syscall.SIGKILL)
	mounted := func(flags uintptr) func(*site) error {
		return func(s *site) error { return syscall.Mount("", s.home, "", syscall.MS_REMOUNT|flags, "") }
	}
	return map[string]outside{
		"kill":            {strike: kill},
		"terminate":       {strike: signalled(syscall.SIGTERM), ends: soon},
		"interrupt twice": {strike: signalled(syscall.SIGINT, syscall.SIGINT), ends: soon},
		"hangup":          {strike: signalled(syscall.SIGHUP), ends: soon},
		"stop": {strike: func(s *site) error {
			s.processes[0].Process.Signal(syscall.SIGSTOP)
			time.Sleep(700 * time.Millisecond)
			s.processes[0].Process.Signal(syscall.SIGCONT)
			return nil
		}},
		"out of memory": {all: true, can: func(*testing.T) error {
			g, err := newGroup(os.TempDir())
			if err == nil {
				err = g.remove()
			}
			return err
		}, strike: func(s *site) (err error) {
			if s.group, err = newGroup(s.dir); err != nil {
				return err
			}
			return s.ofAll(func(p *process) error { return s.group.take(p.Process.Pid) })
		}, repair: func(s *site) error { return s.group.remove() }},
		"full disk": {all: true, disk: 256, can: mountable, strike: func(*site) error { return nil }, repair: func(s *site) error {
			return syscall.Mount("", s.home, "", syscall.MS_REMOUNT, "size=64m")
		}},
		"read-only": {all: true, disk: 64 << 10, can: mountable, strike: func(s *site) error {
			s.ofAll(func(p *process) error { return p.Process.Kill() })
			for _, p := range s.processes {
				<-p.ended
			}
			return mounted(syscall.MS_RDONLY)(s)
		}, again: func(*exec.Cmd) {}, repair: mounted(0)},
		"store gone": {all: true, strike: func(s *site) error { return absent(os.Rename(s.home, s.home+".away")) },
			repair: func(s *site) error {
				if _, err := os.Stat(s.home + ".away"); err != nil {
					return nil // it was not there yet
				}
				if err := os.RemoveAll(s.home); err != nil {
					return err
				}
				return os.Rename(s.home+".away", s.home)
			}},
		"memory": {all: true, dies: true, strike: func(s *site) error {
			return s.ofAll(func(p *process) error {
				return unix.Prlimit(p.Process.Pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}, nil)
			})
		}},
		"clock set back": {all: true, strike: func(s *site) error { // which makes of all files some of tomorrow
			s.ofAll(func(p *process) error { return p.Process.Kill() })
			for _, p := range s.processes {
				<-p.ended
			}
			tomorrow := time.Now().Add(36 * time.Hour)
			return absent(filepath.WalkDir(s.home, func(path string, _ fs.DirEntry, err error) error {
				return cmp.Or(err, os.Chtimes(path, tomorrow, tomorrow))
			}))
		}},
		// of several nodes one has mounted the store without locks: it stays away from what others make
		"no locks": {how: without("locks"), alone: true, strike: func(*site) error { return nil }},
		"no links": {how: without("links"), strike: kill},
	}
}

// mountable tells why no small disk can be mounted.
func mountable(t *testing.T) error {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("mounting a small disk: %w", err)
	}
	return syscall.Unmount(dir, syscall.MNT_DETACH)
}

// group is the folder of a control group whose processes the kernel kills once they take a mebibyte more than they have.
type group string

// newGroup makes one, with the name of a folder.
func newGroup(dir string) (group, error) {
	var failed []error
	for _, file := range []string{"/sys/fs/cgroup/memory/%s/memory.limit_in_bytes", "/sys/fs/cgroup/%s/memory.max"} { // of versions 1 and 2
		file = fmt.Sprintf(file, "vlpx"+strings.ReplaceAll(dir, "/", "-"))
		g := group(filepath.Dir(file))
		err := os.Mkdir(string(g), 0o755)
		if err == nil {
			if err = g.set(filepath.Base(file), 1<<20); err == nil {
				return g, nil
			}
			g.remove()
		}
		failed = append(failed, err)
	}
	return "", fmt.Errorf("making a control group: %w", errors.Join(failed...))
}

func (g group) set(name string, value int) error {
	file, err := os.OpenFile(filepath.Join(string(g), name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(file, value)
	return errors.Join(err, file.Close())
}

func (g group) take(pid int) error { return g.set("cgroup.procs", pid) }

// remove removes it, once its processes have ended.
func (g group) remove() error { return os.Remove(string(g)) }

// absent forgives that something is not there yet.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// made is what a store has of each run: metrics, records and curves, as text.
type made map[string]string

func madeIn(home string) (made, error) {
	all, err := run.OpenStore(home).Entries()
	if err != nil {
		return nil, err
	}
	m := made{}
	for _, e := range all {
		if !e.Done {
			return nil, fmt.Errorf("run %s is %s", e.ID, e.State)
		}
		told, err := json.Marshal([]any{e.Result.Metrics, e.Result.Epochs})
		if err != nil {
			return nil, err
		}
		curves, err := os.ReadFile(filepath.Join(e.Dir, "curves.jsonl"))
		if err != nil {
			return nil, err
		}
		m[e.ID] = string(told) + string(curves)
	}
	return m, nil
}

// undisturbed is a method's run, with those that it needs, and how long they took; made once.
type undisturbed struct {
	once sync.Once
	made made
	took time.Duration
	err  error
}

func outsideArgs(method string) []string {
	return append(shortest("train", method), "-set", "epochs=4")
}

func (u *undisturbed) of(dir, method string) {
	u.once.Do(func() {
		s := &site{dir: dir, home: filepath.Join(dir, "home")}
		p, err := s.start(nil, outsideArgs(method)...)
		if err != nil {
			u.err = err
			return
		}
		begun := time.Now()
		status, said, err := p.within(5 * time.Minute)
		u.took = time.Since(begun)
		if u.made, u.err = madeIn(s.home); err != nil || status != 0 {
			u.err = fmt.Errorf("undisturbed: status %d (%w): %s", status, err, said)
		}
	})
}

// schedule is what happens in a trial. A seed, a kind of fault and a number name it.
type schedule struct {
	seed   uint64
	kind   string
	trial  int
	method string
	beside int     // further processes at the same run
	at     float64 // when the fault comes, as a share of the time that the run takes undisturbed
}

func (s schedule) String() string {
	return fmt.Sprintf("%s=%d:%s:%d (%s, %d processes, at %.2f of its time)", outsideEnv, s.seed, s.kind, s.trial, s.method, 1+s.beside, s.at)
}

func drawn(seed uint64, kind string, trial int, methods []string) schedule {
	stream := uint64(trial)
	for _, b := range []byte(kind) {
		stream = stream*131 + uint64(b)
	}
	d := rand.New(rand.NewPCG(seed, stream))
	return schedule{seed, kind, trial, methods[d.IntN(len(methods))], []int{0, 0, 1, 1, 3}[d.IntN(5)], 1.1 * d.Float64()}
}

// counts are what was found of a kind of fault.
type counts struct {
	trials, beside, struck, survived, again int
}

// disturb plays a schedule, and tells what is wrong.
func (s schedule) disturb(t *testing.T, o outside, want *undisturbed, c *counts) (err error) {
	at := &site{dir: t.TempDir()}
	at.home = filepath.Join(at.dir, "home")
	if o.disk > 0 {
		if err := os.Mkdir(at.home, 0o755); err != nil {
			return err
		}
		// a full disk is full at one of many places
		size := max(16, int(float64(o.disk)*s.at))
		if s.kind != "full disk" {
			size = o.disk
		}
		if err := syscall.Mount("none", at.home, "tmpfs", 0, fmt.Sprintf("size=%dk", size)); err != nil {
			return err
		}
		defer syscall.Unmount(at.home, syscall.MNT_DETACH)
	}
	defer func() { // what a trial that failed leaves
		for _, p := range at.processes {
			p.Process.Kill()
			<-p.ended
		}
		at.group.remove()
	}()
	for i := range 1 + s.beside {
		how := o.how
		if i > 0 && o.alone {
			how = nil
		}
		p, err := at.start(how, outsideArgs(s.method)...)
		if err != nil {
			return err
		}
		at.processes = append(at.processes, p)
	}
	time.Sleep(time.Duration(s.at * float64(want.took)))
	struck := at.processes[0].alive()
	if err := o.strike(at); err != nil {
		return fmt.Errorf("the fault could not be made: %w", err)
	}
	survived := true
	for i, p := range at.processes {
		limit := 2 * time.Minute
		if i == 0 && o.ends > 0 {
			limit = o.ends
		}
		status, said, err := p.within(limit)
		if err != nil {
			return fmt.Errorf("process %d: %w: %s", i, err, said)
		}
		if strings.Contains(said, "goroutine ") && !o.dies {
			return fmt.Errorf("process %d ended with a crash: %s", i, said)
		}
		if i > 0 && !o.all && status != 0 {
			return fmt.Errorf("process %d, which nothing befell, ended with status %d: %s", i, status, said)
		}
		survived = survived && (i > 0 && !o.all || status == 0)
	}
	if o.again != nil {
		p, err := at.start(o.again, outsideArgs(s.method)...)
		if err != nil {
			return err
		}
		if status, said, err := p.within(2 * time.Minute); err != nil || status > 0 && strings.Contains(said, "goroutine ") {
			return fmt.Errorf("a call before the repair: status %d (%w): %s", status, err, said)
		} else if status == 0 {
			c.again++
		}
	}
	if o.repair != nil {
		if err := o.repair(at); err != nil {
			return fmt.Errorf("the fault could not be undone: %w", err)
		}
	}
	next, err := at.start(nil, outsideArgs(s.method)...)
	if err != nil {
		return err
	}
	if status, said, err := next.within(5 * time.Minute); err != nil || status != 0 {
		return fmt.Errorf("the next call: status %d (%w): %s", status, err, said)
	}
	c.trials++
	c.beside += s.beside
	c.struck += map[bool]int{true: 1}[struck]
	c.survived += map[bool]int{true: 1}[survived]
	return at.whole(want.made)
}

// whole tells how what the store has differs from what it should have.
func (s *site) whole(want made) error {
	got, err := madeIn(s.home)
	if err != nil {
		return err
	}
	for id, text := range want {
		if got[id] != text {
			return fmt.Errorf("run %s has other numbers than undisturbed", id)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("there are %d runs, want %d", len(got), len(want))
	}
	found, err := run.OpenStore(s.home).Verify(context.Background(), nil)
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("verifying finds %v", found)
	}
	for _, pattern := range []string{".*", "*/.*"} {
		left, _ := filepath.Glob(filepath.Join(s.home, "runs", pattern))
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("there is left %v", left)
		}
	}
	return err
}

// Whatever befalls a process from outside, at whatever time, alone or beside others at the same run: it ends when it should, without a
// crash, the next call goes on, and the runs end in the undisturbed numbers, to the bit. A few schedules are tried of each kind of fault.
// VLPX_OUTSIDE=N tries N of each over all methods, N:KIND of one, with VLPX_OUTSIDE_SEED another N, and VLPX_OUTSIDE=SEED:KIND:TRIAL one of
// them.
func TestFaultsFromOutside(t *testing.T) {
	methods, trials, seed, only, first := []string{"InfoNCE", "GRIT-VLP"}, 1, uint64(1), "", 0
	asked := os.Getenv(outsideEnv)
	if asked != "" {
		methods = nil
		for _, m := range negative.Methods() {
			methods = append(methods, m.Name)
		}
		parts := strings.Split(asked, ":")
		trials, _ = strconv.Atoi(parts[0])
		if from := os.Getenv(outsideSeedEnv); from != "" {
			fmt.Sscan(from, &seed)
		}
		switch len(parts) {
		case 2:
			only = parts[1]
		case 3:
			fmt.Sscan(parts[0], &seed)
			only = parts[1]
			first, _ = strconv.Atoi(parts[2])
			trials = first + 1
		}
	}
	base := t.TempDir()
	runs := map[string]*undisturbed{}
	for _, m := range methods {
		runs[m] = &undisturbed{}
	}
	var lock sync.Mutex
	found := map[string]*counts{}
	lacking := filepath.Join(base, "lacking")
	if text, err := exec.Command("go", "build", "-o", lacking, "../../internal/test/lacking").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	kinds := outsides(lacking)
	if signal.Ignored(syscall.SIGHUP) {
		t.Log("no hangup: what began this test ignores it, as nohup does, and so do its processes")
		delete(kinds, "hangup")
	}
	t.Run("trials", func(t *testing.T) {
		for kind, o := range kinds {
			if only != "" && only != kind {
				continue
			}
			found[kind] = &counts{}
			t.Run(kind, func(t *testing.T) {
				if o.can != nil {
					if err := o.can(t); err != nil {
						t.Skip(err)
					}
				}
				for trial := first; trial < trials; trial++ {
					s := drawn(seed, kind, trial, methods)
					t.Run(strconv.Itoa(trial), func(t *testing.T) {
						t.Parallel()
						want := runs[s.method]
						dir := filepath.Join(base, strconv.Itoa(slices.Index(methods, s.method)))
						os.MkdirAll(dir, 0o755)
						if want.of(dir, s.method); want.err != nil {
							t.Fatal(want.err)
						}
						var c counts
						if err := s.disturb(t, o, want, &c); err != nil {
							t.Errorf("%s: %v", s, err)
						}
						lock.Lock()
						defer lock.Unlock()
						sum := found[kind]
						sum.trials, sum.beside, sum.struck = sum.trials+c.trials, sum.beside+c.beside, sum.struck+c.struck
						sum.survived, sum.again = sum.survived+c.survived, sum.again+c.again
					})
				}
			})
		}
	})
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		c := found[kind]
		t.Logf("%-16s %3d trials, %3d processes beside, %3d struck at work, %3d ended well all the same, %3d calls that a fault let through",
			kind, c.trials, c.beside, c.struck, c.survived, c.again)
	}
}
