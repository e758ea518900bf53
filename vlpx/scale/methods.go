package scale

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
)

// Method is a registered method at the scales of this package. A row is made of it with MethodRow.
type Method struct {
	negative.Entry
	// Tune gives the retrieval fine-tuning that is part of the method, as of Con-D; nil for none.
	Tune func(Scale) negative.Method
}

// Methods lists negative.Methods.
func Methods() []Method {
	var all []Method
	for _, e := range negative.Methods() {
		m := Method{Entry: e}
		if e.Tuned {
			m.Tune = PlainTuning
		}
		all = append(all, m)
	}
	return all
}

// Parts are what the method is composed of at a scale.
func (m Method) Parts(s Scale) negative.Method { return m.At(s.sizes()) }

// Sized is a method with the sizes that its parts do not name.
func (s Scale) Sized(m negative.Method) negative.Method { return m.Sized(s.sizes()) }

// sizes are what the scale gives the methods.
func (s Scale) sizes() negative.Sizes {
	s = s.Resolved()
	return negative.Sizes{
		Epochs: s.Epochs, SearchSpace: s.SearchSpace, GroupQueue: s.GroupQueue, MomentumQueue: s.MomentumQueue,
		Temperature: s.Temperature, Smoothing: s.Smoothing, Easy: s.Easy, Hard: s.Hard, Soft: s.Soft,
		Scheduler: s.Scheduler, Global: s.Global, Writing: s.Writing,
	}
}

// Needs tells what the method takes besides a training run on data: the run of a reference model, its own fine-tuning, or the relation;
// empty for none.
func (m Method) Needs() string {
	if m.Tune != nil {
		return "fine-tuning"
	}
	if m.Parts(Scale{Epochs: 1}).NeedsRelation() {
		return "the relation"
	}
	return m.Reference
}

// named is the method of a name or an alias in any case, names first.
func Named(name string) (Method, bool) {
	all := Methods()
	is := func(other string) bool { return strings.EqualFold(other, strings.TrimSpace(name)) }
	i := slices.IndexFunc(all, func(m Method) bool { return is(m.Name) })
	if i < 0 {
		i = slices.IndexFunc(all, func(m Method) bool { return slices.ContainsFunc(m.Aliases, is) })
	}
	if i < 0 {
		return Method{}, false
	}
	return all[i], true
}

// registered is the method of a name that the program itself writes.
func Registered(name string) Method {
	m, ok := Named(name)
	if !ok {
		panic(fmt.Sprintf("paper: no method %q in the registry", name))
	}
	return m
}
