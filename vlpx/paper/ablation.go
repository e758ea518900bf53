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

// Ablation is a method composed of parts by name, with the settings that an ablation bench moves.
type Ablation struct {
	// Parts are the names of the parts of each role, by the role's; those that are missing are plain.
	Parts map[string]string

	SearchSpace int     // of the grouped samplers, in pairs
	Quantile    float64 // of the fixed quantile, and the one that progressive quantiles start from or end at
	Alpha       float64 // weight of the contrast's soft targets
	Temperature float64 // of ITC at first
}

// TemperatureSetting is the first temperature of ITC, on which all parts depend.
const TemperatureSetting negative.Setting = "temperature"

// Parts lists the choices for a role, the plain one first: those that have a name, and of methods whose part has none, the method's.
func Parts(role negative.Role) []negative.Part {
	parts := slices.Clone(role.Parts)
	kind := func(p negative.Part) string {
		var alone negative.Method
		fill(role, p, scale.Scale{Epochs: 1}, Ablation{}, &alone)
		return fmt.Sprintf("%T", role.Of(alone))
	}
	known := map[string]bool{"<nil>": true} // roles of which most methods have no part
	for _, p := range parts {
		known[kind(p)] = true
	}
	for _, m := range scale.Methods() {
		p := negative.Part{Name: m.Name, What: m.What, Of: m.Name}
		if of := kind(p); !known[of] {
			known[of], parts = true, append(parts, p)
		}
	}
	return parts
}

// fill gives a method the part, at the ablation's settings.
func fill(role negative.Role, p negative.Part, s scale.Scale, a Ablation, m *negative.Method) {
	if p.Of == "" {
		role.Put(m, p.Value)
		return
	}
	if slices.Contains(p.Uses, negative.SearchSpaceSetting) {
		s.SearchSpace, s.Scheduler.SearchSpace = a.SearchSpace, a.SearchSpace
	}
	if slices.Contains(p.Uses, negative.QuantileSetting) {
		s.Hard, s.Soft = a.Quantile, a.Quantile
	}
	of := scale.Registered(p.Of).Parts(s).WithDefaults()
	if softening, ok := of.Contrast.(negative.Softening); ok {
		of.Contrast = softening.Softened(a.Alpha)
	}
	role.Put(m, role.Of(of))
}

// reference is the registered method whose run the part needs; empty for none.
func reference(role negative.Role, p negative.Part) string {
	var alone negative.Method
	if fill(role, p, scale.Scale{Epochs: 1}, Ablation{}, &alone); !alone.NeedsReference() {
		return ""
	}
	return scale.Registered(p.Of).Reference
}

// PlainAblation is the ablation that everything is compared with: the first part of every role, at a scale's sizes.
func PlainAblation(s scale.Scale) Ablation {
	s = s.Resolved()
	return Ablation{
		Parts: map[string]string{}, SearchSpace: s.SearchSpace, Quantile: s.Soft, Alpha: 0.4, Temperature: negative.PublishedTemperature,
	}
}

// part is the choice of a role.
func (a Ablation) part(role negative.Role) (negative.Part, error) {
	parts, name := Parts(role), a.Parts[role.Name]
	if name == "" {
		return parts[0], nil
	}
	if i := slices.IndexFunc(parts, func(p negative.Part) bool { return p.Name == name }); i >= 0 {
		return parts[i], nil
	}
	return negative.Part{}, scale.Unknown(role.Label, name, names(parts))
}

func names(parts []negative.Part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Name)
	}
	return all
}

// Row is the ablation as a row of a comparison. Its name says the parts that are not plain and the settings that make a difference.
func (a Ablation) Row() (plan.Row, error) {
	row, used := plan.Row{}, map[negative.Setting]bool{TemperatureSetting: a.Temperature != negative.PublishedTemperature}
	roles := negative.Roles()
	var chosen []negative.Part
	var name []string
	for _, role := range roles {
		p, err := a.part(role)
		if err != nil {
			return plan.Row{}, err
		}
		chosen = append(chosen, p)
		if p.Name != role.Parts[0].Name {
			name = append(name, p.Name)
		}
		for _, key := range p.Uses {
			used[key] = true
		}
		if needed := reference(role, p); needed != "" {
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
		key   negative.Setting
		value float64
	}{
		{negative.SearchSpaceSetting, float64(a.SearchSpace)}, {negative.QuantileSetting, a.Quantile}, {negative.AlphaSetting, a.Alpha},
		{TemperatureSetting, a.Temperature},
	} {
		if used[s.key] {
			name = append(name, fmt.Sprintf("%s %s", short[s.key], strconv.FormatFloat(s.value, 'g', 4, 64)))
		}
	}
	row.Name = strings.Join(name, ", ")
	row.Method = func(s scale.Scale) negative.Method {
		m := negative.Method{Name: row.Name}
		for k, p := range chosen {
			fill(roles[k], p, s, a, &m)
		}
		return m.WithDefaults()
	}
	row.Vary = func(s *scale.Scale) { s.Temperature = a.Temperature }
	return row, nil
}

// short are the settings as a row's name has them.
var short = map[negative.Setting]string{
	negative.SearchSpaceSetting: "M", negative.QuantileSetting: "q", negative.AlphaSetting: "alpha", TemperatureSetting: "tau",
}
