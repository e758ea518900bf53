package faults

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/vlpx/disk"
)

// Program is what is disturbed.
type Program struct {
	// Prepare fills a folder with what is there before; nil for an empty one.
	Prepare func(t *testing.T, dir string)
	// Do is a call of the program on the folder, which another call goes on from.
	Do func(dir string) error
	// Readable tells what is wrong with what can be read after a fault. It may be nil.
	Readable func(dir string) error
	// Done tells what is wrong after a call that gave no error: another result than the undisturbed one, or something that is left.
	Done func(dir string) error
	// Steps is how many steps of training all calls on the folder have made since it was asked last; nil where nothing is trained.
	Steps func() int
}

// Told is what was found.
type Told struct {
	Operations int // of an undisturbed call
	Faults     int
	Survived   int    // in which the disturbed call itself ended well
	Lost       int    // steps of training that were made twice, at most
	Worst      string // the fault by which these were lost, as $VLPX_FAULTS takes it
}

func (f Told) String() string {
	text := fmt.Sprintf("%d operations, %d faults, of which the call itself survived %d", f.Operations, f.Faults, f.Survived)
	if f.Lost > 0 {
		text += fmt.Sprintf("; %d steps lost at most, by %s", f.Lost, f.Worst)
	}
	return text
}

// ExhaustiveEnv has every fault tried where only some are.
const ExhaustiveEnv = "VLPX_FAULTS"

// Every disturbs a program by faults of every mode at every operation, or at as many as some says, if that is above 0: those are drawn by a
// seed that is told, and by $VLPX_FAULTS. After each fault the program is called again, undisturbed. VLPX_FAULTS=all tries all,
// VLPX_FAULTS=1/N each Nth of all, and VLPX_FAULTS=MODE:NUMBER a single one.
func Every(t *testing.T, some int, p Program) Told {
	t.Helper()
	before := t.TempDir()
	if p.Prepare != nil {
		p.Prepare(t, before)
	}
	steps := func() int {
		if p.Steps == nil {
			return 0
		}
		return p.Steps()
	}
	// undisturbed
	told, whole := Told{}, 0
	{
		dir := copied(t, before)
		d := On(dir, Fails, 0)
		release := disk.Watch(d)
		steps()
		err := p.Do(dir)
		release()
		if err == nil {
			err = p.Done(dir)
		}
		if err != nil {
			t.Fatalf("undisturbed: %v", err)
		}
		told.Operations, whole = d.Made(), steps()
	}
	type fault struct {
		mode Mode
		at   int
	}
	var all []fault
	for at := 1; at <= told.Operations; at++ {
		for _, mode := range Modes {
			all = append(all, fault{mode, at})
		}
	}
	switch asked := os.Getenv(ExhaustiveEnv); {
	case strings.HasPrefix(asked, "1/"):
		each := 1
		fmt.Sscan(asked[2:], &each)
		var kept []fault
		for k := 0; k < len(all); k += max(1, each) {
			kept = append(kept, all[k])
		}
		all = kept
	case strings.Contains(asked, ":"):
		var one fault
		mode, at, _ := strings.Cut(asked, ":")
		one.mode = Mode(mode)
		fmt.Sscan(at, &one.at)
		all = []fault{one}
	case asked != "all" && some > 0 && some < len(all):
		seed := uint64(time.Now().UnixNano())
		if asked != "" {
			fmt.Sscan(asked, &seed)
		}
		t.Logf("faults are drawn by %s=%d", ExhaustiveEnv, seed)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:some]
	}
	for _, f := range all {
		dir := copied(t, before)
		d := On(dir, f.mode, f.at)
		release := disk.Watch(d)
		err := p.Do(dir)
		release()
		made := steps()
		op, hit := d.Hit()
		if !hit {
			continue // a short write of what is no write
		}
		wrong := func(when string, err error) {
			t.Errorf("%s=%s:%d, %s %s%s: %s: %v", ExhaustiveEnv, f.mode, f.at, op.Kind, below(dir, op.Path), below(dir, op.To), when, err)
		}
		told.Faults++
		if err == nil && !d.gone {
			told.Survived++
		}
		if failed := d.Restart(); failed != nil {
			t.Fatal(failed)
		}
		if p.Readable != nil {
			if wrongly := p.Readable(dir); wrongly != nil {
				wrong("after it", wrongly)
			}
		}
		if err := p.Do(dir); err != nil {
			wrong("the next call", err)
		} else if err := p.Done(dir); err != nil {
			wrong("after the next call", err)
		}
		if lost := made + steps() - whole; lost > told.Lost {
			told.Lost, told.Worst = lost, fmt.Sprintf("%s:%d, %s%s%s", f.mode, f.at, op.Kind, below(dir, op.Path), below(dir, op.To))
		}
		os.RemoveAll(dir)
	}
	return told
}

func below(dir, path string) string {
	if path == "" {
		return ""
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return " " + name
}

// Left tells of something below a folder that a process should not leave behind.
func Left(dir string, is func(fs.DirEntry) bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir && is(d) {
			err = fmt.Errorf("there is left %s", path)
		}
		return err
	})
}

// Hidden tells whether a name is one that package disk gives what it has not ended.
func Hidden(d fs.DirEntry) bool { return strings.HasPrefix(d.Name(), ".") }

// copied is a copy of a folder.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
