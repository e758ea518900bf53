package negative

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Trainable is a Contrast, Matching or LeftOut with variables of its own that are trained with the model: by its optimiser and schedule,
// and with it in the norm at which gradients are clipped. Checkpoints and kept models have them. The part reads them by Features.Variable,
// Contrasted.Variable or Sight.Variable. One that gets no gradient of the losses is an error.
type Trainable interface {
	// Variables are those of a run.
	Variables(run Start) []Variable
}

// Variable is one that a part trains.
type Variable struct {
	Name string // without "/"
	// First is its first value, float32 or float64, or slices of them.
	First any
	// Decays applies the optimiser's weight decay to it.
	Decays bool
}

// Scopes of trained variables below that of what the method keeps: of a role, and in it of those that decay.
const (
	trainedScope = "trained"
	decayScope   = "decay"
)

// VariablePath is where a trained variable of a role, such as "Contrast", lies below the scope of what the method keeps.
func VariablePath(role string, v Variable) string {
	if v.Decays {
		return "/" + trainedScope + "/" + role + "/" + decayScope + "/" + v.Name
	}
	return "/" + trainedScope + "/" + role + "/" + v.Name
}

// Trained finds the role and the variable of a path of VariablePath, and whether it is one.
func Trained(path string) (role string, v Variable, trained bool) {
	of, trained := strings.CutPrefix(path, "/"+trainedScope+"/")
	role, v.Name, _ = strings.Cut(of, "/")
	v.Name, v.Decays = strings.CutPrefix(v.Name, decayScope+"/")
	return role, v, trained
}

// declareVariables makes the variables that the parts train.
func (m Method) declareVariables(state *model.Scope, run Start) error {
	return m.each(func(r Role, part any) error {
		trains, _ := part.(Trainable)
		if trains == nil {
			return nil
		}
		for _, v := range trains.Variables(run) {
			first, err := v.first()
			if err == nil {
				_, err = state.Store().CreateVariable(state.Scope()+VariablePath(r.Name, v), first)
			}
			if err != nil {
				return fmt.Errorf("negative: %s %T: variable %q: %w", r.Name, part, v.Name, err)
			}
		}
		return nil
	})
}

// first is the variable's first value.
func (v Variable) first() (*tensors.Tensor, error) {
	if v.Name == "" || v.Name == decayScope || strings.Contains(v.Name, "/") {
		return nil, errors.New("this is no name of a variable; give one without \"/\"")
	}
	if v.First == nil {
		return nil, errors.New("it has no first value; give a number with a point, or slices of them")
	}
	value, err := tensors.FromAnyValue(v.First)
	if err != nil {
		return nil, fmt.Errorf("its first value: %w", err)
	}
	switch value.DType() {
	case dtypes.Float32:
		return value, nil
	case dtypes.Float64:
		var numbers []float32
		err := tensors.ConstFlatData(value, func(wide []float64) {
			for _, x := range wide {
				numbers = append(numbers, float32(x))
			}
		})
		return tensors.FromFlatDataAndDimensions(numbers, value.Shape().Dimensions...), err
	}
	return nil, fmt.Errorf("its first value is %s; give a number with a point, or slices of them", value.DType())
}

// variable is the value of a part's trained variable in a graph.
func variable(state *model.Scope, g *Graph, role, name string) *Node {
	for _, v := range []Variable{{Name: name}, {Name: name, Decays: true}} {
		if found := state.Store().GetVariable(state.Scope() + VariablePath(role, v)); found != nil {
			return found.NodeValue(g)
		}
	}
	exceptions.Panicf("negative: the %s reads a variable %q that its Variables do not declare", strings.ToLower(role), name)
	return nil
}

// Variable is the value of one that the contrast trains, or the part that sees this.
func (f Features) Variable(name string) *Node {
	return variable(cmp.Or(f.root, f.State), f.Image.Graph(), cmp.Or(f.role, "Contrast"), name)
}

// Variable is the value of one that the matching trains.
func (c Contrasted) Variable(name string) *Node {
	return variable(c.state, c.I2T.Graph(), "Matching", name)
}

// Variable is the value of one that the part trains.
func (s Sight) Variable(name string) *Node {
	return variable(s.root, s.Progress.Graph(), "LeftOut", name)
}

// AssertTrained panics if a part has a variable that is marked as trainable, as GoMLX makes them, and that nobody trains. It names the part
// and the variable.
//
//   - state: the scope of what the method keeps.
//   - loss: what trains the model, a scalar; nil if it is not known yet.
func (m Method) AssertTrained(state *model.Scope, loss *Node) {
	if err := m.untrained(state, loss); err != nil {
		panic(err)
	}
}

// untrained reports a variable that AssertTrained panics for.
func (m Method) untrained(state *model.Scope, loss *Node) error {
	for v := range state.IterVariables() {
		if !v.Trainable {
			continue
		}
		name := strings.TrimPrefix(v.Path(), state.Scope())
		_, _, trained := Trained(name)
		part := "negative: " + m.keeper(name)
		if !trained {
			return fmt.Errorf("%s: its variable %q is trainable, and no optimiser trains it; have Variables declare it (see "+
				"negative.Trainable), or call "+
				"SetTrainable(false)", part, v.Name())
		}
		if loss != nil && !reaches(loss, v) {
			return fmt.Errorf("%s: it declares the variable %q to be trained, and no loss of the model has a gradient by it; read it by "+
				"Variable "+
				"where the loss depends on it, or leave it out", part, v.Name())
		}
	}
	return nil
}

// keeper describes the part that has declared a variable, by its path below the scope of what the method keeps.
func (m Method) keeper(path string) string {
	role, _, trained := Trained(path)
	by := contrastRole()
	for _, r := range Roles() {
		if trained && role == r.Name || r.scope != "" && strings.HasPrefix(path, "/"+r.scope+"/") {
			by = r
		}
	}
	return fmt.Sprintf("%s %T", by.Name, by.Of(m))
}

// reaches reports whether the gradient of a loss reaches a variable.
func reaches(loss *Node, v *model.Variable) bool {
	if !v.InUseByGraph(loss.Graph()) {
		return false
	}
	of, seen := v.NodeValue(loss.Graph()), map[*Node]bool{}
	var from func(n *Node) bool
	from = func(n *Node) bool {
		if seen[n] {
			return false
		}
		seen[n] = true
		if n == of {
			return true
		}
		return !n.StopGradient() && n.DType().IsFloat() && slices.ContainsFunc(n.Inputs(), from)
	}
	return from(loss)
}
