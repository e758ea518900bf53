package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Slurm is a cluster with a shared file system, on which the store lies. Tasks are elements of job arrays, an array a level (and a piece of
// it where Slurm's MaxArraySize asks for that), which waits for those of lower levels to end, well or not: a worker whose need is missing
// makes it itself. Slurm's client programs talk to the cluster.
type Slurm struct {
	name           string
	minutes, delay int // of a task's time, and the seconds before its end in which it is told
	parallel       int
	poll           time.Duration
	setup          []string
	options        []assignment
	maxArraySize   int
	sweep          *Sweep
	worker         Worker
	jobs           map[string]map[int]bool // tasks by the jobs that have them, at the last question to squeue
	silent         int                     // questions in a row that squeue has not answered
}

// NewSlurm is a launcher with settings, "key=value" (see [SlurmSettings]).
func NewSlurm(set []string) (*Slurm, error) {
	all, err := parseSettings(SlurmSettings(), set, checkOption)
	if err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	l := &Slurm{delay: 90, poll: 10 * time.Second, maxArraySize: 1001}
	for _, a := range all {
		n, _ := strconv.Atoi(a.value) // where it is a number
		switch a.key {
		case "timeout_min":
			l.minutes = n
		case "array_parallelism":
			l.parallel = n
		case "signal_delay_s":
			l.delay = n
		case "poll_s":
			l.poll = time.Duration(n) * time.Second
		case "name":
			if l.name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(a.value), "-"), "-"); l.name == "" {
				return nil, fmt.Errorf("slurm: setting name=%s: use letters and digits", a.value)
			}
		case "setup":
			l.setup = append(l.setup, a.value)
		case "mem_gb":
			l.options = append(l.options, assignment{"mem", a.value + "G"})
		default:
			l.options = append(l.options, a)
		}
	}
	if l.minutes > 0 && l.delay >= 60*l.minutes {
		return nil, fmt.Errorf("slurm: signal_delay_s=%d is all of timeout_min=%d; give tasks more time, or less to keep their checkpoints",
			l.delay, l.minutes)
	}
	return l, nil
}

// clientLimit bounds a call of Slurm's programs, which wait for a controller that is busy or gone.
const clientLimit = time.Minute

// slurm calls one of Slurm's programs.
func slurm(ctx context.Context, input, name string, args ...string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, clientLimit)
	defer cancel()
	c := exec.CommandContext(limited, name, args...)
	c.WaitDelay = time.Second
	c.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	said := strings.Join(strings.FieldsFunc(strings.ReplaceAll(errs.String(), name+": ", ""), func(r rune) bool { return r == '\n' }), "; ")
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case limited.Err() != nil:
		return "", fmt.Errorf("%s has not answered within %v", name, clientLimit)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: Slurm's programs are not here; start the sweep on a login node of the cluster, or see the script "+
			"by -dry-run",
			err)
	case err != nil && said != "":
		return "", fmt.Errorf("%s: %s", name, said)
	case err != nil:
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}

