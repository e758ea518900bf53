package scale

import (
	"fmt"
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
	if err := x.foreign(assignment, s.Framework); s.Framework != "" && err != nil {
		return err
	}
	next := *s
	err = x.set(&next, text)
	if err == nil {
		err = bounded(x.Of(next), x.most())
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

// Canonical is an assignment under the setting's own name.
func Canonical(assignment string) (string, error) {
	x, text, err := assigned(assignment)
	return x.Name + "=" + text, err
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
