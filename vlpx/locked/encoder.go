package locked

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Encoder is a vision transformer without gradient, a published one or that of a finished run. It is plain data: its JSON is part of a
// run's identity.
type Encoder struct {
	Weights weights.Source `json:",omitzero"`
	// Run is the identity of the run whose image encoder this is, in the place of published weights, and Trained are that encoder's sizes.
	Run     string       `json:",omitempty"`
	Trained *encoder.ViT `json:"Own,omitempty"`
	// Read reads the weights of Trained below a scope, as its run left them.
	Read  func(scope string) (weights.Values, error) `json:"-"`
	Image int                                        // pixels a side that it sees; its positions are brought to them
	// Side is how many patches a side are kept, each the mean of a square of the transformer's; the class token stays as it is.
	Side   int
	Pixels transform.Statistics
	Heads  int `json:",omitempty"` // of its attention; 0: as many as are 64 wide
}

// Tokens is the number of tokens of an image: the class token and Side * Side patches.
func (e Encoder) Tokens() int { return 1 + e.Side*e.Side }

const scope = "vision"

// transformer is the one whose tokens are kept, at the size that it sees.
func (e Encoder) transformer() (vit encoder.ViT, err error) {
	if e.Trained != nil {
		vit = *e.Trained
	} else if vit, err = e.Weights.Vision(e.Heads); err != nil {
		return encoder.ViT{}, err
	}
	switch {
	case e.Trained != nil && e.Image != vit.Image:
		return encoder.ViT{}, fmt.Errorf("locked: images of %d pixels for %s, which sees %d", e.Image, e.Name(), vit.Image)
	case e.Image < 1 || e.Image%vit.Patch != 0:
		return encoder.ViT{}, fmt.Errorf("locked: images of %d pixels for %s, which has patches of %d; take a multiple", e.Image,
			e.Name(), vit.Patch)
	case e.Side < 1 || (e.Image/vit.Patch)%e.Side != 0:
		return encoder.ViT{}, fmt.Errorf("locked: %d patches a side of %s cannot be pooled to %d; take a divisor", e.Image/vit.Patch,
			e.Name(), e.Side)
	}
	vit.Image = e.Image
	return vit, nil
}

// Width is the width of the tokens.
func (e Encoder) Width() (int, error) {
	vit, err := e.transformer()
	return vit.Width, err
}

// network is an Encoder with its weights on a backend. Not for concurrent use.
type network struct {
	Encoder
	vit   encoder.ViT
	store *model.Store
	exec  *model.Exec
}

func (e Encoder) open(backend compute.Backend) (*network, error) {
	vit, err := e.transformer()
	if err != nil {
		return nil, err
	}
	values, err := e.values(vit)
	if err != nil {
		return nil, err
	}
	n := &network{Encoder: e, vit: vit, store: model.NewStore()}
	if err := values.Put(n.store, dtypes.Float32); err != nil {
		n.store.Finalize()
		return nil, fmt.Errorf("%s: %w", e.Name(), err)
	}
	n.exec, err = model.NewExec(backend, n.store, func(s *model.Scope, in []*Node) []*Node {
		defer framework.Orderly()
		return []*Node{pool(vit.Encode(s.In(scope), in[0], false), e.Side)}
	})
	if err != nil {
		n.store.Finalize()
		return nil, fmt.Errorf("locked: building %s: %w", e.Name(), err)
	}
	return n, nil
}

// values reads the weights.
func (e Encoder) values(vit encoder.ViT) (weights.Values, error) {
	if e.Trained == nil {
		values, _, err := e.Weights.ImageEncoder(vit, "/"+scope)
		return values, err
	}
	if e.Read == nil {
		return nil, fmt.Errorf("locked: %s is not within reach; measure by a run of the store that has it", e.Name())
	}
	return e.Read("/" + scope)
}

// Name is what people call it.
func (e Encoder) Name() string {
	if e.Trained != nil {
		return "the image encoder of run " + e.Run
	}
	return e.Weights.Name
}

// pool keeps the class token of tokens [batch, 1 + grid*grid, width] and side * side means of squares of the others.
func pool(tokens *Node, side int) *Node {
	batch, width := tokens.Shape().Dim(0), tokens.Shape().Dim(2)
	grid := 1
	for (grid+1)*(grid+1) < tokens.Shape().Dim(1) {
		grid++
	}
	square := grid / side
	patches := Reshape(Slice(tokens, AxisRange(), AxisRangeToEnd(1)), batch, side, square, side, square, width)
	patches = Reshape(ReduceMean(patches, 2, 4), batch, side*side, width)
	return Concatenate([]*Node{Slice(tokens, AxisRange(), AxisRange(0, 1)), patches}, 1)
}

// encode returns the tokens of normalised pixels [batch, Image, Image, 3], [batch, Tokens, width].
func (n *network) encode(pixels []float32) ([]float32, error) {
	out, err := framework.Call(n.exec, framework.Rows(pixels, n.vit.Input()...))
	if err != nil {
		return nil, fmt.Errorf("locked: %s: %w", n.Name(), err)
	}
	defer framework.Release(out)
	return tensors.CopyFlatData[float32](out[0])
}

func (n *network) close() {
	n.exec.Finalize()
	n.store.Finalize()
}
