package eval

import (
	"context"
	"fmt"
	"math"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// Classification is zero-shot classification with prompts (Radford et al., 2021): an image is of the class whose name, in sentences, is
// nearest to it. The embedding of a class is the mean of those of its sentences, normalised.
type Classification struct {
	// Prompts are sentences in which {} stands for the name of a class, as captions of the data would have it; none for CLIP's
	// "a photo of a {}."
	Prompts []string `json:",omitempty"`
}

func init() {
	Register("classes", Classification{},
		NewFlag("prompts", "a `sentence` with {} for the name of a class; may be repeated (default \"a photo of a {}.\")",
			func(c *Classification, sentence string) error { c.Prompts = append(c.Prompts, sentence); return nil }))
}

// Metrics of Classification.
const (
	ClassTop1 Metric = "class top-1"
	ClassTop5 Metric = "class top-5"
	ClassMean Metric = "class mean"
)

// usualPrompt is CLIP's.
const usualPrompt = "a photo of a {}."

// Metrics implements Task.
func (Classification) Metrics() []Info {
	const group = "Zero-shot classes"
	return []Info{
		{ClassTop1, group, "top-1", "%", false, "images nearest to the prompts of their own class"},
		{ClassTop5, group, "top-5", "%", false, "images whose own class is among the five nearest"},
		{ClassMean, group, "mean of classes", "%", false, "top-1 within each class, mean over the classes that have images"},
	}
}

// Check implements Task.
func (c Classification) Check(f framework.Framework, set datasets.Set) error {
	if _, embeds := f.(framework.Embeds); !embeds {
		return fmt.Errorf("eval: zero-shot classification goes by embeddings of images and prompts, which %s does not make", f.Name())
	}
	if _, labelled := set.(datasets.Labelled); !labelled {
		return fmt.Errorf("eval: zero-shot classification needs a class of each image, and %s has none; take data with classes", set.Name())
	}
	for _, p := range c.Prompts {
		if strings.Count(p, "{}") != 1 {
			return fmt.Errorf("eval: the prompt %q has no place for a class, or several; write {} once, as in %q", p, usualPrompt)
		}
	}
	return nil
}

// Measure implements Task.
func (c Classification) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := c.Check(on.Model.Framework(), on.Set); err != nil {
		return Measured{}, err
	}
	class, classes, err := labels(on.Set)
	if err != nil {
		return Measured{}, err
	}
	images, err := on.Images(ctx)
	if err != nil {
		return Measured{}, err
	}
	named, dim, err := c.embed(ctx, on, classes)
	if err != nil {
		return Measured{}, err
	}
	scores := Similarities(images.Features, named, on.Model.Vectors(), dim)
	if err := scores.check("similarities to classes", len(class), len(classes)); err != nil {
		return Measured{}, err
	}
	answers, amongFive := make([]int, len(class)), 0
	for i, own := range class {
		row, rank := scores.Row(i), 1
		answers[i] = largest(row)
		for k, s := range row {
			if k != own && (s > row[own] || s == row[own] && k < own) {
				rank++
			}
		}
		if rank <= 5 {
			amongFive++
		}
	}
	top1, mean := accuracy(answers, class, len(classes))
	return Measured{Metrics: Result{ClassTop1: top1, ClassTop5: 100 * float64(amongFive) / float64(len(class)), ClassMean: mean}}, nil
}

// embed makes the embeddings of classes, [classes, dim].
func (c Classification) embed(ctx context.Context, on Subject, classes []string) (named []float32, dim int, err error) {
	prompts := c.Prompts
	if len(prompts) == 0 {
		prompts = []string{usualPrompt}
	}
	var sentences []string
	for _, class := range classes {
		for _, p := range prompts {
			sentences = append(sentences, strings.Replace(p, "{}", class, 1))
		}
	}
	texts, _, err := on.Texts(ctx, sentences)
	if err != nil {
		return nil, 0, err
	}
	dim = len(texts.Features) / len(sentences)
	named = make([]float32, len(classes)*dim)
	for at, x := range texts.Features {
		named[at/(dim*len(prompts))*dim+at%dim] += x
	}
	for k := range classes {
		row, square := named[k*dim:(k+1)*dim], 0.0
		for _, x := range row {
			square += float64(x) * float64(x)
		}
		for d := range row {
			row[d] /= float32(max(math.Sqrt(square), 1e-12))
		}
	}
	return named, dim, nil
}
