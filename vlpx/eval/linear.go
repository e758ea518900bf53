package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/random"
)

// LinearEvaluation trains a linear classifier on the representations of labelled training images, the network being frozen, at shares of
// these images, and measures it on the split (GloFND, section 4.1 and appendix D.1; METHODS.md 15.6). It measures nothing in brief.
//
// The classifier is trained as the published code does: by SGD with a momentum of 0.9 and no weight decay, at a rate of 0.1 for 256 images
// of the batch size that falls to 0 as a cosine by the epoch; first weights N(0, 0.01), no bias. The published code shows it an augmented
// view of each image in each epoch; here each image is seen as in evaluation and represented once, so that an epoch costs a product of
// matrices. The last epoch's classifier counts: the paper's early stopping looks at the split that is measured.
//
// Training images are taken at random, as in the paper, not so many a class: the smaller share's are among the larger one's. They are the
// same for all models. Of a class of which none is taken no image can be right but by chance. A share that
// rounds to no image at all takes one of each class.
type LinearEvaluation struct {
	// Shares of the training images, above 0 and up to 1; none for the paper's 1, 0.1, 0.01 and 0.001.
	Shares []float64 `json:",omitempty"`
	// Epochs of each share; none for the published 90 of all images, 285 from a tenth on and 900 below.
	Epochs []int `json:",omitempty"`
	// Batch is the number of images in a mini-batch, as many as are there at most; 0 for 1024. The rate goes by it in either case.
	Batch int `json:",omitempty"`
	// Seed is that of the draws: which images are taken, first weights and orders.
	Seed uint64 `json:",omitempty"`
}

func init() { Register("linear", LinearEvaluation{}) }

// LinearAverage is the mean of LinearEvaluation's metrics over its shares.
const LinearAverage Metric = "linear average"

// LinearTop1 is the metric of LinearEvaluation at a share.
func LinearTop1(share float64) Metric { return Metric("linear " + percent(share) + "%") }

// percent writes a share, .001 as 0.1.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 6, 64) }

// Metrics implements Task.
func (l LinearEvaluation) Metrics() []Info {
	const group = "Linear evaluation"
	var all []Info
	for _, share := range l.shares() {
		all = append(all, Info{LinearTop1(share), group, percent(share) + " %", "%", false,
			"images that a linear classifier learned on " + percent(share) + " % of the training images gets right"})
	}
	return append(all, Info{LinearAverage, group, "average", "%", false, "mean over the shares of training images"})
}

func (l LinearEvaluation) shares() []float64 {
	if len(l.Shares) == 0 {
		return []float64{1, .1, .01, .001}
	}
	return l.Shares
}

// epochs are those of the share at a place.
func (l LinearEvaluation) epochs(at int) int {
	share := l.shares()[at]
	switch {
	case len(l.Epochs) > 0:
		return l.Epochs[at]
	case share == 1:
		return 90
	case share >= .1:
		return 285
	}
	return 900
}

// Check implements Task.
func (l LinearEvaluation) Check(f framework.Framework, set datasets.Set) error {
	shares := l.shares()
	for at, share := range shares {
		if !(share > 0 && share <= 1) || slices.Contains(shares[:at], share) {
			return fmt.Errorf("eval: linear evaluation at a share of %v of the training images; use shares above 0 and up to 1, each once",
				share)
		}
	}
	if n := len(l.Epochs); n > 0 && (n != len(shares) || slices.Min(l.Epochs) < 1) {
		return fmt.Errorf("eval: linear evaluation of %d shares for %v epochs; give each share 1 or more, or none for the published ones",
			len(shares), l.Epochs)
	}
	if l.Batch < 0 {
		return fmt.Errorf("eval: linear evaluation with mini-batches of %d images; use 1 or more", l.Batch)
	}
	return probes("linear evaluation", f, set)
}

// Measure implements Task.
func (l LinearEvaluation) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := l.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
		return Measured{}, err
	}
	images, err := on.see(ctx)
	if err != nil {
		return Measured{}, err
	}
	training, err := on.trained(ctx, "linear evaluation")
	if err != nil {
		return Measured{}, err
	}
	result := Result{}
	for at, share := range l.shares() {
		classifier, err := l.fit(ctx, training, l.taken(training, share), l.epochs(at))
		if err != nil {
			return Measured{}, err
		}
		top1, _ := accuracy(classifier.answers(images), images.class, len(images.classes))
		result[LinearTop1(share)] = top1
		result[LinearAverage] += top1 / float64(len(l.shares()))
	}
	return Measured{Metrics: result}, nil
}

// taken are the training images of a share.
func (l LinearEvaluation) taken(training seen, share float64) []int {
	order := random.Stream(l.Seed, "linear", "images").Perm(len(training.class))
	if n := int(math.Round(share * float64(len(order)))); n > 0 {
		return order[:n]
	}
	var one []int
	has := make([]bool, len(training.classes))
	for _, i := range order {
		if k := training.class[i]; !has[k] {
			has[k] = true
			one = append(one, i)
		}
	}
	return one
}

// The published settings of SGD; linearRate is that of 256 images.
const (
	linearRate     = .1
	linearMomentum = .9
	linearBatch    = 1024
	linearFirst    = .01 // standard deviation of the first weights
)

// fit trains a classifier on some of the images.
func (l LinearEvaluation) fit(ctx context.Context, training seen, taken []int, epochs int) (*softmax, error) {
	size := linearBatch
	if l.Batch > 0 {
		size = l.Batch
	}
	peak := linearRate * float64(size) / 256
	size = min(size, len(taken))
	batch, s := newRows(size, training.width), newSoftmax(training.width, len(training.classes))
	first := random.Stream(l.Seed, "linear", "weights")
	for i := range training.width * len(training.classes) {
		s.weights.Data[i] = linearFirst * first.NormFloat64()
	}
	velocity := make([]float64, len(s.weights.Data))
	for epoch := range epochs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rate := peak * (1 + math.Cos(math.Pi*float64(epoch)/float64(epochs))) / 2
		order := random.Stream(l.Seed, "linear", "order", epoch).Perm(len(taken))
		for from := 0; from < len(order); from += size {
			n := min(size, len(order)-from)
			for i, k := range order[from : from+n] {
				batch.set(i, training.row(taken[k]), training.class[taken[k]])
			}
			s.backward(batch.first(n))
			for i, g := range s.gradient.Data {
				velocity[i] = linearMomentum*velocity[i] + g
				s.weights.Data[i] -= rate * velocity[i]
			}
		}
	}
	return s, nil
}
