package scale

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Set changes one field of a scale by "key=value", and nothing else; a key is a setting's name, such as Schedule.Rate=3e-4, in any case, or
// another word for it (see FindSetting). The error says what the setting is, or the nearest there is.
func (s *Scale) Set(assignment string) error {
	x, text, err := assigned(assignment)
	if err != nil {
		return err
	}
	if x.Name == "framework" {
		return s.Frame(text)
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil && v == 0 && x.Zero != 0 {
		return fmt.Errorf("setting %s: %s cannot be zero; leave it out for the usual %g", assignment, x.Name, x.Zero)
	}
	next := *s
	err = Assign(x.Of(&next), text)
	if err == nil {
		err = bounded(x.Of(&next), x.most())
	}
	if err != nil {
		return fmt.Errorf("setting %s: %w; %s", assignment, err, x.Brief())
	}
	*s = next
	return nil
}

// assigned are the setting and the value of an assignment.
func assigned(assignment string) (Settable, string, error) {
	key, text, ok := strings.Cut(assignment, "=")
	if !ok {
		return Settable{}, "", fmt.Errorf("setting %s: write it as key=value, such as epochs=3", assignment)
	}
	x, err := FindSetting(key)
	if err != nil {
		return x, "", fmt.Errorf("setting %s: %w", assignment, err)
	}
	return x, text, nil
}

// canonical is an assignment under the setting's own name.
func Canonical(assignment string) (string, error) {
	x, text, err := assigned(assignment)
	return x.Name + "=" + text, err
}

// assign gives a field the value that a text says; the error leaves it as it was.
func Assign(field reflect.Value, text string) error {
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
		return nil
	case reflect.Float32, reflect.Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || field.OverflowFloat(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%q is not a number", text)
		}
		field.SetFloat(v)
		return nil
	}
	value := reflect.New(field.Type()) // of its own: what JSON gives up in the middle of it has changed by then
	// To JSON null is a value of any type, which changes nothing.
	if err := json.Unmarshal([]byte(text), value.Interface()); err != nil || strings.TrimSpace(text) == "null" {
		return fmt.Errorf("%q is not %s", text, called(field.Type()))
	}
	if err := bounded(value.Elem(), mostOfAll); err != nil {
		return err
	}
	field.Set(value.Elem())
	return nil
}

// called is what a value of a type is.
func called(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	case reflect.Array:
		return fmt.Sprintf("a list of %d, such as %s", t.Len(), example(t))
	case reflect.Slice:
		return "a list, such as " + example(t)
	}
	return "a value in JSON, such as " + example(t)
}

// example is a value of a type as it is written.
func example(t reflect.Type) string {
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.Slice {
		v = reflect.MakeSlice(t, 2, 2)
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return "none"
	}
	return string(text)
}

// SetAll changes fields one after the other, as Set does, the framework first, since it changes others.
func (s *Scale) SetAll(assignments []string) error {
	var rest []string
	for _, assignment := range assignments {
		x, text, err := assigned(assignment)
		if err != nil {
			return err
		}
		if x.Name != "framework" {
			rest = append(rest, assignment)
		} else if err := s.Frame(text); err != nil {
			return err
		}
	}
	for _, assignment := range rest {
		if err := s.Set(assignment); err != nil {
			return err
		}
	}
	return nil
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
