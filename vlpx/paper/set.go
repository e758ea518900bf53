package paper

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
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
		names := make([]string, 0, len(fields))
		for name := range fields {
			names = append(names, name)
		}
		return fmt.Errorf("setting %s: no setting %q; did you mean %q?", assignment, key, Nearest(key, names))
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

func settable(prefix string, v reflect.Value, fields map[string]reflect.Value) {
	for i := range v.NumField() {
		name := strings.ToLower(prefix + v.Type().Field(i).Name)
		if name == "name" {
			continue
		}
		if v.Field(i).Kind() == reflect.Struct {
			settable(name+".", v.Field(i), fields)
			continue
		}
		fields[name] = v.Field(i)
	}
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
