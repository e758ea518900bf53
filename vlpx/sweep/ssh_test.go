package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
)

// fakeSSH puts a program ssh in front of the path that runs commands here, by a shell of its own as sshd does, on the hosts a and b. The
// host gone cannot be reached, and dying kills its first worker after a moment, as a host does that loses its power.
func fakeSSH(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(`#!/bin/sh
while [ "$1" != -- ]; do shift; done
host=$2 state=${0%/*}
echo "$host" >>$state/asked
case $host in
gone) echo "ssh: connect to host gone port 22: No route to host" >&2; exit 255;;
dying)
	[ -f $state/died ] && { echo "ssh: connect to host dying port 22: Connection timed out" >&2; exit 255; }
	touch $state/died
	sh -c "$3" & sleep .5; kill -9 $!; exit 255;;
esac
HOST=$host sh -c "$3"
`), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// hosts is a launcher on hosts, a line each, that waits for nothing long.
func hosts(t *testing.T, lines ...string) *SSH {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hosts")
	must.Do(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644))
	l := must.Get(NewSSH(file))(t)
	l.pause = 10 * time.Millisecond
	return l
}

// Tasks are done by the hosts that can be reached; what was on one that dies in the middle is begun again on another.
func TestSSH(t *testing.T) {
	fakeSSH(t)
	t.Setenv("VLPX_DATA", "it's")
	s, w := scripted(t, `
echo "$HOST/$CUDA_VISIBLE_DEVICES/$VLPX_DATA" >>$dir/hosts$i
[ "$HOST" ] || exec sleep 60
sleep .1
touch $result`)
	l := hosts(t, "# of the lab", "", "dying", "gone jobs=2 # for now", "a gpus=3,5", "b")
	var told []string
	l.Say = func(line string) { told = append(told, line) }
	must.Do(t, s.Follow(t.Context(), l, w, idle, nil))
	if len(s.Undone()) > 0 {
		t.Errorf("%v are left", s.Undone())
	}
	began := 0
	for i := range s.Tasks {
		lines := strings.Fields(string(must.Get(os.ReadFile(filepath.Join(s.Dir(), "hosts"+strconv.Itoa(i))))(t)))
		if at := lines[len(lines)-1]; !slices.Contains([]string{"a/3/it's", "a/5/it's", "b//it's"}, at) {
			t.Errorf("task %d was done by %s", i, at)
		}
		began += begun(t, s, i)
	}
	if began != len(s.Tasks)+1 {
		t.Errorf("%d workers began, want one a task and that which died", began)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{"gone: it cannot be reached, or was lost (see " + s.Dir(), "dying: it cannot be reached", "is tried again in 10ms"} {
		if !strings.Contains(all, want) {
			t.Errorf("told %q, want %q", all, want)
		}
	}
	logs, _ := filepath.Glob(filepath.Join(s.Dir(), logsName, "*.log"))
	said := false
	for _, log := range logs {
		said = said || strings.Contains(string(must.Get(os.ReadFile(log))(t)), "No route to host")
	}
	if !said {
		t.Errorf("no log of %v has what ssh said", logs)
	}
}

// Where no host is left the sweep ends and says why; the next call goes on.
func TestSSHWithoutHosts(t *testing.T) {
	fakeSSH(t)
	s, w := scripted(t, "touch $result")
	err := s.Follow(t.Context(), hosts(t, "gone"), w, idle, nil)
	must.Fail(t, err, "ssh: no host is left: gone: it cannot be reached, or was lost; what was done is kept")
	must.Do(t, s.Follow(t.Context(), hosts(t, "gone", "a"), w, idle, nil))
	// A host that has not the store, and so not the program.
	s, w = scripted(t, "touch $result")
	l := hosts(t, "a")
	l.Say = func(string) { os.Remove(w.Program(s)) }
	must.Do(t, s.Write(w))
	must.Do(t, os.Chmod(w.Program(s), 0o644))
	must.Fail(t, s.Follow(t.Context(), l, w, idle, nil), "a: it has no "+w.Program(s))
	t.Setenv("PATH", t.TempDir())
	must.Fail(t, s.Follow(t.Context(), hosts(t, "a"), w, idle, nil), "install an ssh client")
}

// A sweep that is stopped closes the connections, by which workers keep what they have, and waits for them.
func TestSSHStopped(t *testing.T) {
	fakeSSH(t)
	s, w := scripted(t, `
touch $dir/at$i
cat >/dev/null
sleep .3; echo kept >$dir/kept$i; exit 75`)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	err := s.Follow(ctx, hosts(t, "a", "b"), w, idle, func(Progress) {
		if at, _ := filepath.Glob(filepath.Join(s.Dir(), "at*")); len(at) == 2 {
			cancel(enough)
		}
	})
	if !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if kept, _ := filepath.Glob(filepath.Join(s.Dir(), "kept*")); len(kept) != 2 {
		t.Errorf("it has returned, and of two workers %v have kept what they have", kept)
	}
}

func TestHostsMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "names no host; write one a line",
		"# a\n":                "names no host",
		"a\n-oProxyCommand=x":  `line 2: "-oProxyCommand=x" is no name`,
		"a;b":                  "is no name",
		"a jobs=0":             "line 1: jobs=0: write a number of workers from 1 to 256",
		"a jobs=many":          "write a number",
		"a gpus=":              "write the GPUs as gpus=0,1",
		"a cores=3":            `"cores=3" is no setting of a host; there are jobs and gpus`,
		"me@a\nb\nme@a jobs=2": "line 3: me@a is there twice",
	} {
		file := filepath.Join(t.TempDir(), "hosts")
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		must.Fail(t, must.Err(NewSSH(file)), want, "%q", text)
	}
	must.Fail(t, must.Err(NewSSH("gone")), "no such file")
}
