package eval

import (
	"context"
	"fmt"
	"math"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/random"
)

// Transfer fits an L2-regularised multinomial logistic regression on the frozen network's representations of other labelled data, and
// measures it there (GloFND, section 4.1 and appendix D.1; METHODS.md 15.6). Images are resized to what the network reads. It measures
// nothing in brief.
//
// Representations are brought to length 1, and each component to mean 0 and standard deviation 1 over the target's training images. The
// penalty is chosen among ten values of C, 1e-6 to 1e5 by equal factors, the first of equals, by top-1 on the target's validation split, or
// where it has none on a tenth of its training images; then the regression is fitted to both together and measured on the test
// split (the validation split, where there is no other). Each C starts from the regression before it, so that of several penalties too weak
// to matter the first is where all of them end. The paper says, and its code does, that the best C on the test split counts:
// that is better by luck, for all methods.
type Transfer struct {
	// Targets are the data; none for generated scenes, by their ground and by their shape.
	Targets []Target `json:",omitempty"`
}

func init() {
	Register("transfer", Transfer{},
		NewFlag("targets", "a `folder` of labelled images for transfer, in $VLPX_DATA too, cifar100:coarse by coarse classes; "+
			"may be repeated (default scenes)", (*Transfer).add))
}

// TransferAverage is the mean over targets of top-1, or of the mean over classes where a target counts by that.
const TransferAverage Metric = "transfer average"

// TransferTop1 and TransferMean are the metrics of a target: right images, and the mean over its classes.
func TransferTop1(target string) Metric { return Metric("transfer " + target + " top-1") }

// TransferMean is told with TransferTop1.
func TransferMean(target string) Metric { return Metric("transfer " + target + " mean") }

// UsualTargets are those of Transfer where none are named, of scenes that no training set of the usual seed has.
func UsualTargets() []Target {
	return []Target{{Name: "scenes' ground", Scenes: &scenes.Config{Seed: 2}},
		{Name: "scenes' shape", Scenes: &scenes.Config{Seed: 3, OneShape: true}}}
}

// add adds a target by its name: scenes for the usual ones, or a folder, with ":coarse" behind it for CIFAR-100's coarse classes.
func (t *Transfer) add(name string) error {
	if name == "scenes" {
		t.Targets = append(t.Targets, UsualTargets()...)
		return nil
	}
	data, coarse := strings.CutSuffix(name, ":"+CoarseLabels)
	dir, err := layout.Find(data)
	if err != nil {
		return err
	}
	labels := ""
	if coarse {
		labels = CoarseLabels
	}
	target, err := FolderTarget(dir, labels)
	t.Targets = append(t.Targets, target)
	return err
}

func (t Transfer) targets() []Target {
	if len(t.Targets) > 0 {
		return t.Targets
	}
	return UsualTargets()
}

// Metrics implements Task.
func (t Transfer) Metrics() []Info {
	const group = "Transfer"
	var all []Info
	for _, target := range t.targets() {
		all = append(all,
			Info{TransferTop1(target.Name), group, target.Name, "%", false, "images of " + target.Name + " that logistic regression on " +
				"representations gets right"},
			Info{TransferMean(target.Name), group, target.Name + ", by class", "%", false, "the same within each class, mean over the " +
				"classes that have images"})
	}
	return append(all, Info{TransferAverage, group, "average", "%", false, "mean over the targets, of each by what its protocol measures"})
}

// Check implements Task.
func (t Transfer) Check(f framework.Framework, _ datasets.Set) error {
	if _, embeds := f.(framework.EmbedsImages); !embeds {
		return fmt.Errorf("eval: transfer goes by representations of images, which %s does not make", f.Name())
	}
	names := map[string]bool{}
	for _, target := range t.targets() {
		if target.Name == "" || names[target.Name] {
			return fmt.Errorf("eval: a target named %q, or two; give each a name of its own", target.Name)
		}
		names[target.Name] = true
		if target.Scenes == nil && target.Dir == "" {
			return fmt.Errorf("eval: it is not known where the target %s lies; name its folder", target.Name)
		}
	}
	return nil
}

