package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Ablation is a method composed of parts by name, with the settings that an ablation bench moves. The names are those of Parts.
type Ablation struct {
	Batches, Contrast, Matching, Positives, LeftOut string

	SearchSpace int     // of the grouped samplers, in pairs
	Quantile    float64 // of the fixed quantile, and the one that progressive quantiles start from or end at
	Alpha       float64 // weight of the contrast's soft targets
	Temperature float64 // of ITC at first
}

// Part is a choice for a role of a method.
type Part struct {
	Name string
	What string // in a few words
	// Of is the registered method that has it.
	Of string
	// Uses are the settings that make a difference with it.
	Uses []string

	role string
}

// Roles of a method's parts, in the order of Ablation's fields, and settings.
const (
	BatchesRole, ContrastRole, MatchingRole, PositivesRole, LeftOutRole = "batches", "contrast", "matching",
		"positives", "left out"
	SearchSpaceKey, QuantileKey, AlphaKey, TemperatureKey                        = "searchspace", "quantile", "alpha", "temperature"
	uniformBatches, infoNCEContrast, hardestMatching, withoutPositive, nobodyOut = "uniform", "InfoNCE", "hardest", "none", "none"
)

// Roles lists the roles of a method's parts.
func Roles() []string {
	return []string{BatchesRole, ContrastRole, MatchingRole, PositivesRole, LeftOutRole}
}

// Parts lists the choices for a role, the plain one first: those that have a name here, and of methods whose part has none, the method's.
func Parts(role string) []Part {
	parts := slices.Clone(namedParts[role])
	known := map[string]bool{"<nil>": true} // Positives and LeftOut of most methods
	kind := func(method scale.Method) string {
		return fmt.Sprintf("%T", Part{role: role}.in(method.Parts(scale.Scale{Epochs: 1}).WithDefaults()))
	}
	for k := range parts {
		parts[k].role = role
		known[kind(scale.Registered(parts[k].Of))] = true
	}
	for _, m := range scale.Methods() {
		if len(parts) > 0 && !known[kind(m)] {
			known[kind(m)] = true
			parts = append(parts, Part{Name: m.Name, What: m.What, Of: m.Name, role: role})
		}
	}
	return parts
}

// namedParts are the parts that an ablation has a name of its own for.
var namedParts = map[string][]Part{
	BatchesRole: {
		{Name: uniformBatches, What: "pairs drawn uniformly", Of: "InfoNCE"},
		{Name: "grouped", What: "chains of nearest neighbours (GRIT-VLP)", Of: "GRIT-VLP", Uses: []string{SearchSpaceKey}},
		{Name: "fixed quantile", What: "neighbours of one hardness", Of: "Hard quantile", Uses: []string{SearchSpaceKey, QuantileKey}},
		{Name: "hardening", What: "from the quantile to the hardest over training", Of: "Progressive-Hardening",
			Uses: []string{SearchSpaceKey, QuantileKey}},
		{Name: "softening", What: "from the hardest to the quantile over training", Of: "Progressive-Softening",
			Uses: []string{SearchSpaceKey, QuantileKey}},
		{Name: "scheduled", What: "a learned quantile for each anchor (FALCON)", Of: "FALCON", Uses: []string{SearchSpaceKey}},
	},
	ContrastRole: {
		{Name: infoNCEContrast, What: "one true caption, all others equally wrong", Of: "InfoNCE"},
		{Name: "consistency", What: "agreement of an anchor's two views, weighed by alpha (GRIT-VLP)", Of: "GRIT-VLP",
			Uses: []string{AlphaKey}},
		{Name: "distilled", What: "soft targets of momentum encoders and a queue, mixed in by alpha (ALBEF)", Of: "ALBEF",
			Uses: []string{AlphaKey}},
		{Name: "smoothed", What: "labels smoothed by alpha (MAFA's S-ITC)", Of: "S-ITC", Uses: []string{AlphaKey}},
		{Name: "hardness-weighted", What: "harder negatives weigh more (DiHT)", Of: "DiHT"},
		{Name: "regulated", What: "similar negatives weigh less, by a reference model (SRCL)", Of: "SRCL"},
		{Name: "global", What: "negatives of the whole data, by a moving average an anchor (SogCLR)", Of: "SogCLR"},
		{Name: "individual", What: "the same at a temperature of its own for each anchor (iSogCLR)", Of: "iSogCLR"},
		{Name: "fading, learned", What: "moving averages that fade in, and a temperature that learns by them (FastCLIP-v0)",
			Of: "FastCLIP-v0"},
		{Name: "fading, constant", What: "the same at a constant temperature (FastCLIP-v1)", Of: "FastCLIP-v1"},
		{Name: "fading, individual", What: "the same at a temperature for each anchor (FastCLIP-v2)", Of: "FastCLIP-v2"},
		{Name: "fading, robust", What: "the same at a temperature that learns by a robust loss (FastCLIP-v3)", Of: "FastCLIP-v3"},
	},
	MatchingRole: {
		{Name: hardestMatching, What: "the hardest negative of the mini-batch", Of: "InfoNCE"},
		{Name: "sampled", What: "a negative drawn by similarity (ALBEF)", Of: "ALBEF"},
	},
	PositivesRole: {
		{Name: withoutPositive, What: "negatives stay negatives", Of: "InfoNCE"},
		{Name: "connections, learned", What: "those that Con-D accepts become positives (MAFA)", Of: "MAFA"},
		{Name: "connections, exact", What: "those that are true become positives; generated scenes only", Of: "MAFA (Oracle)"},
	},
	LeftOutRole: {
		{Name: nobodyOut, What: "all negatives count", Of: "InfoNCE"},
		{Name: "thresholds", What: "those above a cosine that each anchor learns do not (GloFND)", Of: "GloFND"},
		{Name: "batch quantile", What: "the most similar ones of the mini-batch do not (FNC)", Of: "FNC"},
		{Name: "exact", What: "those that are false do not; generated scenes and labelled images only", Of: "SogCLR (Oracle)"},
	},
}

