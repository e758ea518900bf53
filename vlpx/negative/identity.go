package negative

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
)

// MarshalJSON writes the parts with the names of their types, so that the JSON identifies the method. The name is left out:
// what a method is called changes nothing.
//
// What a part of this module does is told by its type and fields. The code of one that is defined elsewhere, such as in a
// notebook's cell, can change under the same name: a method with such a part is identified by the whole program, too.
func (m Method) MarshalJSON() ([]byte, error) {
	identity := map[string]any{"Masking": m.Masking}
	for role, part := range m.parts() {
		identity[role] = map[string]any{fmt.Sprintf("%T", part): part}
		if part == nil || !foreign(reflect.TypeOf(part)) {
			continue
		}
		hash, err := program()
		if err != nil {
			return nil, fmt.Errorf("negative: %s %T: reading the program that defines it: %w", role, part, err)
		}
		identity["Program"] = hash
	}
	return json.Marshal(identity)
}

func (m Method) parts() map[string]any {
	parts := map[string]any{"Batches": m.Batches, "Contrast": m.Contrast, "Matching": m.Matching}
	if m.Positives != nil {
		parts["Positives"] = m.Positives
	}
	return parts
}

// roles are the names of the parts.
var roles = []string{"Batches", "Contrast", "Matching", "Positives"}

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

// identifiable tells of the first part that is not plain data: one with settings that its JSON would not show, so that a
// run with others would be answered with its results.
func (m Method) identifiable() error {
	for _, role := range roles {
		part, has := m.parts()[role]
		if !has {
			continue
		}
		if _, err := json.Marshal(part); err != nil {
			return fmt.Errorf("negative: %s %T: %w; a part is plain data, so that its settings are part of the run's identity", role, part, err)
		}
		if field := hidden(reflect.ValueOf(part)); field != "" {
			return fmt.Errorf("negative: %s %T: its JSON does not tell what the field %s holds; give it an exported field of a plain type, "+
				"so that its settings are part of the run's identity", role, part, field)
		}
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
