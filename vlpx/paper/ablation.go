package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vlpx.internal/vlpx/negative"
)

// Ablation is a method composed of parts by name, with the settings that an ablation bench moves. The names are those of Parts.
type Ablation struct {
	Batches, Contrast, Matching, Positives string

	SearchSpace int     // of the grouped samplers, in pairs
	Quantile    float64 // of the fixed quantile, and the one that progressive quantiles start from or end at
	Alpha       float64 // weight of the contrast's soft targets
	Temperature float64 // of ITC at first
}

// Part is a choice for a role of a method.
type Part struct {
	Name string
	What string // in a few words
	// Uses are the settings that make a difference with it.
	Uses []string

	fill func(Scale, Ablation, *negative.Method)
	// reference is the row whose run is the frozen reference model; nil for none.
	reference *Row
}

// Roles of a method's parts, in the order of Ablation's fields, and settings.
const (
	BatchesRole, ContrastRole, MatchingRole, PositivesRole            = "batches", "contrast", "matching", "positives"
	SearchSpaceKey, QuantileKey, AlphaKey, TemperatureKey             = "searchspace", "quantile", "alpha", "temperature"
	uniformBatches, infoNCEContrast, hardestMatching, withoutPositive = "uniform", "InfoNCE", "hardest", "none"
)

// Roles lists the roles of a method's parts.
func Roles() []string { return []string{BatchesRole, ContrastRole, MatchingRole, PositivesRole} }

// Parts lists the choices for a role, the plain one first.
func Parts(role string) []Part {
	switch role {
	case BatchesRole:
		grouped := []string{SearchSpaceKey}
		quantile := []string{SearchSpaceKey, QuantileKey}
		return []Part{
			{Name: uniformBatches, What: "pairs drawn uniformly", fill: func(Scale, Ablation, *negative.Method) {}},
			{Name: "grouped", What: "chains of nearest neighbours (GRIT-VLP)", Uses: grouped, fill: func(s Scale, a Ablation, m *negative.Method) {
				m.Batches = negative.Grouped{SearchSpace: a.SearchSpace, Queue: s.GroupQueue}
			}},
			{Name: "fixed quantile", What: "neighbours of one hardness", Uses: quantile, fill: func(s Scale, a Ablation, m *negative.Method) {
				m.Batches = negative.FixedQuantile{Quantile: a.Quantile, SearchSpace: a.SearchSpace, Queue: s.GroupQueue}
			}},
			{Name: "hardening", What: "from the quantile to the hardest over training", Uses: quantile, fill: func(s Scale, a Ablation, m *negative.Method) {
				m.Batches = negative.Progressive{From: a.Quantile, To: 1, SearchSpace: a.SearchSpace, Queue: s.GroupQueue}
			}},
			{Name: "softening", What: "from the hardest to the quantile over training", Uses: quantile, fill: func(s Scale, a Ablation, m *negative.Method) {
				m.Batches = negative.Progressive{From: 1, To: a.Quantile, SearchSpace: a.SearchSpace, Queue: s.GroupQueue}
			}},
			{Name: "scheduled", What: "a learned quantile for each anchor (FALCON)", Uses: grouped, fill: func(s Scale, a Ablation, m *negative.Method) {
				b := s.scheduler()
				b.SearchSpace = a.SearchSpace
				m.Batches = b
			}},
		}
	case ContrastRole:
		alpha := []string{AlphaKey}
		set := func(contrast func(Scale, Ablation) negative.Contrast) func(Scale, Ablation, *negative.Method) {
			return func(s Scale, a Ablation, m *negative.Method) { m.Contrast = contrast(s, a) }
		}
		return []Part{
			{Name: infoNCEContrast, What: "one true caption, all others equally wrong", fill: func(Scale, Ablation, *negative.Method) {}},
			{Name: "consistency", What: "agreement of an anchor's two views, weighed by alpha (GRIT-VLP)", Uses: alpha,
				fill: set(func(_ Scale, a Ablation) negative.Contrast { return negative.Consistency{Weight: a.Alpha} })},
			{Name: "distilled", What: "soft targets of momentum encoders and a queue, mixed in by alpha (ALBEF)", Uses: alpha,
				fill: set(func(s Scale, a Ablation) negative.Contrast {
					return negative.Distilled{Alpha: a.Alpha, Decay: 0.995, Queue: s.MomentumQueue}
				})},
			{Name: "smoothed", What: "labels smoothed by alpha (MAFA's S-ITC)", Uses: alpha,
				fill: set(func(_ Scale, a Ablation) negative.Contrast { return negative.Smoothed{Alpha: a.Alpha} })},
			{Name: "hardness-weighted", What: "harder negatives weigh more (DiHT)",
				fill: set(func(Scale, Ablation) negative.Contrast {
					return negative.HNNCE{Alpha: 1, Beta: 0.25, WeightGradient: true}
				})},
			{Name: "regulated", What: "similar negatives weigh less, by a reference model (SRCL)", reference: infoNCE,
				fill: set(func(s Scale, _ Ablation) negative.Contrast { return negative.Regulated{Epochs: s.Epochs} })},
		}
	case MatchingRole:
		return []Part{
			{Name: hardestMatching, What: "the hardest negative of the mini-batch", fill: func(Scale, Ablation, *negative.Method) {}},
			{Name: "sampled", What: "a negative drawn by similarity (ALBEF)",
				fill: func(_ Scale, _ Ablation, m *negative.Method) { m.Matching = negative.Sampled{} }},
		}
	case PositivesRole:
		mining := func(e negative.ECM) func(Scale, Ablation, *negative.Method) {
			return func(_ Scale, _ Ablation, m *negative.Method) { m.Positives = e }
		}
		return []Part{
			{Name: withoutPositive, What: "negatives stay negatives", fill: func(Scale, Ablation, *negative.Method) {}},
			{Name: "connections, learned", What: "those that Con-D accepts become positives (MAFA)", reference: conD, fill: mining(connections)},
			{Name: "connections, exact", What: "those that are true become positives; generated scenes only",
				fill: mining(negative.ECM{Low: connections.Low, High: connections.High, JudgedBy: negative.Oracle})},
		}
	}
	return nil
}

