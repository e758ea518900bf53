package paper

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Set changes one field of a scale by "key=value"; a key of a part is written with a dot, such as Scenes.Density=dbl or
// Schedule.Rate=3e-4. The case of letters does not matter. The error names the key, its type, and the nearest there is.
func (s *Scale) Set(assignment string) error {
	key, text, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("setting %s: write it as key=value, such as epochs=3", assignment)
	}
	fields := map[string]reflect.Value{}
	settable("", reflect.ValueOf(s).Elem(), fields)
	field, ok := fields[strings.ToLower(key)]
	if !ok {
		return fmt.Errorf("setting %s: no setting %q%s See them all with: vlpx show settings, or vlpx.Show(\"settings\") in a notebook",
			assignment, key, Suggest(key, slices.Collect(maps.Keys(fields))))
	}
	if strings.EqualFold(key, "framework") {
		return s.frame(text)
	}
	if field.Kind() == reflect.String {
		field.SetString(text)
		return nil
	}
	if field.Kind() == reflect.Float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("setting %s: %q is not a number", assignment, text)
		}
		field.SetFloat(v)
		return nil
	}
	// To JSON null is a value of any type, which changes nothing.
	if err := json.Unmarshal([]byte(text), field.Addr().Interface()); err != nil || strings.TrimSpace(text) == "null" {
		return fmt.Errorf("setting %s: %q is not a value of type %s", assignment, text, field.Kind())
	}
	return nil
}

// frame takes a framework by its name, with what its paper has; the same one again changes nothing. A second one is an error, as it would keep
// what the first one's paper has.
func (s *Scale) frame(name string) error {
	k, err := kind(name)
	if err != nil {
		return fmt.Errorf("setting framework=%s: %w", name, err)
	}
	if s.Framework == k.Name {
		return nil
	}
	if s.Framework != "" {
		return fmt.Errorf("setting framework=%s: it is %s already; leave one of them out", name, s.Framework)
	}
	s.Framework = k.Name
	if k.preset != nil {
		k.preset(s)
	}
	return nil
}

// SetAll changes fields one after the other, as Set does, the framework first, since it changes others. With a changed number of epochs
// the cosine of the learning rate gets its length, unless Schedule.Epochs is among the assignments, too, before or after it.
func (s *Scale) SetAll(assignments []string) error {
	sets := func(name string) bool {
		return slices.ContainsFunc(assignments, func(a string) bool {
			key, _, _ := strings.Cut(a, "=")
			return strings.EqualFold(key, name)
		})
	}
	if sets("epochs") && !sets("schedule.epochs") {
		s.Schedule.Epochs = 0
	}
	isFramework := func(a string) bool { return strings.HasPrefix(strings.ToLower(a), "framework=") }
	for _, first := range []bool{true, false} {
		for _, assignment := range assignments {
			if isFramework(assignment) != first {
				continue
			}
			if err := s.Set(assignment); err != nil {
				return err
			}
		}
	}
	return nil
}

func settable(prefix string, v reflect.Value, fields map[string]reflect.Value) {
	for i := range v.NumField() {
		name := strings.ToLower(prefix + v.Type().Field(i).Name)
		if name == "name" || !v.Type().Field(i).IsExported() {
			continue
		}
		if v.Field(i).Kind() == reflect.Struct {
			settable(name+".", v.Field(i), fields)
			continue
		}
		fields[name] = v.Field(i)
	}
}

// Settings are the names that Set takes with their values at every preset, in the order of ScaleNames.
func Settings() (names []string, values map[string][]string) {
	values = map[string][]string{}
	for _, s := range scales() {
		fields := map[string]reflect.Value{}
		settable("", reflect.ValueOf(&s).Elem(), fields)
		for name, field := range fields {
			values[name] = append(values[name], fmt.Sprint(field.Interface()))
		}
	}
	return slices.Sorted(maps.Keys(values)), values
}

// Suggest ends a sentence about a name that is not known: it asks for the nearest candidate, if one is near.
func Suggest(name string, candidates []string) string {
	nearest := Nearest(name, candidates)
	lower := strings.ToLower(name)
	if !strings.HasPrefix(strings.ToLower(nearest), lower) && edits(lower, strings.ToLower(nearest)) > max(2, len(name)/3) {
		return "."
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}

// Nearest is the candidate that a name is the beginning of, else the one with the fewest single-letter edits from it.
func Nearest(name string, candidates []string) string {
	for _, c := range candidates {
		if name != "" && strings.HasPrefix(strings.ToLower(c), strings.ToLower(name)) {
			return c
		}
	}
	best, least := "", -1
	for _, c := range candidates {
		d := edits(strings.ToLower(name), strings.ToLower(c))
		if least < 0 || d < least || d == least && c < best {
			best, least = c, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
