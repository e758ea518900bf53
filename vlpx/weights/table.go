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
	// Tensors are the published names; several, such as those of queries, keys and values, stand side by side in the variable. One without
	// a name is zero and in no file, as the bias of EVA's keys; it is not the first.
	Tensors []string
}

// Table is what a family's names mean.
type Table struct {
	Rules []Rule
	// Copies are tensors that repeat others, such as those of tied weights: files have them, and they are written but not read.
	Copies []Rule
	// Rest is the scope below which a variable that no rule names is called by its path, "vlpx." before it; empty where there is none.
	Rest string
	// Ignored are the names of tensors that no variable takes, such as those of heads for other tasks. In them # stands for a number and
	// * at the end for whatever follows. A rule goes before.
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

// matches tells whether a name is of a pattern, in which # stands for a number and * at the end for whatever follows.
func matches(pattern, name string) bool {
	for ; pattern != ""; pattern = pattern[1:] {
		switch {
		case pattern == "*":
			return true
		case name == "":
			return false
		case pattern[0] == '#':
			rest := strings.TrimLeft(name, "0123456789")
			if rest == name {
				return false
			}
			name = rest
		case name[0] != pattern[0]:
			return false
		default:
			name = name[1:]
		}
	}
	return name == ""
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// Variables reads the variables of tables, in our layouts and the file's types. A name that none of them knows is an error, and so
// is a variable of which the file has a part.
func (f *File) Variables(tables ...Table) (Values, error) {
	values, report, err := f.Import(tables...)
	if err != nil {
		return nil, err
	}
	if err := report.Check(); err != nil {
		if family, unknown := f.Family(); unknown == nil {
			err = fmt.Errorf("%w By its names it is of %s", err, family.Name)
		}
		return nil, err
	}
	return values, nil
}

// Import is Variables with a report of what became of each tensor; names that no table knows are left over there.
func (f *File) Import(tables ...Table) (Values, Report, error) {
	table := Join(tables...)
	rules := map[string]*Rule{}
	for i, rule := range table.Rules {
		for _, name := range rule.Tensors {
			if name != "" {
				rules[name] = &table.Rules[i]
			}
		}
	}
	ignored := slices.Clone(table.Ignored)
	for _, rule := range table.Copies {
		ignored = append(ignored, rule.Tensors...)
	}
	type found struct {
		*Rule
		number string
	}
	inFile := map[string]string{} // by the names of today
	variables := map[string]found{}
	report := Report{File: f.path}
	for _, name := range f.Names() {
		today := name
		for old, now := range table.Renamed {
			today = strings.ReplaceAll(today, old, now)
		}
		if twin, twice := inFile[today]; twice {
			return nil, report, fmt.Errorf("weights: %s: the tensors %s and %s are the same one by an old and a new name; drop one",
				f.path, twin,
				name)
		}
		inFile[today] = name
		rule, number := rules[today], ""
		if rule == nil {
			var pattern string
			pattern, number = numbered(today)
			rule = rules[pattern]
		}
		switch {
		case rule != nil:
			report.Used = append(report.Used, f.about(name))
			variables[strings.ReplaceAll(rule.Variable, "#", number)] = found{rule, number}
		case table.Rest != "" && strings.HasPrefix(today, own):
			path := table.path(today)
			report.Used = append(report.Used, f.about(name))
			variables[path] = found{&Rule{path, Same, []string{today}}, ""}
		case matchesAny(ignored, today):
			report.Ignored = append(report.Ignored, f.about(name))
		default:
			report.Left = append(report.Left, f.about(name))
		}
	}
	read := Values{}
	for path, rule := range variables {
		var parts []*tensors.Tensor
		for _, name := range rule.Tensors {
			if name == "" {
				parts = append(parts, tensors.FromShape(parts[0].Shape()))
				continue
			}
			part, err := f.part(inFile, strings.ReplaceAll(name, "#", rule.number), rule.Layout)
			if err != nil {
				return nil, report, fmt.Errorf("weights: %s: variable %s: %w", f.path, path, err)
			}
			parts = append(parts, part)
		}
		value, err := sideBySide(parts)
		if err != nil {
			return nil, report, fmt.Errorf("weights: %s: variable %s: %w", f.path, path, err)
		}
		read[path] = value
	}
	return read, report, nil
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
