package scale

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Kind is a framework as scales know it. It stands in a package below the framework's folder, and framework/all registers it.
type Kind struct {
	Name string
	What string // in a few words
	// Preset changes a scale, made for ALBEF, to what the framework's paper has at any size; nil for nothing. At has what it changes after
	// that at a scale of a name.
	Preset func(*Scale)
	At     map[string]func(*Scale)
	// Starts are the checkpoints from which runs start at a scale of a name; those of other scales draw their weights.
	Starts map[string]First
	// Own gives the sizes that the framework has besides a scale's, at a scale of a name: a struct, which package scale's Own finds. Settings
	// are its fields that can be set, each by its name. nil for none.
	Own      func(scale string) any
	Settings []Settable
	// Pretraining gives the regime of the warm start of a framework that has a stage of its own for it; nil for none.
	Pretraining func(Scale) Pretraining
	// OwnLabels says that the framework has no momentum encoders, so that fine-tuning for retrieval is by its own labels.
	OwnLabels bool
	// Lends gives the image encoder of a trained model, to be locked in front of others; nil for none. The first framework that has it lends.
	Lends func(framework.Framework) encoder.ViT
	// Published finds a published model in a folder, for a row to take in the place of one that is trained; nil for none.
	Published func(dir string) (Published, error)
	// Tasks are what its runs are measured by besides retrieval; nil for nothing.
	Tasks func(Scale) eval.Tasks
	// Build makes the framework at a resolved scale, for a vocabulary of the given size.
	Build func(s Scale, vocab int) framework.Framework
}

// First are the names of the checkpoints of the image encoder and of the text encoder; empty where weights are drawn.
type First struct{ Vision, Text string }

// Published is a published model.
type Published struct {
	Weights    string       // their file
	Vocabulary string       // its file; empty where there is none
	Fit        func(*Scale) // gives a scale the model's sizes
}

var registered []Kind

// Register adds frameworks to those that scales can have, in the order in which they are listed. The first is the usual one. A name that is
// there already is a mistake of the program, and so panics, as are a setting of another's name and one without a field.
func Register(kinds ...Kind) {
	for _, k := range kinds {
		if slices.Contains(frameworkNames(), k.Name) {
			panic(fmt.Sprintf("scale: framework %s is registered twice", k.Name))
		}
		k.Settings = slices.Clone(k.Settings)
		for i, x := range k.Settings {
			if other, taken := Setting(x.Name); taken {
				panic(fmt.Sprintf("scale: %s has a setting %s, as %s has", k.Name, x.Name, cmp.Or(other.Framework, "every scale")))
			}
			if _, ok := FieldOf(k.Own(""), x.path()); !ok {
				panic(fmt.Sprintf("scale: setting %s: %T has no such field", x.Name, k.Own("")))
			}
			k.Settings[i].Framework = k.Name
		}
		registered = append(registered, k)
	}
}

// Frameworks lists the frameworks that a scale can have, the usual one first.
func Frameworks() []Kind { return slices.Clone(registered) }

// Usual is the framework of a scale that names none.
func Usual() Kind {
	if len(registered) == 0 {
		panic("scale: no framework is registered; import vlpx/framework/all")
	}
	return registered[0]
}

// Lender is the framework whose image encoder is locked where no published one is named, and whether there is one.
func Lender() (Kind, bool) {
	i := slices.IndexFunc(registered, func(k Kind) bool { return k.Lends != nil })
	if i < 0 {
		return Kind{}, false
	}
	return registered[i], true
}

// Losses are those that it has.
func (k Kind) Losses() []negative.Loss { return k.Build(Scales()[0], 1).Losses() }

func frameworkNames() []string {
	var names []string
	for _, k := range registered {
		names = append(names, k.Name)
	}
	return names
}

// FindKind finds a framework by its name in any case; an empty one is that of the usual framework.
func FindKind(name string) (Kind, error) {
	if name == "" {
		return Usual(), nil
	}
	names := frameworkNames()
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) }); i >= 0 {
		return registered[i], nil
	}
	return Kind{}, Unknown("framework", name, names)
}

// kind is the scale's framework. Its name is one that Set has taken.
func (s Scale) kind() Kind {
	k, err := FindKind(s.Framework)
	if err != nil {
		panic(fmt.Sprintf("scale: %v", err))
	}
	return k
}

// Model is the framework at this scale, for a vocabulary of the given size.
func (s Scale) Model(vocab int) framework.Framework { return s.kind().Build(s.Resolved(), vocab) }

// Own is what a framework has besides the fields of a scale, by its type: as it was set, else as the framework has it at a scale of that
// name. A type that no framework has is a mistake of the program, and so panics.
func Own[T any](s Scale) T {
	for _, k := range registered {
		if own, is := s.ownOf(k).(T); is {
			return own
		}
	}
	panic(fmt.Sprintf("scale: no framework has %T of its own", *new(T)))
}

// ownOf is what a framework has of its own; nil for nothing.
func (s Scale) ownOf(k Kind) any {
	if own, set := s.own[k.Name]; set || k.Own == nil {
		return own
	}
	return k.Own(s.Name)
}

// FrameworkTasks are those of the framework besides retrieval.
func (s Scale) FrameworkTasks() eval.Tasks {
	if k := s.kind(); k.Tasks != nil {
		return k.Tasks(s)
	}
	return nil
}

// Starts are the checkpoints that runs at the scale start from.
func (s Scale) Starts() First { return s.kind().Starts[s.Name] }

// Frame takes a framework by its name, with what its paper has; the same one again changes nothing. A second one is an error, as it would
// keep what the first one's paper has.
func (s *Scale) Frame(name string) error {
	k, err := FindKind(name)
	if err != nil {
		return fmt.Errorf("setting framework=%s: %w", name, err)
	}
	if s.Framework == k.Name {
		return nil
	}
	if s.Framework != "" {
		return fmt.Errorf("setting framework=%s: it is %s already; leave one of them out", name, s.Framework)
	}
	s.Framework = k.Name
	if k.Preset != nil {
		k.Preset(s)
	}
	if at := k.At[s.Name]; at != nil {
		at(s)
	}
	return nil
}
