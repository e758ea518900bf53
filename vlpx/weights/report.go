package weights

import (
	"fmt"
	"slices"
	"strings"
)

// Tensor is one of a file's, as its header tells of it.
type Tensor struct {
	Name, Type string // the type as safetensors names it, such as "F16"
	Shape      []int
}

// Parameters is the number of its values.
func (t Tensor) Parameters() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Report is what became of a file's tensors.
type Report struct {
	File    string
	Used    []Tensor // variables are made of them
	Ignored []Tensor // known, but no variable takes them
	Left    []Tensor // no rule knows them
	Missing []string // variables of the model for which the file has nothing
	Drawn   []string // missing ones that are drawn instead, which is allowed
	Notes   []string // what else was done, such as positions brought to another size
}

// Check is an error if a tensor is left over or a variable missing, but for those that are allowed by name: in these # stands for a
// number and * at the end for whatever follows.
func (r Report) Check(allowed ...string) error {
	var left, missing []string
	for _, t := range r.Left {
		if !matchesAny(allowed, t.Name) {
			left = append(left, t.Name)
		}
	}
	for _, path := range r.Missing {
		if !matchesAny(allowed, path) {
			missing = append(missing, path)
		}
	}
	switch {
	case len(left) > 0:
		return fmt.Errorf("weights: %s: no rule for tensor %s; is it of another family, or has it another prefix?", r.File,
			andMore(left, 1))
	case len(missing) > 0:
		return fmt.Errorf("weights: %s: nothing for the variable %s; is it a part of a checkpoint, or one of a smaller model?", r.File,
			andMore(missing, 3))
	}
	return nil
}

// andMore lists the first names and counts the others.
func andMore(names []string, first int) string {
	if len(names) <= first {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:first], ", "), len(names)-first)
}

// Lines tell the report, one a group: how many tensors it has, with how many parameters in which types, and the names where they are
// not the ones that belong there.
func (r Report) Lines() []string {
	lines := []string{line("used", r.Used, false)}
	for _, group := range []struct {
		name    string
		tensors []Tensor
	}{{"ignored", r.Ignored}, {"left over", r.Left}} {
		if len(group.tensors) > 0 {
			lines = append(lines, line(group.name, group.tensors, true))
		}
	}
	for _, group := range []struct {
		name  string
		paths []string
	}{{"drawn", r.Drawn}, {"missing", r.Missing}} {
		if len(group.paths) > 0 {
			lines = append(lines, fmt.Sprintf("%-9s %4d variables: %s", group.name, len(group.paths),
				andMore(patterns(group.paths, "_"), 4)))
		}
	}
	return append(lines, r.Notes...)
}

func line(group string, tensors []Tensor, named bool) string {
	var names, types []string
	parameters := 0
	for _, t := range tensors {
		parameters += t.Parameters()
		names = append(names, t.Name)
		if !slices.Contains(types, t.Type) {
			types = append(types, t.Type)
		}
	}
	text := fmt.Sprintf("%-9s %4d tensors, %s parameters in %s", group, len(tensors), Thousands(parameters), strings.Join(types, ", "))
	if named {
		text += ": " + andMore(patterns(names, "."), 4)
	}
	return text
}

// patterns are names with # for each number that stands behind a separator, each once.
func patterns(names []string, separator string) []string {
	var all []string
	for _, name := range names {
		parts := strings.Split(name, "/")
		for i, part := range parts {
			words := strings.Split(part, separator)
			for k, word := range words {
				if k > 0 && word != "" && strings.Trim(word, "0123456789") == "" {
					words[k] = "#"
				}
			}
			parts[i] = strings.Join(words, separator)
		}
		if pattern := strings.Join(parts, "/"); !slices.Contains(all, pattern) {
			all = append(all, pattern)
		}
	}
	return all
}

// Thousands writes a count with commas: 86,567,656.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
