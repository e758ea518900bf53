package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Entry is a task that this program knows.
type Entry struct {
	Name  string // for vlpx eval -task and vlpx show tasks; "" for a task that only artifacts use
	Task  Task   // with its usual settings
	Flags []Flag

	decode func(settings json.RawMessage) (Task, error)
}

// Flag is a setting of a task that a user may give in a shell.
type Flag struct {
	Name  string // such as prompts
	Usage string // with the kind of value in back quotes; "" for a setting that a user does not give

	set func(task Task, value string) (Task, error)
}

// NewFlag returns a flag. set changes a task by a value; it is called for each value in turn.
func NewFlag[T Task](name, usage string, set func(task *T, value string) error) Flag {
	return Flag{name, usage, func(task Task, value string) (Task, error) {
		changed := task.(T)
		err := set(&changed, value)
		return changed, err
	}}
}

// With is the entry's task with the values of its flags, by their names. Values of other tasks' flags are left out.
func (e Entry) With(values map[string][]string) (task Task, err error) {
	task = e.Task
	for _, flag := range e.Flags {
		for _, value := range values[flag.Name] {
			if task, err = flag.set(task, value); err != nil {
				return nil, err
			}
		}
	}
	return task, nil
}

// Takes reports whether a flag is one of the entry's.
func (e Entry) Takes(flag string) bool {
	return slices.ContainsFunc(e.Flags, func(f Flag) bool { return f.Name == flag })
}

// registry has the tasks by their names in JSON.
var registry = map[string]Entry{}

// Register makes a task known: [Tasks] reads its JSON, [Metrics] lists its metrics, and the command finds it by its name. Each task is
// registered in its own file, in an init function. Registering a type or a name twice panics.
func Register[T Task](name string, usual T, flags ...Flag) {
	add(Entry{name, usual, flags, decode[T]})
}

func add(new Entry) {
	kind := fmt.Sprintf("%T", new.Task)
	for other, e := range registry {
		if other == kind || new.Name != "" && e.Name == new.Name {
			panic(fmt.Sprintf("eval: the task %s, %q, is registered already, by %s", kind, new.Name, other))
		}
	}
	registry[kind] = new
	forgetInfos()
}

// RegisterTask is [Register] of a task whose type is not known when the program is built, without flags.
func RegisterTask(name string, usual Task) {
	add(Entry{name, usual, nil, func(settings json.RawMessage) (Task, error) {
		task := reflect.New(reflect.TypeOf(usual))
		err := strictly(settings, task.Interface())
		return task.Elem().Interface().(Task), err
	}})
}

func decode[T Task](settings json.RawMessage) (Task, error) {
	var task T
	err := strictly(settings, &task)
	return task, err
}

func strictly(settings json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(settings))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Usual is the name of the task that a command measures by where none is named.
const Usual = "retrieval"

// Registered are all tasks: the usual one, then others by their names, then those without a name.
func Registered() []Entry {
	var all []Entry
	for _, e := range registry {
		all = append(all, e)
	}
	place := func(e Entry) string {
		switch e.Name {
		case Usual:
			return ""
		case "":
			return fmt.Sprintf("~%T", e.Task)
		}
		return e.Name
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// Flags are those of all tasks, each name once.
func Flags() []Flag {
	var all []Flag
	for _, e := range Registered() {
		for _, f := range e.Flags {
			if !slices.ContainsFunc(all, func(other Flag) bool { return other.Name == f.Name }) {
				all = append(all, f)
			}
		}
	}
	return all
}

// Metrics lists the metrics of all registered tasks with their usual settings, in the order of [Registered].
func Metrics() []Info {
	var all []Info
	for _, e := range Registered() {
		all = append(all, e.Task.Metrics()...)
	}
	return all
}

// known has the first of [Metrics] by each name; nil before it is first read. Each start of a program reads it hundreds of times, for the
// columns of artifacts.
var known struct {
	sync.Mutex
	infos map[Metric]Info
}

// forgetInfos is called where there are further metrics.
func forgetInfos() {
	known.Lock()
	defer known.Unlock()
	known.infos = nil
}

// InfoOf describes a metric of a registered task.
func InfoOf(m Metric) (info Info, found bool) {
	known.Lock()
	defer known.Unlock()
	if known.infos == nil {
		known.infos = map[Metric]Info{}
		for _, i := range Metrics() {
			if _, there := known.infos[i.Metric]; !there {
				known.infos[i.Metric] = i
			}
		}
	}
	info, found = known.infos[m]
	return info, found
}
