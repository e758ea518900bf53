package negative

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/field"
)

// Method is one way to treat the negatives of a mini-batch. A nil part is the plain choice: uniform batches, InfoNCE,
// hardest in-batch negatives.
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

// Validate tells which part is not plain data, what is wrong with a part that has a Validate of its own, and what does not fit
// together.
func (m Method) Validate() error {
	if err := m.identifiable(); err != nil {
		return err
	}
	for _, role := range roles {
		if checked, ok := m.parts()[role].(interface{ Validate() error }); ok {
			if err := checked.Validate(); err != nil {
				return err
			}
		}
	}
	if err := m.connectable(); err != nil {
		return err
	}
	if err := m.leavable(); err != nil {
		return err
	}
	if err := m.writable(); err != nil {
		return err
	}
	rewarded, ok := m.Batches.(Rewarded)
	if !ok {
		return nil
	}
	reward := rewarded.Reward()
	if _, stateful := m.Contrast.(Stateful); stateful && (reward.Has(ITC) || reward.Has(ITM)) {
		return fmt.Errorf("negative: a reward of %s with %T: its state would change by being asked twice a step; reward MLM alone",
			reward, m.Contrast)
	}
	if m.Positives != nil && (reward.Has(ITC) || reward.Has(ITM)) {
		return fmt.Errorf("negative: a reward of %s with %T: the update would change which pairs count as positives; reward MLM alone",
			reward, m.Positives)
	}
	return nil
}

// connectable tells why the parts leave no place for new positives.
func (m Method) connectable() error {
	if m.Positives == nil {
		return nil
	}
	if _, picks := m.Matching.(Picking); !picks {
		return fmt.Errorf("negative: %T with %T: it judges one negative an anchor, and this matching has none; use Hardest, Sampled or a "+
			"Picking of your own",
			m.Positives, m.Matching)
	}
	use := All
	if e, ok := m.Positives.(ECM); ok {
		use = e.Use
	}
	if itemised, ok := m.Contrast.(Itemised); ok && itemised.NeedsItems() && use.Has(ITC) {
		return fmt.Errorf("negative: %T with %T: its positives are the captions of an image; leave ITC out of ECM's Use",
			m.Positives, m.Contrast)
	}
	if _, connects := m.Contrast.(Connecting); use.Has(ITC) && !connects {
		return fmt.Errorf("negative: %T with %T: its loss knows one positive an anchor; leave ITC out of ECM's Use",
			m.Positives, m.Contrast)
	}
	return nil
}

// writable tells why a static writer has no reference model of its own.
func (m Method) writable() error {
	tags, _ := m.Writing.(TAGS)
	_, informed := m.Contrast.(Informed)
	if tags.Static && (informed || m.Positives != nil && m.Positives.Judge() == ConD) {
		return fmt.Errorf("negative: a static %T beside a part that asks another frozen model; a method has one, so let the model "+
			"itself write", m.Writing)
	}
	return nil
}

// NeedsReference tells whether a part needs the frozen model of another run.
func (m Method) NeedsReference() bool {
	_, informed := m.Contrast.(Informed)
	tags, _ := m.Writing.(TAGS)
	return informed || m.Positives != nil && m.Positives.Judge() == ConD || tags.Static
}

// NeedsRelation tells whether a part needs to know which captions are true of which images.
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
	for _, part := range []any{m.Contrast, m.LeftOut, m.Writing} {
		if reading, ok := part.(Reading); ok {
			names = append(names, reading.Reads()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Embeds tells whether the mini-batches depend on the embeddings of the steps before.
func (m Method) Embeds() bool {
	switch m.Batches.(type) {
	case nil, Uniform, Streamed:
		return false
	}
	return true
}
