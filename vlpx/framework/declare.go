package framework

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// Roots of the variables in a store.
const (
	Model    = "/model"    // what is trained and what evaluation needs
	Momentum = "/momentum" // the moving average of Model, where the method distils
	State    = "/state"    // what a method keeps, such as a queue, and the variables that its parts train
	Frozen   = "/frozen"   // a reference model from another run; checkpoints leave it out
)

// Declare puts the model's variables, without values, into a store; their number is [Parameters]. Those that the store has already
// must fit. It builds the plainest step, by all losses, of three pairs; the backend only lends its graph builder: nothing is compiled or
// run.
func Declare(f Framework, u Use, backend compute.Backend, store *model.Store) error {
	u.Method, u.Objectives, u.Batch, u.Room = negative.Plain(), negative.All, 3, 0
	if err := f.Check(u); err != nil {
		return err
	}
	err := exceptions.TryCatch[error](func() {
		defer Orderly()
		g := graph.NewGraph(backend, "declare")
		defer g.Finalize()
		dtype := encoder.DType(store.Scope(Model))
		in := field.Nodes{}
		for _, x := range f.Inputs(u) {
			shape := x.Shape
			if shape.DType == dtypes.Float32 {
				shape = shapes.Make(dtype, shape.Dimensions...)
			}
			in[x.Name] = graph.Parameter(g, string(x.Name), shape)
		}
		f.Step(store.RootScope(), u, in)
	})
	if err != nil {
		return fmt.Errorf("framework: building %s: %w", f.Name(), err)
	}
	return nil
}

// DeclareAll declares the model's variables in an empty store, with those of a momentum copy where the method distils, and gives what the
// contrast keeps its first values.
func DeclareAll(f Framework, u Use, backend compute.Backend, store *model.Store, run negative.Start) error {
	if err := Declare(f, u, backend, store); err != nil {
		return err
	}
	run.Anchors = Anchors(f)
	if err := u.Method.DeclareState(store.Scope(State), run); err != nil {
		return err
	}
	if _, distils := u.Method.Contrast.(negative.Distiller); distils {
		declareCopy(store, Momentum)
	}
	return nil
}

// DeclareFrozen declares the variables of a frozen reference model, as [Freeze] makes them, without values.
func DeclareFrozen(store *model.Store) { declareCopy(store, Frozen) }

// declareCopy declares what the model has below another root, where nothing trains it.
func declareCopy(store *model.Store, root string) {
	var online []*model.Variable
	for v := range store.Scope(Model).IterVariables() {
		online = append(online, v)
	}
	for _, v := range online {
		copied := store.VariableWithShape(root+strings.TrimPrefix(v.Path(), Model), v.Shape(), initializer.Zero)
		copied.SetTrainable(false)
	}
}

// Initialise declares all variables in an empty store and gives them their first values.
func Initialise(f Framework, u Use, backend compute.Backend, store *model.Store, run negative.Start) error {
	if err := DeclareAll(f, u, backend, store, run); err != nil {
		return err
	}
	if err := judged(f, u, store); err != nil {
		return err
	}
	first := encoder.Initialise
	if own, ok := f.(Initialising); ok {
		first = own.Initialise
	}
	if err := first(store, Model, run.Seed); err != nil {
		return err
	}
	if _, distils := u.Method.Contrast.(negative.Distiller); !distils {
		return nil
	}
	return first(store, Momentum, run.Seed)
}

// Freeze copies the model of one store into another, or the same one, as its frozen reference.
func Freeze(from, to *model.Store) error {
	for _, v := range slices.Collect(from.Scope(Model).IterVariables()) {
		value, err := v.Value()
		if err != nil {
			return fmt.Errorf("framework: freezing %s: %w", v.Path(), err)
		}
		copied, err := value.LocalClone()
		if err != nil {
			return fmt.Errorf("framework: freezing %s: %w", v.Path(), err)
		}
		frozen, err := to.CreateVariable(Frozen+strings.TrimPrefix(v.Path(), Model), copied)
		if err != nil {
			return fmt.Errorf("framework: freezing %s: %w", v.Path(), err)
		}
		frozen.SetTrainable(false)
	}
	return nil
}

// Parameters counts the trained numbers of the model, and of the method's parts.
func Parameters(store *model.Store) int {
	n := 0
	for _, root := range []string{Model, State} {
		for v := range store.Scope(root).IterVariables() {
			if v.Trainable {
				n += v.Shape().Size()
			}
		}
	}
	return n
}
