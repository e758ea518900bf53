package eval

import (
	"context"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// TenLabels is LinearEvaluation on ten labelled training images of each class, or as many as there are, so that data of few and of many
// classes can be compared: a share of the images may leave a class without any. It trains for the published 900 epochs of few labels.
type TenLabels struct{}

func init() { Register("", TenLabels{}) }

// LinearTen is the metric of TenLabels.
const LinearTen Metric = "linear ten a class"

// Metrics implements Task.
func (TenLabels) Metrics() []Info {
	return []Info{{LinearTen, "Linear evaluation", "ten a class", "%", false,
		"images that a linear classifier learned on ten training images of each class gets right"}}
}

// Check implements Task.
func (TenLabels) Check(f framework.Framework, set datasets.Set) error {
	return probes("linear evaluation", f, set)
}

// Measure implements Task.
func (t TenLabels) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := t.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
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
	var l LinearEvaluation
	classifier, err := l.fit(ctx, training, ten(l.taken(training, 1), training.class), 900)
	if err != nil {
		return Measured{}, err
	}
	top1, _ := accuracy(classifier.answers(images), images.class, len(images.classes))
	return Measured{Metrics: Result{LinearTen: top1}}, nil
}

// ten are the first ten images of each class, in an order.
func ten(order, class []int) (taken []int) {
	has := map[int]int{}
	for _, i := range order {
		if has[class[i]] < 10 {
			has[class[i]]++
			taken = append(taken, i)
		}
	}
	return taken
}
