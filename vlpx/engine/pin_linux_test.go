package engine

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vlpx.internal/internal/test/must"
)

// What is started on a processor stays there, and the thread that started it does not.
func TestStartOn(t *testing.T) {
	all := Processors()
	if len(all) < 2 {
		t.Skip("there is one processor only")
	}
	for _, cpus := range [][]int{all[1:], all[:1], all} {
		c := exec.Command("/bin/sh", "-c", "grep Cpus_allowed_list /proc/self/status; grep -c . /dev/null")
		var out strings.Builder
		c.Stdout = &out
		must.Do(t, StartOn(c, cpus))
		c.Wait()
		var want unix.CPUSet
		for _, cpu := range cpus {
			want.Set(cpu)
		}
		if got := parsed(t, out.String()); got != want {
			t.Errorf("started on %v: %s", cpus, out.String())
		}
		if got := Processors(); len(got) != len(all) {
			t.Errorf("this process is left with %v of %v", got, all)
		}
	}
}

// parsed reads a list such as 0-2,5.
func parsed(t *testing.T, line string) (set unix.CPUSet) {
	t.Helper()
	line, _, _ = strings.Cut(line, "\n")
	_, list, ok := strings.Cut(line, "Cpus_allowed_list:")
	if !ok {
		t.Fatalf("no list in %q", line)
	}
	for _, part := range strings.Split(strings.TrimSpace(list), ",") {
		first, last := 0, 0
		for k, text := range strings.SplitN(part, "-", 2) {
			n := 0
			for _, digit := range text {
				n = 10*n + int(digit-'0')
			}
			if last = n; k == 0 {
				first = n
			}
		}
		for cpu := first; cpu <= last; cpu++ {
			set.Set(cpu)
		}
	}
	return set
}
