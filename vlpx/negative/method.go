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
		return fmt.Errorf("negative: a reward of %s with %T: its state would change by being asked twice a step; reward MLM alone", reward, m.Contrast)
	}
	if m.Positives != nil && (reward.Has(ITC) || reward.Has(ITM)) {
		return fmt.Errorf("negative: a reward of %s with %T: the update would change which pairs count as positives; reward MLM alone", reward, m.Positives)
	}
	return nil
}

// connectable tells why the parts leave no place for new positives.
func (m Method) connectable() error {
	if m.Positives == nil {
		return nil
	}
	if _, picks := m.Matching.(Picking); !picks {
		return fmt.Errorf("negative: %T with %T: it judges one negative an anchor, and this matching has none; use Hardest, Sampled or a Picking of your own",
			m.Positives, m.Matching)
	}
	use := All
	if e, ok := m.Positives.(ECM); ok {
		use = e.Use
	}
	if itemised, ok := m.Contrast.(Itemised); ok && itemised.NeedsItems() && use.Has(ITC) {
		return fmt.Errorf("negative: %T with %T: its positives are the captions of an image; leave ITC out of ECM's Use", m.Positives, m.Contrast)
	}
	if _, connects := m.Contrast.(Connecting); use.Has(ITC) && !connects {
		return fmt.Errorf("negative: %T with %T: its loss knows one positive an anchor; leave ITC out of ECM's Use", m.Positives, m.Contrast)
	}
	return nil
}

// writable tells why a static writer has no reference model of its own.
func (m Method) writable() error {
	tags, _ := m.Writing.(TAGS)
	_, informed := m.Contrast.(Informed)
	if tags.Static && (informed || m.Positives != nil && m.Positives.Judge() == ConD) {
		return fmt.Errorf("negative: a static %T beside a part that asks another frozen model; a method has one, so let the model itself write", m.Writing)
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

// Plain is InfoNCE on uniform mini-batches: the baseline without any idea about negatives (METHODS.md 2).
func Plain() Method {
	return Method{Name: "InfoNCE"}.WithDefaults()
}

// ALBEF distils a momentum model's view of the batch and a queue into the targets (Li et al., 2021; METHODS.md 1).
func ALBEF(queue int) Method {
	return Method{
		Name:     "ALBEF",
		Batches:  Uniform{},
		Contrast: Distilled{Alpha: 0.4, Decay: 0.995, Queue: queue},
		Matching: Sampled{},
		Masking:  0.15,
	}
}

// DiHT weighs the harder negatives more (Radenovic et al., 2023; METHODS.md 6), on ALBEF's uniform mini-batches, matching
// and masking, without momentum.
func DiHT() Method {
	return Method{
		Name:     "DiHT",
		Batches:  Uniform{},
		Contrast: HNNCE{Alpha: 1, Beta: 0.25, WeightGradient: true},
		Matching: Sampled{},
		Masking:  0.15,
	}
}

// SRCL weighs down the negatives that are similar to their anchor (Jiang et al., 2023; METHODS.md 5), over a run of so many
// epochs, on ALBEF's uniform mini-batches, matching and masking, without momentum. It needs a frozen reference model.
func SRCL(epochs int) Method {
	return Method{Name: "SRCL", Batches: Uniform{}, Contrast: Regulated{Epochs: epochs}, Matching: Sampled{}, Masking: 0.15}
}

// GRITVLP groups similar pairs into mini-batches and adds a consistency target to ITC (Byun et al., 2022; METHODS.md 3).
func GRITVLP(searchSpace, queue int) Method {
	return grit("GRIT-VLP", Grouped{SearchSpace: searchSpace, Queue: queue})
}

// SmoothedGRIT is GRIT-VLP with S-ITC in the place of its consistency loss: MAFA without connections, and the pre-training of its
// Con-D (MAFA, sections 4.1 and 4.2).
func SmoothedGRIT(searchSpace, queue int) Method {
	m := GRITVLP(searchSpace, queue)
	m.Name, m.Contrast = "S-ITC", Smoothed{Alpha: 0.5}
	return m
}

// MAFA mines connections among GRIT-VLP's hard negatives and smooths ITC (Byun et al., 2024; METHODS.md 4). It needs Con-D as its
// frozen reference model.
func MAFA(searchSpace, queue int) Method {
	m := SmoothedGRIT(searchSpace, queue)
	m.Name, m.Positives = "MAFA", ECM{Low: 0.5, High: 0.8}
	return m
}

// OracleMAFA is MAFA whose judge is the data's relation (MAFA, appendix G.5; METHODS.md 4.4).
func OracleMAFA(searchSpace, queue int) Method {
	m := MAFA(searchSpace, queue)
	m.Name, m.Positives = "MAFA (Oracle)", ECM{Low: 0.5, High: 0.8, JudgedBy: Oracle}
	return m
}

// Quantile is GRIT-VLP's grouping at one fixed level of hardness (FALCON, appendix C.3).
func Quantile(name string, quantile float64, searchSpace, queue int) Method {
	return grit(name, FixedQuantile{Quantile: quantile, SearchSpace: searchSpace, Queue: queue})
}

// ProgressiveQuantile is GRIT-VLP's grouping at a level of hardness that moves from one quantile to another over training:
// Progressive-Hardening where it rises, Progressive-Softening where it falls (FALCON, section 4.1).
func ProgressiveQuantile(name string, from, to float64, searchSpace, queue int) Method {
	return grit(name, Progressive{From: from, To: to, SearchSpace: searchSpace, Queue: queue})
}

func grit(name string, b Batches) Method {
	return Method{Name: name, Batches: b, Contrast: Consistency{Weight: 0.2}, Matching: Hardest{}, Masking: 0.5}
}
