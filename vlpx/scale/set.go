package scale

import (
	"fmt"
	"slices"
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
	if err := x.set(s, text); err != nil {
		return fmt.Errorf("setting %s: %w; %s", assignment, err, x.Brief())
	}
	return nil
}

// assigned are the setting and the value of an assignment.
func assigned(assignment string) (x Settable, text string, err error) {
	key, text, err := Assignment(assignment)
	if err != nil {
		return x, "", err
	}
	if x, err = FindSetting(key); err != nil {
		err = fmt.Errorf("setting %s: %w", assignment, err)
	}
	return x, text, err
}

// Canonical is an assignment under the setting's own name.
func Canonical(assignment string) (string, error) {
	x, text, err := assigned(assignment)
	return x.Name + "=" + text, err
}

// SetAll changes fields one after the other, as Set does, the framework first, since it changes others.
func (s *Scale) SetAll(assignments []string) error {
	var first, rest []string
	for _, assignment := range assignments {
		x, _, err := assigned(assignment)
		if err != nil {
			return err
		}
		if x.Name == "framework" {
			first = append(first, assignment)
		} else {
			rest = append(rest, assignment)
		}
	}
	for _, assignment := range append(first, rest...) {
		if err := s.Set(assignment); err != nil {
			return err
		}
	}
	return nil
}

// Common are those of assignments that are of no framework's own settings.
func Common(assignments []string) []string {
	return slices.DeleteFunc(slices.Clone(assignments), func(assignment string) bool {
		x, _, err := assigned(assignment)
		return err == nil && x.Framework != ""
	})
}

// Foreign tells of the first assignment of a setting that another framework than these has of its own; nil for none.
func Foreign(assignments []string, frameworks ...string) error {
	for _, assignment := range assignments {
		x, _, err := assigned(assignment)
		if err == nil {
			err = x.foreign(assignment, frameworks...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// foreign tells that an assignment of the setting is for another framework than these; nil where it is for one of them, or for all.
func (x Settable) foreign(assignment string, frameworks ...string) error {
	if x.Framework == "" || slices.Contains(frameworks, x.Framework) {
		return nil
	}
	return fmt.Errorf("setting %s: %s is a setting of %s, not of %s; leave it out, or take framework=%s", assignment, x.Name, x.Framework,
		strings.Join(frameworks, " and "), x.Framework)
}
