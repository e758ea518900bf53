package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scale"
)

// choice is a part that a name stands for.
type choice struct {
	name string
	of   negative.Method // what the part is of, at a small scale
	at   func(scale.Scale) negative.Method
	// reference is the registered method whose run the part needs; empty for none.
	reference string
}

// RoleOf is the role that a setting's key names, such as "contrast" or "left out".
func RoleOf(key string) (negative.Role, bool) {
	for _, r := range negative.Roles() {
		if name := scale.Plainly(key); name == scale.Plainly(r.Name) || name == scale.Plainly(r.Label) {
			return r, true
		}
	}
	return negative.Role{}, false
}

// choices are the parts of a role by their names: those that have one, then methods, registered or custom, for their part, then the types
// of these parts.
func choices(role negative.Role, own []negative.Method) []choice {
	small := scale.Scales()[0].Resolved()
	var named, methods, types []choice
	method := func(name string, of func(scale.Scale) negative.Method, reference string) choice {
		at := func(s scale.Scale) negative.Method { return of(s).WithDefaults() }
		return choice{name: name, of: at(small), at: at, reference: reference}
	}
	for _, p := range role.Parts {
		if p.Of != "" {
			of := scale.Registered(p.Of)
			named = append(named, method(p.Name, of.Parts, of.Reference))
			continue
		}
		named = append(named, method(p.Name, func(s scale.Scale) (m negative.Method) {
			role.Put(&m, p.Value)
			return s.Sized(m)
		}, ""))
	}
	for _, m := range own {
		methods = append(methods, method(m.Name, func(s scale.Scale) negative.Method { return s.Sized(m) }, ""))
	}
	for _, m := range scale.Methods() {
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			methods = append(methods, method(name, m.Parts, m.Reference))
		}
	}
	for _, m := range methods {
		if part := role.Of(m.of); part != nil {
			m.name = negative.TypeName(part)
			types = append(types, m)
		}
	}
	return slices.Concat(named, methods, types)
}

// composed is the row with another part: one that has a name, a method's, or that of a type, as in "contrast=GloFND" or "contrast=Mine".
func (row Row) composed(role negative.Role, name string, own []negative.Method) (Row, error) {
	all := choices(role, own)
	i := slices.IndexFunc(all, func(c choice) bool { return strings.EqualFold(c.name, strings.TrimSpace(name)) })
	if i < 0 {
		var names []string
		for _, c := range all {
			if !slices.Contains(names, c.name) {
				names = append(names, c.name)
			}
		}
		return row, scale.Unknown(role.Label, name, names)
	}
	chosen := all[i]
	before := row
	row = row.With(func(s scale.Scale, m *negative.Method) {
		role.Put(m, role.Of(chosen.at(s)))
	}).As(fmt.Sprintf("%s, %s=%s", row.Name, scale.Plainly(role.Label), chosen.name))
	row.Base = cmp.Or(before.Base, before.Name)
	row.Fields = append(slices.Clone(row.Fields), role.Label+"="+chosen.name)
	if !row.Method(scale.Scales()[0].Resolved()).NeedsReference() {
		row.Reference = nil
		return row, nil
	}
	var alone negative.Method
	role.Put(&alone, role.Of(chosen.of))
	switch {
	case chosen.reference == "" || !alone.NeedsReference():
	case row.Reference != nil && row.Reference.Name != chosen.reference:
		return before, fmt.Errorf("%s of %s: a run has one reference model, and these need different ones, %s and %s", role.Label,
			chosen.name, row.Reference.Name, chosen.reference)
	case row.Reference == nil:
		row = row.informedBy(chosen.reference)
	}
	return row, nil
}
