package negative

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// Role is a place in a method that a part takes. Whatever goes over the parts of a method goes over Roles: its identity and checks, the
// fields that a step reads, variables, observers, tables and forms. What a part can do besides its role are interfaces, such as [Reading],
// [Trainable], [Observing] and [Adjusting].
type Role struct {
	Name  string // the key of its part in a method's JSON
	Label string // in tables and forms
	// Parts are those that have a name, the plain one first.
	Parts []Part
	// Check reports what does not fit together with the role's part; nil for nothing.
	Check func(Method) error

	fits  func(part any) bool // whether it is of the role's type; nil for any
	plain any                 // the part of a method that names none; nil for none
	scope string              // of what its part keeps, below that of the method; empty for that itself
	get   func(Method) any
	put   func(*Method, any)
}

// Part is a part by name.
type Part struct {
	Name string
	What string // in a few words
	// Of is the registered method that has it. Value is a part that none has.
	Of    string
	Value any
	// Uses are the settings that make a difference with it.
	Uses []Setting
}

// Setting is a size of the methods that a part may depend on.
type Setting string

// Settings of parts.
const (
	SearchSpaceSetting Setting = "searchspace"
	QuantileSetting    Setting = "quantile"
	AlphaSetting       Setting = "alpha"
)

// Roles lists the roles of a method's parts. One without a field of Method is held in Method.Further.
func Roles() []Role {
	return append([]Role{batchesRole(), contrastRole(), matchingRole(), positivesRole(), leftOutRole(), writingRole()}, furtherRoles...)
}

var furtherRoles []Role

// RegisterRole adds a role, whose parts methods have in Further by the role's name. It panics where the name is another role's.
func RegisterRole(r Role) {
	if r.Name == "" || slices.ContainsFunc(Roles(), func(other Role) bool { return other.Name == r.Name || other.scope == r.Name }) {
		panic(fmt.Sprintf("negative: no role can be called %q; give it a name of its own", r.Name))
	}
	r.scope = r.Name
	r.get = func(m Method) any { return m.Further[r.Name] }
	r.put = func(m *Method, part any) {
		further := maps.Clone(m.Further)
		if further == nil {
			further = map[string]any{}
		}
		further[r.Name], m.Further = part, further
	}
	furtherRoles = append(furtherRoles, r)
}

// furtherParts are those that programs have registered, by the role's name.
var furtherParts = map[string][]Part{}

// RegisterPart gives a part the name of its type in every role that it can take, so that a method is composed with it by that name, as in
// "GRIT-VLP, contrast=Mine". The error says that there is no such role, or that the name is another part's.
func RegisterPart(part any) error {
	name, roles := TypeName(part), 0
	for _, r := range Roles() {
		if r.fits == nil || !r.fits(part) {
			continue
		}
		for _, other := range r.Parts {
			if strings.EqualFold(other.Name, name) {
				return fmt.Errorf("negative: there is a %s %q already; give your type another name", r.Label, other.Name)
			}
		}
		furtherParts[r.Name] = append(furtherParts[r.Name], Part{Name: name, What: "of this program", Value: part})
		roles++
	}
	if roles == 0 {
		return fmt.Errorf("negative: %T is no part of a method: it has none of the methods ITC, Pairs, Start, Connect, Find and Write as "+
			"docs/EXTENDING.md has them", part)
	}
	return nil
}

// TypeName is the name of a part's type without its package.
func TypeName(part any) string {
	t := reflect.TypeOf(part)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// Of is a method's part, nil for none.
func (r Role) Of(m Method) any { return r.get(m) }

// Put gives a method a part, which must be of the role's type; nil is none.
func (r Role) Put(m *Method, part any) { r.put(m, part) }

// Plain reports whether a method has no other parts than those of the types that methods have by default, but for the roles that are named.
// A framework that knows nothing of negatives takes no others.
func (m Method) Plain(but ...string) bool {
	return m.each(func(r Role, part any) error {
		if !slices.Contains(but, r.Name) && reflect.TypeOf(part) != reflect.TypeOf(r.plain) {
			return errors.New("another part")
		}
		return nil
	}) == nil
}

// slot makes a role that is a field of Method.
func slot[P any](r Role, of func(*Method) *P) Role {
	r.fits = func(part any) bool { _, is := part.(P); return is }
	r.Parts = append(r.Parts, furtherParts[r.Name]...)
	r.get = func(m Method) any { return *of(&m) }
	r.put = func(m *Method, part any) { *of(m), _ = part.(P) }
	return r
}

// state is the scope of what the role's part keeps.
func (r Role) state(of *model.Scope) *model.Scope {
	if r.scope == "" {
		return of
	}
	return of.At("%s", r.scope)
}

// each calls a function for each role of which the method has a part, until one returns an error.
func (m Method) each(do func(r Role, part any) error) error {
	for _, r := range Roles() {
		if part := r.Of(m); part != nil {
			if err := do(r, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// parts are those of all roles that have one, in the order of Roles.
func (m Method) parts() []any {
	var parts []any
	m.each(func(_ Role, part any) error {
		parts = append(parts, part)
		return nil
	})
	return parts
}

// checkRoles reports a part in Further of which there is no role.
func (m Method) checkRoles() error {
	for name := range m.Further {
		if !slices.ContainsFunc(furtherRoles, func(r Role) bool { return r.Name == name }) {
			return fmt.Errorf("negative: a part of the role %q, which there is not; register it by RegisterRole", name)
		}
	}
	return nil
}

// DeclareState puts what a method keeps from step to step into an empty scope: what its parts declare, and the variables that they train.
func (m Method) DeclareState(state *model.Scope, run Start) error {
	err := m.each(func(r Role, part any) error {
		if keeper, keeps := part.(declaring); keeps {
			return keeper.Declare(r.state(state), run)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := m.declareVariables(state, run); err != nil {
		return err
	}
	return m.untrained(state, nil)
}

// declaring is a part that keeps something from step to step, such as a Stateful one.
type declaring interface {
	Declare(state *model.Scope, run Start) error
}

// Keeps reports whether a part keeps something from step to step.
func (m Method) Keeps() bool {
	return slices.ContainsFunc(m.parts(), func(part any) bool {
		_, declares := part.(declaring)
		_, trains := part.(Trainable)
		return declares || trains
	})
}

// Adjusting is a part, of whatever role, that changes what the contrast gives, such as by a further term of its loss.
type Adjusting interface {
	// Adjust is called once for each time that the contrast's loss is built. The features are the contrast's; their Reporter, State and
	// Variable are the part's.
	Adjust(f Features, c Contrasted) Contrasted
}

// Contrasted builds the loss of a mini-batch by the method's Contrast, with what the other parts change of it.
func (m Method) Contrasted(f Features) Contrasted {
	batch := f.Image.Shape().Dim(0)
	c := m.Contrast.ITC(f)
	c.assert(fmt.Sprintf("%T.ITC", m.Contrast), batch)
	m.each(func(r Role, part any) error {
		if adjusting, adjusts := part.(Adjusting); adjusts {
			own := f
			own.role, own.Reporter, own.State = r.Name, f.For(field.Part(r.Label, part)), r.state(f.State)
			own.root = f.State
			c = adjusting.Adjust(own, c)
			c.assert(fmt.Sprintf("%T.Adjust", part), batch)
		}
		return nil
	})
	return c
}
