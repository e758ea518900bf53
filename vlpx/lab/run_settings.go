package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Setting is a field of a run's configuration, by its path.
type Setting struct{ Name, Value string }

// settingsOf are the fields of a run's canonical JSON; none of no JSON.
func settingsOf(text []byte) ([]Setting, error) {
	if text == nil {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var all []Setting
	if err := flatten(d, "", &all); err != nil {
		return nil, fmt.Errorf("run's settings: %w", err)
	}
	return all, nil
}

// flatten reads one value and adds its fields; a list of plain values is one.
func flatten(d *json.Decoder, path string, all *[]Setting) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		n := len(*all)
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if err := flatten(d, strings.TrimPrefix(path+"."+name.(string), "."), all); err != nil {
				return err
			}
		}
		if len(*all) == n {
			*all = append(*all, Setting{path, "{}"})
		}
		_, err = d.Token()
		return err
	case json.Delim('['):
		var inner []Setting
		for k := 0; d.More(); k++ {
			if err := flatten(d, fmt.Sprintf("%s[%d]", path, k), &inner); err != nil {
				return err
			}
		}
		var values []string
		for k, s := range inner {
			if s.Name == fmt.Sprintf("%s[%d]", path, k) {
				values = append(values, s.Value)
			}
		}
		if len(values) == len(inner) {
			inner = []Setting{{path, "[" + strings.Join(values, " ") + "]"}}
		}
		*all = append(*all, inner...)
		_, err = d.Token()
		return err
	}
	value := "none"
	if token != nil {
		value = fmt.Sprint(token)
	}
	*all = append(*all, Setting{path, value})
	return nil
}
