package scale

import (
	"fmt"
	"slices"
	"strings"
)

// Own is what a framework has besides the fields of a scale, by its type: as it was set, else as the framework has it at a scale of that
// name. A type that no framework has is a mistake of the program, and so panics.
func Own[T any](s Scale) T {
	for _, k := range registered {
		if own, is := s.ownOf(k).(T); is {
			return own
		}
	}
	panic(fmt.Sprintf("scale: no framework has %T of its own", *new(T)))
}

// ownOf is what a framework has of its own; nil for nothing.
func (s Scale) ownOf(k Kind) any {
	if own, set := s.own[k.Name]; set || k.Own == nil {
		return own
	}
	return k.Own(s.Name)
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
