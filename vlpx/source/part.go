// Package source says which code made a result. Parts of methods, frameworks and tasks are plain data: their type and its fields identify
// them. What is defined outside of this module, such as in a notebook's cell, can change under the same name, so its declarations are
// hashed, too ([Named]). This module's own code is known by its commit ([Commit]) and by a hash of the packages that compute ([Code]).
package source

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	sources "vlpx.internal"
)

// What stands beside the type of a foreign part in JSON, with a SHA-256 in hexadecimal digits: of the declarations that the type reaches,
// or of the running program where these cannot be told apart from the rest of it (see [Vague]).
const (
	declarations = "Source"
	executable   = "Executable"
)

// hashes finds these in JSON; Program stood for the executable in older versions.
var hashes = regexp.MustCompile(`"(Source|Executable|Program)": *"[0-9a-f]{64}"`)

// Named is a part under the name of its type, as JSON is to have it, with the hash of its code where it is foreign.
func Named(part any) (map[string]any, error) {
	named := map[string]any{fmt.Sprintf("%T", part): part}
	if !Foreign(part) {
		return named, nil
	}
	hash, err := running.hashOf(reflect.TypeOf(part))
	if err == nil {
		named[declarations] = hash
		return named, nil
	}
	if named[executable], err = hashOfProgram(); err != nil {
		return nil, fmt.Errorf("source: reading the program that defines %T: %w", part, err)
	}
	return named, nil
}

// Vague says in a sentence why a part is identified by the whole program. It is empty where the part's code is told apart, or is this
// module's.
func Vague(part any) string {
	if !Foreign(part) {
		return ""
	}
	t := reflect.TypeOf(part)
	if _, err := running.hashOf(t); err != nil {
		return fmt.Sprintf("%s is identified by the whole program, so it runs anew after any change: %v.", name(t), err)
	}
	return ""
}

// Foreign reports whether a part is defined outside of this module.
func Foreign(part any) bool {
	return part != nil && !strings.HasPrefix(pointed(reflect.TypeOf(part)).PkgPath(), ours)
}

// Without returns a run's JSON without the hashes of foreign code. What is left are its settings.
func Without(text []byte) []byte { return hashes.ReplaceAll(text, []byte(`"$1": ""`)) }

// ours begins the paths of this module's packages.
const ours = sources.Folder

// pointed is the type that a pointer points to, or the type itself.
func pointed(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// name is what a reader calls a type.
func name(t reflect.Type) string {
	if t = pointed(t); t.Name() != "" {
		return t.Name()
	}
	return "A part without a name"
}