// publishedTemperature is ALBEF's, and that of all papers here.
const publishedTemperature = 0.07

// Plain is the ablation that everything is compared with: the first part of every role, at a scale's sizes.
func (s Scale) Plain() Ablation {
	return Ablation{
		Batches: uniformBatches, Contrast: infoNCEContrast, Matching: hardestMatching, Positives: withoutPositive,
		SearchSpace: s.SearchSpace, Quantile: s.Soft, Alpha: 0.4, Temperature: publishedTemperature,
	}
}

// part is the choice of a role.
func (a Ablation) part(role string) (Part, error) {
	name := map[string]string{BatchesRole: a.Batches, ContrastRole: a.Contrast, MatchingRole: a.Matching, PositivesRole: a.Positives}[role]
	parts := Parts(role)
	if i := slices.IndexFunc(parts, func(p Part) bool { return p.Name == name }); i >= 0 {
		return parts[i], nil
	}
	return Part{}, fmt.Errorf("no %s called %q%s There are %s", role, name, Suggest(name, names(parts)), strings.Join(names(parts), "; "))
}

func names(parts []Part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Name)
	}
	return all
}

// Row is the ablation as a row of a comparison. Its name says the parts that are not plain and the settings that make a difference.
func (a Ablation) Row() (Row, error) {
	row, used := Row{}, map[string]bool{TemperatureKey: a.Temperature != publishedTemperature}
	var chosen []Part
	var name []string
	for _, role := range Roles() {
		p, err := a.part(role)
		if err != nil {
			return Row{}, err
		}
		chosen = append(chosen, p)
		if p.Name != Parts(role)[0].Name {
			name = append(name, p.Name)
		}
		for _, key := range p.Uses {
			used[key] = true
		}
		if p.reference != nil {
			if row.Reference != nil && row.Reference != p.reference {
				return Row{}, fmt.Errorf("%s and %s: a run has one reference model, and these need different ones", p.Name, row.Reference.Name)
			}
			row.Reference = p.reference
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
	row.Method = func(s Scale) negative.Method {
		m := negative.Method{Name: row.Name}
		for _, p := range chosen {
			p.fill(s, a, &m)
		}
		return m.WithDefaults()
	}
	row.Vary = func(s *Scale) { s.Temperature = a.Temperature }
	return row, nil
}

// short are the settings as a row's name has them.
var short = map[string]string{SearchSpaceKey: "M", QuantileKey: "q", AlphaKey: "alpha", TemperatureKey: "tau"}
