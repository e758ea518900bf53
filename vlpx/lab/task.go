package lab

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/scale"
)

// Task is a task by its name, as Show("tasks") lists it, with values of its flags (see [eval.Flags]). A value of a flag that a user gives
// for another task is an error.
func Task(name string, values map[string][]string) (eval.Task, error) {
	var names []string
	for _, e := range eval.Registered() {
		if e.Name != "" {
			names = append(names, e.Name)
		}
	}
	if !slices.Contains(names, name) {
		return nil, scale.Unknown("task", name, names)
	}
	all := eval.Registered()
	entry := all[slices.IndexFunc(all, func(e eval.Entry) bool { return e.Name == name })]
	for _, flag := range eval.Flags() {
		if flag.Usage == "" || len(values[flag.Name]) == 0 || entry.Takes(flag.Name) {
			continue
		}
		var takers []string
		for _, e := range all {
			if e.Takes(flag.Name) {
				takers = append(takers, e.Name)
			}
		}
		return nil, fmt.Errorf("-%s is for the task %s; %s has none", flag.Name, strings.Join(takers, " or "), name)
	}
	return entry.With(values)
}