// maxArraySizeLine is what scontrol show config says of it.
var maxArraySizeLine = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)\s*$`)

// Begin asks the cluster how large arrays may be.
func (l *Slurm) Begin(ctx context.Context, s *Sweep, w Worker) error {
	l.sweep, l.worker = s, w
	config, err := slurm(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return fmt.Errorf("slurm: %w", err)
	}
	if m := maxArraySizeLine.FindStringSubmatch(config); m != nil {
		if l.maxArraySize, _ = strconv.Atoi(m[1]); l.maxArraySize < 2 {
			return errors.New("slurm: this cluster takes no job arrays (MaxArraySize); ask its people, or use the launcher local " +
				"within a job")
		}
	}
	return nil
}

// Launch submits tasks.
func (l *Slurm) Launch(ctx context.Context, tasks []int) error {
	for _, b := range l.sweep.batches(tasks, l.maxArraySize) {
		args := []string{"--parsable"}
		if before := l.below(b.level); len(before) > 0 {
			args = append(args, "--dependency=afterany:"+strings.Join(before, ":"))
		}
		out, err := slurm(ctx, l.script(b), "sbatch", args...)
		if err != nil {
			return fmt.Errorf("slurm: submitting %s: %w", l.jobName(b.first), err)
		}
		job, _, _ := strings.Cut(strings.TrimSpace(out), ";") // and the cluster's name
		if _, err := strconv.Atoi(job); err != nil {
			return fmt.Errorf("slurm: sbatch has said %q, which is no job's number", out)
		}
		l.jobs[job] = map[int]bool{}
		for _, i := range b.tasks {
			l.jobs[job][i] = true
		}
	}
	return nil
}

// below are the jobs that have tasks of lower levels.
func (l *Slurm) below(level int) []string {
	var all []string
	for job, tasks := range l.jobs {
		for i := range tasks {
			if l.sweep.Tasks[i].Level < level {
				all = append(all, job)
				break
			}
		}
	}
	slices.Sort(all)
	return all
}

// silence is how many questions in a row squeue may leave unanswered.
const silence = 20

// Queued asks squeue. A question that is not answered leaves the last answer.
func (l *Slurm) Queued(ctx context.Context) (map[int]bool, error) {
	out, err := slurm(ctx, "", "squeue", "--noheader", "--array", "--user="+strconv.Itoa(os.Getuid()), "--format=%j|%F|%K")
	switch {
	case err == nil:
		l.silent = 0
		l.jobs = l.queue(out)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	default:
		if l.silent++; l.silent >= silence || l.jobs == nil {
			return nil, fmt.Errorf("slurm: %w; the jobs go on, and the same call follows them again", err)
		}
	}
	all := map[int]bool{}
	for _, tasks := range l.jobs {
		for i := range tasks {
			all[i] = true
		}
	}
	return all, nil
}

// queue reads squeue's lines: a job's name, the array's number and the index in it. Jobs of others are passed over.
func (l *Slurm) queue(lines string) map[string]map[int]bool {
	jobs := map[string]map[int]bool{}
	for line := range strings.Lines(lines) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 3 {
			continue
		}
		from, ours := strings.CutPrefix(fields[0], l.prefix()+".")
		first, err := strconv.Atoi(from)
		k, wrong := strconv.Atoi(fields[2])
		if !ours || err != nil || wrong != nil || first < 0 || k < 0 || first+k >= len(l.sweep.Tasks) {
			continue
		}
		if jobs[fields[1]] == nil {
			jobs[fields[1]] = map[int]bool{}
		}
		jobs[fields[1]][first+k] = true
	}
	return jobs
}

// Stop leaves the jobs alone: they outlive this process.
func (l *Slurm) Stop() {}

// Log is where a task's workers write.
func (l *Slurm) Log(index int) string {
	name := strconv.Itoa(index) + ".log"
	if first := index / l.maxArraySize * l.maxArraySize; first > 0 {
		name = fmt.Sprintf("%d+%d.log", first, index-first)
	}
	return filepath.Join(l.sweep.Dir(), logsName, name)
}

// Pace is the time between looks at the queue and the files.
func (l *Slurm) Pace() time.Duration { return l.poll }

// Submit submits what is not finished and has no job, and says how many tasks that are.
func (l *Slurm) Submit(ctx context.Context, s *Sweep, w Worker) (int, error) {
	if err := l.Begin(ctx, s, w); err != nil {
		return 0, err
	}
	queued, err := l.Queued(ctx)
	if err != nil {
		return 0, err
	}
	tasks := slices.DeleteFunc(s.Undone(), func(i int) bool { return queued[i] })
	if err := s.Write(w); err != nil {
		return 0, err
	}
	if err := s.Forget(tasks...); err != nil {
		return 0, err
	}
	return len(tasks), l.Launch(ctx, tasks)
}

// Scripts are what would be submitted of the tasks that are not finished, a batch each, without asking the cluster.
func (l *Slurm) Scripts(s *Sweep, w Worker) []string {
	l.sweep, l.worker = s, w
	var all []string
	for _, b := range s.batches(s.Undone(), l.maxArraySize) {
		text := l.script(b)
		if b.level > 0 {
			text = strings.Replace(text, "\n", fmt.Sprintf("\n# submitted with --dependency=afterany: and the jobs of levels below %d\n",
				b.level),
				1)
		}
		all = append(all, text)
	}
	return all
}

// requeue asks Slurm to start the job of this worker again, which has been told that its time is nearly up. Clusters whose RequeueExit has
// [Again] do so by themselves; others are asked. Elsewhere it does nothing.
func requeue(ctx context.Context) error {
	job := os.Getenv("SLURM_JOB_ID")
	if job == "" {
		return nil
	}
	_, err := slurm(ctx, "", "scontrol", "requeue", job)
	return err
}
