package negative

import (
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Regulated is the contrast of SRCL, similarity-regulated contrastive learning: a negative weighs the less in an anchor's denominator the more similar it
// is to the anchor, by a frozen reference model at first and by the model itself later (Jiang et al., 2023, equations 4 to 9;
// METHODS.md 5). Its loss is the sum of the two directions, not their mean. The weights are constants.
type Regulated struct {
	// Epochs over which the reference's share of the similarity falls from 1 to 0, linearly; the paper gives no schedule.
	Epochs int
	// Temperature inside the similarity, exp(cosine / Temperature); 0 takes 1, as the paper prints it.
	Temperature float64 `json:",omitempty"`
}

// NeedsReference implements Informed.
func (Regulated) NeedsReference() {}

// Validate tells which value is out of its range.
func (c Regulated) Validate() error {
	if c.Epochs < 1 {
		return errors.New("negative: SRCL over no epochs; give it those of the run")
	}
	if c.Temperature < 0 {
		return fmt.Errorf("negative: SRCL with a temperature of %g; it cannot be negative", c.Temperature)
	}
	return nil
}

// ITC implements Contrast. The similarities it returns are without the weights.
func (c Regulated) ITC(f Features) Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature)
	t2i := Transpose(i2t, 0, 1)
	own, reference := cosines(f.Image, f.Text), cosines(f.ReferenceImage, f.ReferenceText)
	share := OneMinus(MinScalar(DivScalar(f.Progress, float64(c.Epochs)), 1))
	similar := Add(Mul(share, c.similarity(reference)), Mul(OneMinus(share), c.similarity(own)))
	loss := Add(regulatedDirection(i2t, similar), regulatedDirection(t2i, Transpose(similar, 0, 1)))
	return Contrasted{Loss: loss, I2T: i2t, T2I: t2i}
}

func (c Regulated) similarity(cosines *Node) *Node {
	if c.Temperature > 0 {
		cosines = DivScalar(cosines, c.Temperature)
	}
	return Exp(cosines)
}

// cosines of images with texts, without gradient, [batch, batch].
func cosines(image, text *Node) *Node {
	return StopGradient(MatMul(image, Transpose(text, 0, 1)))
}

// regulatedDirection is the loss of one side's anchors, whose negatives weigh 1/similar, normalised to a mean of one an anchor.
func regulatedDirection(logits, similar *Node) *Node {
	batch := logits.Shape().Dim(0)
	weights := AddScalar(LogSoftmax(objective.WithoutOwn(Neg(Log(similar))), -1), math.Log(float64(batch-1)))
	weighted := Add(logits, Where(Diagonal(logits.Graph(), batch), ZerosLike(logits), weights))
	return objective.CrossEntropy(weighted, objective.Own(logits))
}
