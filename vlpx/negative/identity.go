package negative

import (
	"encoding/json"
	"fmt"
	"slices"

	"vlpx.internal/vlpx/source"
)

// MarshalJSON writes the parts with the names of their types, so that the JSON identifies the method, and with their source where they are
// defined outside of this module (see [source.Named]). The name is left out: what a method is called changes nothing.
func (m Method) MarshalJSON() ([]byte, error) {
	written := map[string]any{"Masking": m.Masking}
	if m.Attract {
		written["Attract"] = true
	}
	for _, r := range Roles() {
		part := r.Of(m)
		if part == nil && r.plain == nil {
			continue
		}
		named, err := source.Named(part)
		if err != nil {
			return nil, fmt.Errorf("negative: %s: %w", r.Name, err)
		}
		written[r.Name] = named
	}
	return json.Marshal(written)
}

// Vague reports parts whose code cannot be distinguished from the rest of the program (see [source.Vague]).
func (m Method) Vague() []string {
	var why []string
	for _, part := range m.parts() {
		if vague := source.Vague(part); vague != "" {
			why = append(why, vague)
		}
	}
	return why
}

// Foreign reports whether some part is defined outside of this module.
func (m Method) Foreign() bool { return slices.ContainsFunc(m.parts(), source.Foreign) }
