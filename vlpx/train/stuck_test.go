package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/watchdog"
)

// hanging is a disk that shows operations to a function before it makes them.
type hanging func(disk.Op)

func (h hanging) Before(op disk.Op) (int, error) { h(op); return 0, nil }
func (hanging) After(disk.Op)                    {}

// A checkpoint that a disk does not take is said while the disk hangs, and is written once it goes on.
func TestStuckCheckpoint(t *testing.T) {
	job := smallest(t, negative.Plain())
	said := make(chan string, 1)
	job.Say = func(line string) { said <- line }
	tr := must.Get(newTrainer(job))(t)
	defer tr.close()
	must.Do(t, tr.resume())
	must.Get(tr.sampler.Epoch(0))(t)
	tr.writing.First = time.Millisecond
	line := ""
	defer disk.Watch(hanging(func(op disk.Op) {
		if line == "" && !strings.Contains(op.Path, watchdog.FileName) {
			line = <-said
		}
	}))()
	must.Do(t, tr.save(t.Context()))
	name := job.Config.Method.Name
	if !strings.Contains(line, name+", seed ") || !strings.Contains(line, "writing the checkpoint at epoch 1, step 0 has not ended for 1ms") {
		t.Errorf("got %q", line)
	}
	if _, err := os.Stat(filepath.Join(job.Dir, CheckpointName)); err != nil {
		t.Error(err)
	}
}