// in is a method's part for this one's role.
func (p Part) in(m negative.Method) any {
	return map[string]any{
		BatchesRole: m.Batches, ContrastRole: m.Contrast, MatchingRole: m.Matching, PositivesRole: m.Positives, LeftOutRole: m.LeftOut,
	}[p.role]
}

// fill takes the part from its method, at the ablation's settings.
func (p Part) fill(s scale.Scale, a Ablation, m *negative.Method) {
	if slices.Contains(p.Uses, SearchSpaceKey) {
		s.SearchSpace, s.Scheduler.SearchSpace = a.SearchSpace, a.SearchSpace
	}
	if slices.Contains(p.Uses, QuantileKey) {
		s.Hard, s.Soft = a.Quantile, a.Quantile
	}
	of := scale.Registered(p.Of).Parts(s).WithDefaults()
	switch p.role {
	case BatchesRole:
		m.Batches = of.Batches
	case ContrastRole:
		m.Contrast = softenedBy(of.Contrast, a.Alpha)
	case MatchingRole:
		m.Matching = of.Matching
	case PositivesRole:
		m.Positives = of.Positives
	case LeftOutRole:
		m.LeftOut, m.Attract = of.LeftOut, of.Attract
	}
}

// reference is the registered method whose run the part needs; empty for none.
func (p Part) reference() string {
	var alone negative.Method
	if p.fill(scale.Scale{Epochs: 1}, Ablation{}, &alone); !alone.NeedsReference() {
		return ""
	}
	return scale.Registered(p.Of).Reference
}

// softenedBy is a contrast with another weight of its soft targets, if it has any.
func softenedBy(c negative.Contrast, alpha float64) negative.Contrast {
	switch c := c.(type) {
	case negative.Consistency:
		c.Weight = alpha
		return c
	case negative.Distilled:
		c.Alpha = alpha
		return c
	case negative.Smoothed:
		c.Alpha = alpha
		return c
	}
	return c
}

// PlainAblation is the ablation that everything is compared with: the first part of every role, at a scale's sizes.
func PlainAblation(s scale.Scale) Ablation {
	s = s.Resolved()
	return Ablation{
		Batches: uniformBatches, Contrast: infoNCEContrast, Matching: hardestMatching, Positives: withoutPositive, LeftOut: nobodyOut,
		SearchSpace: s.SearchSpace, Quantile: s.Soft, Alpha: 0.4, Temperature: negative.PublishedTemperature,
	}
}

// part is the choice of a role.
func (a Ablation) part(role string) (Part, error) {
	name := map[string]string{
		BatchesRole: a.Batches, ContrastRole: a.Contrast, MatchingRole: a.Matching, PositivesRole: a.Positives, LeftOutRole: a.LeftOut,
	}[role]
	parts := Parts(role)
	if i := slices.IndexFunc(parts, func(p Part) bool { return p.Name == name }); i >= 0 {
		return parts[i], nil
	}
	return Part{}, fmt.Errorf("no %s called %q%s There are %s", role, name, scale.Suggest(name, names(parts)),
		strings.Join(names(parts), "; "))
}

func names(parts []Part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Name)
	}
	return all
}

// Row is the ablation as a row of a comparison. Its name says the parts that are not plain and the settings that make a difference.
func (a Ablation) Row() (plan.Row, error) {
	row, used := plan.Row{}, map[string]bool{TemperatureKey: a.Temperature != negative.PublishedTemperature}
	var chosen []Part
	var name []string
	for _, role := range Roles() {
		p, err := a.part(role)
		if err != nil {
			return plan.Row{}, err
		}
		chosen = append(chosen, p)
		if p.Name != Parts(role)[0].Name {
			name = append(name, p.Name)
		}
		for _, key := range p.Uses {
			used[key] = true
		}
		if needed := p.reference(); needed != "" {
			if row.Reference != nil && row.Reference.Name != needed {
				return plan.Row{}, fmt.Errorf("%s and %s: a run has one reference model, and these need different ones", p.Name,
					row.Reference.Name)
			}
			reference := plan.MethodRow(needed)
			row.Reference = &reference
		}
	}
	if len(name) == 0 {
		name = []string{"plain"}
	}
	for _, s := range []struct {
		key   string
		value float64
	}{{SearchSpaceKey, float64(a.SearchSpace)}, {QuantileKey, a.Quantile}, {AlphaKey, a.Alpha}, {TemperatureKey, a.Temperature}} {
		if used[s.key] {
			name = append(name, fmt.Sprintf("%s %s", short[s.key], strconv.FormatFloat(s.value, 'g', 4, 64)))
		}
	}
	row.Name = strings.Join(name, ", ")
	row.Method = func(s scale.Scale) negative.Method {
		m := negative.Method{Name: row.Name}
		for _, p := range chosen {
			p.fill(s, a, &m)
		}
		return m.WithDefaults()
	}
	row.Vary = func(s *scale.Scale) { s.Temperature = a.Temperature }
	return row, nil
}

// short are the settings as a row's name has them.
var short = map[string]string{SearchSpaceKey: "M", QuantileKey: "q", AlphaKey: "alpha", TemperatureKey: "tau"}