// Measure implements Task.
func (t Transfer) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := t.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
		return Measured{}, err
	}
	if on.On == nil {
		return Measured{}, fmt.Errorf("eval: transfer goes to other data, which it cannot reach; measure by a run")
	}
	result := Result{}
	for _, target := range t.targets() {
		top1, mean, err := target.measure(ctx, on)
		if err != nil {
			return Measured{}, err
		}
		result[TransferTop1(target.Name)], result[TransferMean(target.Name)] = top1, mean
		if target.ByClass {
			top1 = mean
		}
		result[TransferAverage] += top1 / float64(len(t.targets()))
	}
	return Measured{Metrics: result}, nil
}

func (t Target) measure(ctx context.Context, model Subject) (top1, mean float64, err error) {
	c, err := t.open()
	if err != nil {
		return 0, 0, err
	}
	choose, measure, err := splits(c)
	if err != nil {
		return 0, 0, err
	}
	see := func(split string) (images seen, err error) {
		on, err := model.On(ctx, c, split)
		if err == nil {
			images, err = on.see(ctx)
		}
		if err != nil {
			err = fmt.Errorf("eval: the target %s: %w", t.Name, err)
		}
		return images, err
	}
	training, err := see("train")
	if err != nil {
		return 0, 0, err
	}
	var validation seen
	if choose == "" {
		training, validation, err = training.holdOut()
	} else {
		validation, err = see(choose)
	}
	if err != nil {
		return 0, 0, err
	}
	test, err := see(measure)
	if err != nil {
		return 0, 0, err
	}
	answers, err := transferred(ctx, training, validation, test)
	if err != nil {
		return 0, 0, fmt.Errorf("eval: the target %s: %w", t.Name, err)
	}
	top1, mean = accuracy(answers, test.class, len(test.classes))
	return top1, mean, nil
}

// penalties are the values of C: numpy's logspace(-6, 5, 10).
const penalties = 10

func penalty(k int) float64 { return math.Pow(10, -6+11*float64(k)/(penalties-1)) }

// transferred are the answers to the test images. Each C goes on from where the one before it, which penalises more, has ended.
func transferred(ctx context.Context, training, validation, test seen) ([]int, error) {
	scale := standardsOf(training)
	training, validation, test = scale.of(training), scale.of(validation), scale.of(test)
	path, best, chosen := newLogistic(training), -1.0, 0
	var weights []float64
	for k := range penalties {
		if err := path.fit(ctx, penalty(k)); err != nil {
			return nil, err
		}
		if right, _ := accuracy(path.answers(validation), validation.class, len(validation.classes)); right > best {
			best, chosen, weights = right, k, append(weights[:0], path.weights.Data...)
		}
	}
	both := training
	both.features = append(append([]float32(nil), training.features...), validation.features...)
	both.class = append(append([]int(nil), training.class...), validation.class...)
	last := newLogistic(both)
	copy(last.weights.Data, weights)
	if err := last.fit(ctx, penalty(chosen)); err != nil {
		return nil, err
	}
	return last.answers(test), nil
}

// heldOutOf is the part of the training images that C is chosen by where there is no validation split: one in so many.
const heldOutOf = 10

// holdOut takes some images out of a training split at random.
func (s seen) holdOut() (training, held seen, err error) {
	n := len(s.class) / heldOutOf
	if n == 0 {
		return s, held, fmt.Errorf("eval: %d training images without a validation split; a tenth is held out, which takes %d at least",
			len(s.class), heldOutOf)
	}
	training, held = seen{width: s.width, classes: s.classes}, seen{width: s.width, classes: s.classes}
	for at, i := range random.Stream(0, "transfer", "held out").Perm(len(s.class)) {
		to := &training
		if at < n {
			to = &held
		}
		to.features, to.class = append(to.features, s.row(i)...), append(to.class, s.class[i])
	}
	return training, held, nil
}
