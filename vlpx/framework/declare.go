package framework

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/negative"
)

// Roots of the variables in a store.
const (
	Model    = "/model"    // what is trained and what evaluation needs
	Momentum = "/momentum" // the moving average of Model, where the method distils
	State    = "/state"    // what a contrast keeps, such as a queue
	Frozen   = "/frozen"   // a reference model from another run; checkpoints leave it out
)

// Declare puts the model's variables, without values, into a store; their number is Parameters. Those that the store has already
// must fit. The backend only lends its graph builder: nothing is compiled or run.
func (a ALBEF) Declare(backend compute.Backend, store *model.Store) error {
	if err := a.Validate(); err != nil {
		return err
	}
	err := exceptions.TryCatch[error](func() {
		g := graph.NewGraph(backend, "declare")
		defer g.Finalize()
		s := store.Scope(Model)
		dtype := encoder.DType(s)
		a.temperature(s, g)
		images := graph.Parameter(g, "images", shapes.Make(dtype, append([]int{1}, a.Vision.Input()...)...))
		image := a.EncodeImage(s, images)
		text := a.EncodeText(s, graph.Parameter(g, "ids", shapes.Make(dtypes.Int32, 1, 2)))
		fused := a.Fuse(s, text.States, text.Bias, image.Tokens, graph.Ones(g, shapes.Make(dtype, 1, 1)))
		a.MatchLogits(s, fused)
		a.maskedWords(s, fused)
	})
	if err != nil {
		return fmt.Errorf("framework: building ALBEF: %w", err)
	}
	return nil
}

// Initialise declares the model's variables in an empty store and gives them their first values, with a momentum copy where
// the method distils and what the contrast keeps.
func (a ALBEF) Initialise(backend compute.Backend, store *model.Store, m negative.Method, run negative.Start) error {
	if err := a.Declare(backend, store); err != nil {
		return err
	}
	if err := a.initialise(store, Model, run.Seed); err != nil {
		return err
	}
	if keeper, keeps := m.Contrast.(negative.Stateful); keeps {
		if err := keeper.Declare(store.Scope(State), run); err != nil {
			return err
		}
	}
	if _, distils := m.Contrast.(negative.Distiller); !distils {
		return nil
	}
	var online []*model.Variable
	for v := range store.Scope(Model).IterVariables() {
		online = append(online, v)
	}
	for _, v := range online {
		copied := store.VariableWithShape(Momentum+strings.TrimPrefix(v.Path(), Model), v.Shape(), initializer.Zero)
		copied.SetTrainable(false)
	}
	return a.initialise(store, Momentum, run.Seed)
}

// initialise gives the variables under root their first values.
func (a ALBEF) initialise(store *model.Store, root string, seed uint64) error {
	if err := encoder.Initialise(store, root, seed); err != nil || a.Temperature == 0 {
		return err
	}
	return store.Scope(root).GetVariable(encoder.Temperature).SetValue(tensors.FromScalar(float32(a.Temperature)))
}

// Freeze copies the model of one store into another as its frozen reference.
func Freeze(from, to *model.Store) error {
	for v := range from.Scope(Model).IterVariables() {
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

// Parameters counts the trained numbers of the model.
func Parameters(store *model.Store) int {
	n := 0
	for v := range store.Scope(Model).IterVariables() {
		n += v.Shape().Size()
	}
	return n
}
