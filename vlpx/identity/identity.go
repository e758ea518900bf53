// Package identity tells what a part of a run is by its type and its fields: parts of methods, frameworks and tasks are plain data, and
// their JSON is part of the run's identity.
package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
)

// Named is a part under the name of its type, as JSON is to have it.
func Named(part any) map[string]any { return map[string]any{fmt.Sprintf("%T", part): part} }

// Program is the key under which JSON has the SHA-256 of the running program. What a part of this module does is told by its type and
// fields. The code of one that is defined elsewhere, such as in a notebook's cell, can change under the same name: so what has such a
// part is identified by the whole program, too.
const Program = "Program"

// Foreign returns the SHA-256 of the running program if the part is defined outside of this module, else "".
func Foreign(part any) (string, error) {
	if part == nil || !foreign(reflect.TypeOf(part)) {
		return "", nil
	}
	hash, err := program()
	if err != nil {
		return "", fmt.Errorf("identity: reading the program that defines %T: %w", part, err)
	}
	return hash, nil
}

// foreign reports whether a type is defined outside of this module.
func foreign(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return !strings.HasPrefix(t.PkgPath(), "vlpx.internal/")
}

// program is the SHA-256 of the running executable.
var program = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
})

// Plain tells why a part is not plain data: it has settings that its JSON would not show, so that a run with others would be answered
// with its results.
func Plain(part any) error {
	if part == nil {
		return errors.New("there is none")
	}
	if _, err := json.Marshal(part); err != nil {
		return fmt.Errorf("%w; a part is plain data, so that its settings are part of the run's identity", err)
	}
	if field := hidden(reflect.ValueOf(part)); field != "" {
		return fmt.Errorf("its JSON does not tell what the field %s holds; give it an exported field of a plain type, "+
			"so that its settings are part of the run's identity", field)
	}
	return nil
}

// hidden returns the first field below v that JSON does not identify, "" if there is none: an unexported one, or an interface,
// of which JSON shows the value but not the type.
func hidden(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return hidden(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if field := hidden(v.Index(i)); field != "" {
				return field
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if field := hidden(v.MapIndex(key)); field != "" {
				return field
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() && !f.Anonymous || f.Type.Kind() == reflect.Interface {
				return f.Name
			}
			if field := hidden(v.Field(i)); field != "" {
				return f.Name + "." + field
			}
		}
	}
	return ""
}
