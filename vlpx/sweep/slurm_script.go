package sweep

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// SlurmSettings are what can be told of Slurm, by the names of submitit; any other key is an option of sbatch.
func SlurmSettings() []Setting {
	return []Setting{
		{"timeout_min", "minutes that a task may take before it goes on in another job", true},
		{"partition", "where to run", false},
		{"gpus_per_node", "GPUs of a task", false},
		{"cpus_per_task", "processors of a task", true},
		{"mem_gb", "memory of a task, in gigabytes", true},
		{"array_parallelism", "tasks at once", true},
		{"signal_delay_s", "seconds before the end of a task's time in which it keeps its checkpoint (default 90)", true},
		{"name", "what the jobs are called (default after the artifact)", false},
		{"setup", "a line of shell before the worker, such as module load cuda; may be repeated", false},
		{"poll_s", "seconds between questions to squeue (default 10)", true},
	}
}

// ownOptions are options of sbatch that a sweep sets by itself.
var ownOptions = []string{"array", "begin", "dependency", "error", "job-name", "no-requeue", "ntasks", "open-mode", "output", "parsable",
	"requeue", "signal", "test-only", "time",
	"wait", "wrap"}

// option is an option of sbatch by its key, which may have underlines.
func option(key string) string { return strings.TrimLeft(strings.ReplaceAll(key, "_", "-"), "-") }

// optionName is what options of sbatch look like.
var optionName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// checkOption says why a key is no option to set.
func checkOption(key string) error {
	name := option(key)
	if !optionName.MatchString(name) {
		return fmt.Errorf("setting %q is no option of sbatch; write it as qos=high, or exclusive without a value", key)
	}
	if slices.Contains(ownOptions, name) {
		return fmt.Errorf(
			"a sweep sets sbatch's %s by itself; leave it out (timeout_min, signal_delay_s and name are the settings near it)",
			name)
	}
	return nil
}

// batch is an array of tasks that one call of sbatch submits: all of a level, their indices from first on.
type batch struct {
	level, first int
	tasks        []int
}

// batches cuts tasks into arrays whose indices stay below Slurm's MaxArraySize.
func (s *Sweep) batches(tasks []int, maxArraySize int) []batch {
	var all []batch
	for _, i := range slices.Sorted(slices.Values(tasks)) {
		level, first := s.Tasks[i].Level, i/maxArraySize*maxArraySize
		if n := len(all); n == 0 || all[n-1].level != level || all[n-1].first != first {
			all = append(all, batch{level: level, first: first})
		}
		last := &all[len(all)-1]
		last.tasks = append(last.tasks, i)
	}
	return all
}

// array is the batch as sbatch's --array takes it: "3,17,42-57".
func (b batch) array() string {
	var parts []string
	for k := 0; k < len(b.tasks); {
		end := k
		for end+1 < len(b.tasks) && b.tasks[end+1] == b.tasks[end]+1 {
			end++
		}
		part := strconv.Itoa(b.tasks[k] - b.first)
		if end > k {
			part += "-" + strconv.Itoa(b.tasks[end]-b.first)
		}
		parts = append(parts, part)
		k = end + 1
	}
	return strings.Join(parts, ",")
}

// jobName is that of a batch's job.
func (l *Slurm) jobName(first int) string { return fmt.Sprintf("%s.%d", l.prefix(), first) }

// prefix begins the names of the sweep's jobs: no other sweep's do so.
func (l *Slurm) prefix() string {
	if l.name == "" {
		return l.sweep.Name
	}
	return l.name + l.sweep.Name[strings.LastIndex(l.sweep.Name, "-"):]
}

// script is what sbatch gets for a batch.
func (l *Slurm) script(b batch) string {
	var out strings.Builder
	out.WriteString("#!/bin/sh\n")
	add := func(name, value string) {
		if value != "" {
			value = "=" + sbatchQuoted(value)
		}
		fmt.Fprintf(&out, "#SBATCH --%s%s\n", name, value)
	}
	array := b.array()
	if l.parallel > 0 {
		array += "%" + strconv.Itoa(l.parallel)
	}
	log := "%a.log"
	if b.first > 0 {
		log = strconv.Itoa(b.first) + "+" + log
	}
	add("job-name", l.jobName(b.first))
	add("array", array)
	add("output", strings.ReplaceAll(filepath.Join(l.sweep.Dir(), logsName), "%", "%%")+"/"+log)
	add("open-mode", "append")
	add("requeue", "")
	if l.minutes > 0 {
		add("time", strconv.Itoa(l.minutes))
	}
	add("signal", fmt.Sprintf("B:USR1@%d", l.delay))
	for _, o := range l.options {
		add(option(o.key), o.value)
	}
	for _, line := range l.setup {
		out.WriteString(line + "\n")
	}
	args, env := l.worker.command(Call{Plan: l.sweep.PlanFile(), From: b.first, Task: -1})
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		fmt.Fprintf(&out, "export %s=%s\n", name, shellQuoted(value))
	}
	words := []string{"exec", shellQuoted(l.worker.Program(l.sweep))} // in the shell's place, so that Slurm's signals reach the worker
	for _, arg := range args {
		words = append(words, shellQuoted(arg))
	}
	fmt.Fprintln(&out, strings.Join(words, " "))
	return out.String()
}

// sbatchQuoted is a value for a line of options in a script.
func sbatchQuoted(value string) string {
	if !strings.ContainsAny(value, " \t'\"\\#") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
