package weights

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/tensors"
)

// Rule names the tensors of a published model that make one of our variables. In its names # stands for a layer's number.
type Rule struct {
	Variable string // the path in a store
	Layout   Layout // of each tensor
	// Tensors are the published names; several, such as those of queries, keys and values, stand side by side in the variable.
	Tensors []string
}

// Table is what a family's names mean.
type Table struct {
	Rules []Rule
	// Copies are tensors that repeat others, such as those of tied weights: files have them, and they are written but not read.
	Copies []Rule
	// Rest is the scope below which a variable that no rule names is called by its path, "vlpx." before it; empty where there is none.
	Rest string
	// Ignored are the names of tensors that no variable takes, such as those of heads for other tasks.
	Ignored []string
	// Renamed are parts of names and what they are called now.
	Renamed map[string]string
}

// Join makes one table of several.
func Join(tables ...Table) Table {
	joined := Table{Renamed: map[string]string{}}
	for _, t := range tables {
		joined.Rules = append(joined.Rules, t.Rules...)
		joined.Copies = append(joined.Copies, t.Copies...)
		joined.Rest = cmp.Or(joined.Rest, t.Rest)
		joined.Ignored = append(joined.Ignored, t.Ignored...)
		maps.Copy(joined.Renamed, t.Renamed)
	}
	return joined
}

// numbered replaces the first part of a name that is a number by # and returns the number, too.
func numbered(name string) (pattern, number string) {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "#"
			return strings.Join(parts, "."), part
		}
	}
	return name, ""
}

// Variables reads the variables of tables, in our layouts and the file's types. A name that none of them knows is an error, and so
// is a variable of which the file has a part.
func (f *File) Variables(tables ...Table) (Values, error) {
	table := Join(tables...)
	rules := map[string]*Rule{}
	for i, rule := range table.Rules {
		for _, name := range rule.Tensors {
			rules[name] = &table.Rules[i]
		}
	}
	known := slices.Clone(table.Ignored)
	for _, rule := range table.Copies {
		known = append(known, rule.Tensors...)
	}
	type found struct {
		*Rule
		number string
	}
	inFile := map[string]string{} // by the names of today
	variables := map[string]found{}
	for _, name := range f.Names() {
		today := name
		for old, now := range table.Renamed {
			today = strings.ReplaceAll(today, old, now)
		}
		inFile[today] = name
		pattern, number := numbered(today)
		switch rule := rules[pattern]; {
		case rule != nil:
			variables[strings.ReplaceAll(rule.Variable, "#", number)] = found{rule, number}
		case table.Rest != "" && strings.HasPrefix(today, own):
			path := table.path(today)
			variables[path] = found{&Rule{path, Same, []string{today}}, ""}
		case !slices.Contains(known, pattern):
			return nil, fmt.Errorf("weights: %s: no rule for tensor %s; is it of another family, or has it another prefix?", f.path, name)
		}
	}
	read := Values{}
	for path, rule := range variables {
		var parts []*tensors.Tensor
		for _, name := range rule.Tensors {
			part, err := f.part(inFile, strings.ReplaceAll(name, "#", rule.number), rule.Layout)
			if err != nil {
				return nil, fmt.Errorf("weights: %s: variable %s: %w", f.path, path, err)
			}
			parts = append(parts, part)
		}
		value, err := sideBySide(parts)
		if err != nil {
			return nil, fmt.Errorf("weights: %s: variable %s: %w", f.path, path, err)
		}
		read[path] = value
	}
	return read, nil
}

// part reads one of the tensors that make a variable.
func (f *File) part(inFile map[string]string, name string, layout Layout) (*tensors.Tensor, error) {
	published, ok := inFile[name]
	if !ok {
		return nil, fmt.Errorf("there is no tensor %s", name)
	}
	t, err := f.Tensor(published)
	if err != nil {
		return nil, err
	}
	if t, err = layout.ours(t); err != nil {
		return nil, fmt.Errorf("tensor %s: %w", published, err)
	}
	return t, nil
}
