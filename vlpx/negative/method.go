package negative

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/source"
)

// Method is one way to treat the negatives of a mini-batch. A nil part is the plain choice: uniform batches, InfoNCE,
// hardest in-batch negatives. Roles lists the roles of the parts.
type Method struct {
	Name     string
	Batches  Batches
	Contrast Contrast
	Matching Matching
	// Positives turns some of the negatives into positives; nil for none.
	Positives Positives
	// LeftOut finds negatives that are false, which then do not count; nil for none. With Attract they count as positives.
	LeftOut LeftOut
	Attract bool
	// Writing makes further negatives of images, sentences that exist nowhere; nil for none.
	Writing Writing
	// Further are the parts of roles that have no field here, by the role's name; see RegisterRole.
	Further map[string]any
	// Masking is MLM's masking probability: 0.15 in ALBEF, 0.5 in GRIT-VLP and the papers after it.
	Masking float64
}

// WithDefaults fills the nil parts with the plain choices.
func (m Method) WithDefaults() Method {
	if m.Batches == nil {
		m.Batches = Uniform{}
	}
	if m.Contrast == nil {
		m.Contrast = InfoNCE{}
	}
	if m.Matching == nil {
		m.Matching = Hardest{}
	}
	if m.Masking == 0 {
		m.Masking = 0.5
	}
	return m
}

// Validate reports which part is not plain data, what is wrong with a part that has a Validate of its own, and what does not fit
// together.
func (m Method) Validate() error {
	if err := m.checkRoles(); err != nil {
		return err
	}
	err := m.each(func(r Role, part any) error {
		if err := source.Plain(part); err != nil {
			return fmt.Errorf("negative: %s %T: %w", r.Name, part, err)
		}
		if checked, ok := part.(interface{ Validate() error }); ok {
			return checked.Validate()
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range Roles() {
		if r.Check == nil {
			continue
		}
		if err := r.Check(m); err != nil {
			return err
		}
	}
	return nil
}

// NeedsReference reports whether a part needs the frozen model of another run.
func (m Method) NeedsReference() bool { return slices.ContainsFunc(m.parts(), refers) }

// refers reports whether a part needs the frozen model of another run.
func refers(part any) bool {
	switch part := part.(type) {
	case Informed:
		return true
	case Positives:
		return part.Judge() == ConD
	case TAGS:
		return part.Static
	}
	return false
}

// NeedsRelation reports whether a part needs to know which captions are true of which images.
func (m Method) NeedsRelation() bool {
	reads := m.Reads()
	return slices.Contains(reads, field.Truth) || slices.Contains(reads, field.FalseShare)
}

// Reads are the fields of a mini-batch that a part reads by itself, besides embeddings.
func (m Method) Reads() []field.Name {
	var names []field.Name
	if itemised, ok := m.Contrast.(Itemised); ok && itemised.NeedsItems() {
		names = append(names, field.Items)
	}
	if m.Positives != nil && m.Positives.Judge() == Oracle {
		names = append(names, field.Truth)
	}
	for _, part := range m.parts() {
		if reading, ok := part.(Reading); ok {
			names = append(names, reading.Reads()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Embeds reports whether the mini-batches depend on the embeddings of the steps before.
func (m Method) Embeds() bool {
	switch m.Batches.(type) {
	case nil, Uniform, Streamed:
		return false
	}
	return true
}
