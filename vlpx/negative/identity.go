package negative

import (
	"encoding/json"
	"fmt"

	"vlpx.internal/vlpx/source"
)

// MarshalJSON writes the parts with the names of their types, so that the JSON identifies the method, and with their source where they are
// defined outside of this module (see [source.Named]). The name is left out: what a method is called changes nothing.
func (m Method) MarshalJSON() ([]byte, error) {
	told := map[string]any{"Masking": m.Masking}
	if m.Attract {
		told["Attract"] = true
	}
	for role, part := range m.parts() {
		named, err := source.Named(part)
		if err != nil {
			return nil, fmt.Errorf("negative: %s: %w", role, err)
		}
		told[role] = named
	}
	return json.Marshal(told)
}

// Vague tells of parts whose code cannot be told apart from the rest of the program (see [source.Vague]).
func (m Method) Vague() []string {
	var why []string
	for _, role := range roles {
		if told := source.Vague(m.parts()[role]); told != "" {
			why = append(why, told)
		}
	}
	return why
}

// Foreign reports whether some part is defined outside of this module.
func (m Method) Foreign() bool {
	for _, part := range m.parts() {
		if source.Foreign(part) {
			return true
		}
	}
	return false
}

func (m Method) parts() map[string]any {
	parts := map[string]any{"Batches": m.Batches, "Contrast": m.Contrast, "Matching": m.Matching}
	if m.Positives != nil {
		parts["Positives"] = m.Positives
	}
	if m.LeftOut != nil {
		parts["LeftOut"] = m.LeftOut
	}
	if m.Writing != nil {
		parts["Writing"] = m.Writing
	}
	return parts
}

// roles are the names of the parts.
var roles = []string{"Batches", "Contrast", "Matching", "Positives", "LeftOut", "Writing"}

// identifiable tells of the first part that is not plain data.
func (m Method) identifiable() error {
	parts := m.parts()
	for _, role := range roles {
		if part, has := parts[role]; has && part != nil {
			if err := source.Plain(part); err != nil {
				return fmt.Errorf("negative: %s %T: %w", role, part, err)
			}
		}
	}
	return nil
}
