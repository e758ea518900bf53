package negative

import (
	"errors"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Regulated is the contrast of SRCL, similarity-regulated contrastive learning: a negative weighs the less in an anchor's
// denominator the more similar it is to the anchor, by a frozen reference model at first and by the model itself later (Jiang et
// al., 2023, equations 4 to 9; METHODS.md 5). Its loss is the sum of the two directions, not their mean. The weights are constants.
type Regulated struct {
	// Epochs over which the reference's share of the similarity falls from 1 to 0, linearly; the paper gives no schedule.
	Epochs int
	// Temperature inside the similarity, exp(cosine / Temperature); 0 takes 1, as the paper prints it.
	Temperature float64 `json:",omitempty"`
}

// Sharp is a temperature inside the similarity that SRCL's weights are made of. The paper prints none, but then a weight is
// seldom below 0.5: on scenes at scale mini, by a trained InfoNCE, the thresholds 0.2 to 0.5 remove 0.1 % of the negatives at most,
// 0.6 removes 4 %, and 0.7 removes 16 % (by SRCL 20 %, as the paper has it). At this temperature 0.2 removes 3 to 6 % over training,
// about as many as are false (5 %).
const Sharp = 0.35

// NeedsReference implements Informed.
func (Regulated) NeedsReference() {}

// Validate reports which value is out of its range.
func (c Regulated) Validate() error {
	if c.Epochs < 1 {
		return errors.New("negative: SRCL over no epochs; give it those of the run")
	}
	return validTemperature(c.Temperature)
}

// ITC implements Contrast. The similarities it returns are without the weights.
func (c Regulated) ITC(f Features) Contrasted { return weighted(f, c.similar(f)) }

// ListsNegatives implements Listing.
func (Regulated) ListsNegatives() {}

// similar is the similarity of images and texts that the weights are made of, in the reference's part and the model's own,
// [batch, batch], images in rows.
func (c Regulated) similar(f Features) *Node {
	own, reference := cosines(f.Image, f.Text), cosines(f.ReferenceImage, f.ReferenceText)
	share := OneMinus(MinScalar(DivScalar(f.Progress, float64(c.Epochs)), 1))
	return Add(Mul(share, similarity(reference, c.Temperature)), Mul(OneMinus(share), similarity(own, c.Temperature)))
}

// SelfRegulated is Regulated by the model itself alone, without a reference model, as SRCL fine-tunes for retrieval (Jiang et al.,
// 2023, section 4.2.1; METHODS.md 5). Other captions of the anchor's image are negatives by their weights, but are not picked by
// Matching, as in ALBEF's fine-tuning.
type SelfRegulated struct {
	// Temperature inside the similarity; see Regulated.
	Temperature float64 `json:",omitempty"`
}

// Validate reports which value is out of its range.
func (c SelfRegulated) Validate() error { return validTemperature(c.Temperature) }

// NeedsItems implements Itemised.
func (SelfRegulated) NeedsItems() bool { return true }

// ListsNegatives implements Listing.
func (SelfRegulated) ListsNegatives() {}

// ITC implements Contrast. The similarities it returns are without the weights.
func (c SelfRegulated) ITC(f Features) Contrasted {
	contrasted := weighted(f, similarity(cosines(f.Image, f.Text), c.Temperature))
	contrasted.I2T, contrasted.T2I = withoutSiblings(contrasted.I2T, f.Items), withoutSiblings(contrasted.T2I, f.Items)
	return contrasted
}

func validTemperature(t float64) error {
	if t < 0 {
		return fmt.Errorf("negative: SRCL with a temperature of %g; it cannot be negative", t)
	}
	return nil
}

func similarity(cosines *Node, temperature float64) *Node {
	if temperature > 0 {
		cosines = DivScalar(cosines, temperature)
	}
	return Exp(cosines)
}

// cosines of images with texts, without gradient, [batch, batch].
func cosines(image, text *Node) *Node {
	return StopGradient(objective.Cosines(image, text))
}

// weighted is InfoNCE, the sum of its two directions, whose negatives weigh as their similarity [batch, batch] has it.
func weighted(f Features, similar *Node) Contrasted {
	return contrastWith(f, logWeights(similar), logWeights(Transpose(similar, 0, 1)))
}

// logWeights are the logarithms of the weights of an anchor's negatives: 1/similar, normalised to a mean of one an anchor
// (equation 9). The own pair has no weight.
func logWeights(similar *Node) *Node {
	batch := similar.Shape().Dim(0)
	return AddScalar(LogSoftmax(objective.MaskDiagonal(Neg(Log(similar))), -1), math.Log(float64(batch-1)))
}

// contrastWith is InfoNCE, the sum of its two directions, with these logarithms of the weights of the image and the text
// anchors' negatives, [batch, batch] each.
func contrastWith(f Features, image, text *Node) Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature)
	t2i := Transpose(i2t, 0, 1)
	imageLeft, textLeft := f.leaveBoth(i2t, t2i)
	loss := Add(weightedDirection(imageLeft, image), weightedDirection(textLeft, text))
	return Contrasted{Loss: loss, I2T: i2t, T2I: t2i, Weights: Exp(image)}
}

// weightedDirection is the loss of one side's anchors: a weight in a sum of exponentials is its logarithm added to the exponent.
func weightedDirection(logits, weights *Node) *Node {
	own := Diagonal(logits.Graph(), logits.Shape().Dim(0))
	return objective.CrossEntropy(Add(logits, Where(own, ZerosLike(logits), weights)), objective.OneHotTargets(logits))
}

// SRCL weighs down the negatives that are similar to their anchor (Jiang et al., 2023; METHODS.md 5), over a run of so many
// epochs, on ALBEF's uniform mini-batches, matching and masking, without momentum. It needs a frozen reference model.
func SRCL(epochs int) Method {
	return Method{Name: "SRCL", Batches: Uniform{}, Contrast: Regulated{Epochs: epochs}, Matching: Sampled{}, Masking: 0.15}
}

var srcl = Entry{
	Name:      "SRCL",
	Source:    "Jiang et al., 2023; METHODS.md 5",
	What:      "similar negatives weigh less",
	At:        func(s Sizes) Method { return SRCL(s.Epochs) },
	Reference: "InfoNCE",
}
